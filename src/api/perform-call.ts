import type { PasswordHasher } from '#customers'
import { type ReadOutcome, readJson, readXml } from '#formats/document'
import type { AcceptQueue, Lanes, OperationRequest } from '#operations'
import type { Admission } from './admit.ts'
import {
  ACCEPTED,
  ALREADY_PROCESSED,
  type Answer,
  done,
  protocolError,
  unavailable,
  validationError,
} from './answers.ts'
import { checkTicket } from './check-ticket.ts'
import { EnvelopeReader } from './envelope-reader.ts'
import { readEnvelope } from './read-envelope.ts'
import { readQuery } from './read-query.ts'

export interface CallParts {
  acceptQueue: AcceptQueue
  lanes: Lanes
  hasher: PasswordHasher
  now: () => Date
}

export interface AdmittedCall {
  admission: Admission
  query: Record<string, unknown>
  idempotencyKey: string | string[] | undefined
  body: Buffer
}

const BUSY = 'too much is waiting to be done; try again in a moment'

/** The checks that need the body, in the order the interface promises, and then the work. */
export async function performCall(call: AdmittedCall, parts: CallParts): Promise<Answer> {
  const { admission } = call
  const query = readQuery(call.query, call.idempotencyKey)
  if (query.kind === 'wrong') return protocolError(400, query.message)
  const document = read(call)
  if (document.kind === 'unreadable') return protocolError(400, unreadableText(document))
  const { root } = document
  if (root.name !== 'operation') return protocolError(400, 'the root element must be operation')
  const ticket = checkTicket(root, admission, parts.now())
  if (ticket.kind === 'refused') return ticket.answer

  const reader = new EnvelopeReader()
  if (document.kind !== 'read') refuseFlaws(reader, document)
  const { deviceUuid, transactionId } = query
  const envelope = readEnvelope(reader, root, { admission, ticket: ticket.holder, deviceUuid })
  if (envelope === undefined || reader.problems.length > 0) return validationError(reader.problems)

  const { customer, password, message } = envelope
  if (password === null) customer.passwordHash = null
  if (typeof password === 'string') {
    const hash = await parts.hasher.hash(password)
    if (hash === undefined) return unavailable(BUSY)
    customer.passwordHash = hash
  }
  const { definition } = admission.operation
  return await perform(call, parts, {
    name: definition.name,
    kind: definition.kind,
    mode: admission.mode,
    endpoint: admission.endpoint.definition.name,
    mechanism: admission.endpoint.definition.transactionMechanism,
    transactionId,
    customer,
    message,
  })
}

function read({ admission, body }: AdmittedCall): ReadOutcome {
  return admission.notation === 'json' ? readJson(body) : readXml(body)
}

function unreadableText({ problem }: Extract<ReadOutcome, { kind: 'unreadable' }>): string {
  return `line ${problem.line}, column ${problem.column}: ${problem.message}`
}

function refuseFlaws(
  reader: EnvelopeReader,
  document: Extract<ReadOutcome, { flaws: unknown }>,
): void {
  for (const { kind, path } of document.flaws) {
    const isNumber = kind === 'unsafeNumber'
    reader.refuse(path, isNumber ? 'send this number as a string' : 'has a forbidden character')
  }
}

async function perform(
  call: AdmittedCall,
  parts: CallParts,
  request: OperationRequest,
): Promise<Answer> {
  const projectId = call.admission.endpoint.project.id
  if (request.mode === 'async') {
    const accepted = await parts.acceptQueue.accept(projectId, request, call.body.length)
    if (accepted.kind === 'full') return unavailable(BUSY)
    return accepted.kind === 'accepted' ? ACCEPTED : ALREADY_PROCESSED
  }
  const outcome = await parts.lanes.perform(projectId, request)
  switch (outcome.kind) {
    case 'full':
      return unavailable(BUSY)
    case 'withdrawn':
      return unavailable('the operation waited too long for its turn; nothing was stored')
    case 'refused':
      return validationError(outcome.problems)
    case 'alreadyProcessed':
      return ALREADY_PROCESSED
    case 'done':
      // Without authentication, even whether a customer is known is nobody's business.
      return done(outcome, { withCustomer: request.customer.trust !== 'none' })
  }
}
