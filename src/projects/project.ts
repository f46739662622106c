import { timingSafeEqual } from 'node:crypto'
import type {
  Channel,
  CustomField,
  EndpointDefinition,
  MailingDefinition,
  OperationDefinition,
  ProjectDefinition,
  Topic,
} from './definition.ts'
import type { StoredProject } from './project-store.ts'

/** A project as the running service sees it: its definition, laid out for looking things up. */
export interface Project {
  readonly id: number
  readonly name: string
  readonly revision: number
  /** Two projects of one id and version are the same. */
  readonly version: bigint
  readonly definition: ProjectDefinition
  /** Signs the tickets in secret links. */
  readonly signingKey: Buffer
  readonly operations: ReadonlyMap<string, Operation>
  /** The rank of each declared identifier kind, 0 the strongest; in order of precedence. */
  readonly identifierKinds: ReadonlyMap<string, number>
  readonly customFields: ReadonlyMap<string, CustomField>
  readonly topics: ReadonlyMap<string, Topic>
  readonly mailings: ReadonlyMap<string, MailingDefinition>
  /** By the endpoint's own name. */
  readonly endpoints: ReadonlyMap<string, Endpoint>
}

export interface Operation {
  readonly definition: OperationDefinition
  readonly mailingsByChannel: ReadonlyMap<Channel, MailingDefinition>
}

export interface Endpoint {
  /** `endpointId` on the wire. */
  readonly id: string
  readonly project: Project
  readonly definition: EndpointDefinition
  /** The live ones. */
  readonly keys: readonly SecretKey[]
  mayCall(operationName: string): boolean
}

export interface SecretKey {
  readonly id: string
  readonly value: string
  readonly bytes: Buffer
}

export interface ProjectSecrets {
  signingKey: Buffer
  keys: readonly { id: string; endpoint: string; value: string }[]
}

export function layOut(stored: StoredProject, { signingKey, keys }: ProjectSecrets): Project {
  const { definition } = stored
  const mailings = byName(definition.mailings)
  const endpoints = new Map<string, Endpoint>()
  const project: Project = {
    ...stored,
    signingKey,
    operations: new Map(
      definition.operations.map((operation) => [
        operation.name,
        layOutOperation(operation, mailings),
      ]),
    ),
    identifierKinds: new Map(definition.identifierKinds.map(({ name }, rank) => [name, rank])),
    customFields: byName(definition.customFields),
    topics: byName(definition.topics),
    mailings,
    endpoints,
  }
  for (const endpoint of definition.endpoints) {
    const own = keys.filter((key) => key.endpoint === endpoint.name)
    endpoints.set(endpoint.name, layOutEndpoint(project, endpoint, own))
  }
  return project
}

/**
 * The live key that was presented. All keys are compared, each in the same time however much of it is
 * right. Keys have one length, which is no secret.
 */
export function findKey(endpoint: Endpoint, presented: string): SecretKey | undefined {
  const bytes = Buffer.from(presented)
  let found: SecretKey | undefined
  for (const key of endpoint.keys) {
    if (key.bytes.length === bytes.length && timingSafeEqual(key.bytes, bytes)) found = key
  }
  return found
}

function layOutOperation(
  definition: OperationDefinition,
  mailings: ReadonlyMap<string, MailingDefinition>,
): Operation {
  const mailingsByChannel = new Map<Channel, MailingDefinition>()
  for (const name of definition.mailings) {
    const mailing = mailings.get(name)
    if (mailing !== undefined) mailingsByChannel.set(mailing.channel, mailing)
  }
  return { definition, mailingsByChannel }
}

function layOutEndpoint(
  project: Project,
  definition: EndpointDefinition,
  keys: ProjectSecrets['keys'],
): Endpoint {
  const allowed = definition.operations === null ? undefined : new Set(definition.operations)
  return {
    id: `${project.name}.${definition.name}`,
    project,
    definition,
    keys: keys.map(({ id, value }) => ({ id, value, bytes: Buffer.from(value) })),
    mayCall: (operationName) => allowed === undefined || allowed.has(operationName),
  }
}

function byName<Named extends { name: string }>(list: readonly Named[]): Map<string, Named> {
  return new Map(list.map((named) => [named.name, named]))
}
