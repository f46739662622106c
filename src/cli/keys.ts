import { parseArgs } from 'node:util'
import {
  type ListedKey,
  listKeys,
  type MadeKey,
  makeKey,
  revokeKey,
  rotateKey,
  suggestionFor,
} from '#projects'
import type { CliContext } from './context.ts'

export const HELP = `posthouse keys make|list|rotate|revoke --endpoint PROJECT.ENDPOINT [--key ID]

The secret keys of an endpoint, sent by its callers as \`Authorization: SecretKey KEY\`.

  make      makes a key beside those there are and shows it once
  list      lists the keys: their ids and last characters, never the keys themselves
  rotate    makes the successor of a key (of all live ones without --key); the old
            stays live until you revoke it, so that callers can change over
  revoke    ends the key named by --key; running processes refuse it within a second

  --endpoint   the endpointId, such as demo-shop.website
  --key        the id of a key, as list shows it
  --help       this text

Exit code 0: done; 1: it could not be done; 2: the command was not understood.`

const ACTIONS = ['make', 'list', 'rotate', 'revoke'] as const
type Action = (typeof ACTIONS)[number]

interface Request {
  kind: Action
  endpointId: string
  keyId: string | undefined
}

/** `posthouse keys`: the secret keys of an endpoint. */
export async function keys(args: string[], context: CliContext): Promise<number> {
  const asked = readArgs(args)
  switch (asked.kind) {
    case 'help':
      context.out(HELP)
      return 0
    case 'misunderstood':
      context.err(`${asked.message} See posthouse keys --help.`)
      return 2
    case 'make':
      return make(asked, context)
    case 'list':
      return list(asked, context)
    case 'rotate':
      return rotate(asked, context)
    case 'revoke':
      return revoke(asked, context)
  }
}

async function make({ endpointId }: Request, context: CliContext): Promise<number> {
  const { database, masterKey } = context
  const outcome = await database.transaction((tx) => makeKey(tx, { endpointId, masterKey }))
  switch (outcome.kind) {
    case 'made':
      showMade(outcome.key, endpointId, context)
      return 0
    case 'unknownEndpoint':
      return unknownEndpoint(endpointId, outcome.known, context)
    case 'tooManyKeys':
      return tooManyKeys(endpointId, outcome.limit, context)
  }
}

async function list({ endpointId }: Request, context: CliContext): Promise<number> {
  const outcome = await context.database.transaction((tx) => listKeys(tx, { endpointId }))
  if (outcome.kind === 'unknownEndpoint') {
    return unknownEndpoint(endpointId, outcome.known, context)
  }
  if (outcome.keys.length === 0) {
    context.out(`${endpointId} has no keys. Make one: posthouse keys make --endpoint ${endpointId}`)
  }
  for (const key of outcome.keys) context.out(lineOf(key))
  return 0
}

async function rotate({ endpointId, keyId }: Request, context: CliContext): Promise<number> {
  const { database, masterKey } = context
  const outcome = await database.transaction((tx) =>
    rotateKey(tx, { endpointId, masterKey, keyId }),
  )
  switch (outcome.kind) {
    case 'rotated':
      showMade(outcome.key, endpointId, context)
      context.out('Still live, until you revoke them:')
      for (const key of outcome.old) context.out(`  ${lineOf(key)}`)
      return 0
    case 'nothingToRotate':
      context.err(`${endpointId} has no live key.`)
      context.err(`    Make one: posthouse keys make --endpoint ${endpointId}`)
      return 1
    case 'unknownEndpoint':
      return unknownEndpoint(endpointId, outcome.known, context)
    case 'tooManyKeys':
      return tooManyKeys(endpointId, outcome.limit, context)
    case 'unknownKey':
      return unknownKey({ endpointId, keyId: keyId ?? '' }, outcome.known, context)
  }
}

async function revoke({ endpointId, keyId = '' }: Request, context: CliContext): Promise<number> {
  const outcome = await context.database.transaction((tx) => revokeKey(tx, { endpointId, keyId }))
  switch (outcome.kind) {
    case 'revoked':
      context.out(`Key ${keyId} of ${endpointId} is revoked.`)
      return 0
    case 'alreadyRevoked':
      context.out(`Key ${keyId} was revoked already, ${minuteOf(outcome.revokedAt)}.`)
      return 0
    case 'unknownEndpoint':
      return unknownEndpoint(endpointId, outcome.known, context)
    case 'unknownKey':
      return unknownKey({ endpointId, keyId }, outcome.known, context)
  }
}

type Asked = Request | { kind: 'help' } | { kind: 'misunderstood'; message: string }

function readArgs(args: string[]): Asked {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h' },
        endpoint: { type: 'string' },
        key: { type: 'string' },
      },
    })
    if (values.help) return { kind: 'help' }
    return readRequest(values, positionals)
  } catch (error) {
    return misunderstood(`${(error as Error).message}.`)
  }
}

function readRequest(
  values: { endpoint?: string | undefined; key?: string | undefined },
  [word, ...rest]: string[],
): Asked {
  const action = ACTIONS.find((known) => known === word)
  if (word === undefined) return misunderstood('Say what to do: make, list, rotate or revoke.')
  if (action === undefined) {
    return misunderstood(`There is no \`keys ${word}\`. ${suggestionFor(word, ACTIONS) ?? ''}`)
  }
  if (rest.length > 0) return misunderstood(`\`${rest.join(' ')}\` is too much.`)
  if (values.endpoint === undefined) return misunderstood('Name the endpoint with --endpoint.')
  if (action === 'revoke' && values.key === undefined) {
    return misunderstood('Name the key to revoke with --key; `list` shows the ids.')
  }
  if ((action === 'make' || action === 'list') && values.key !== undefined) {
    return misunderstood(`\`${action}\` takes no --key.`)
  }
  return { kind: action, endpointId: values.endpoint, keyId: values.key }
}

function misunderstood(message: string): Asked {
  return { kind: 'misunderstood', message: message.trim() }
}

function showMade(key: MadeKey, endpointId: string, context: CliContext): void {
  context.out(`Key ${key.id} of ${endpointId}:`)
  context.out(key.value)
  context.out('Keep it now: it is shown this once and cannot be shown again.')
}

function lineOf({ id, hint, createdAt, revokedAt }: ListedKey): string {
  const state = revokedAt === null ? 'live' : `revoked ${minuteOf(revokedAt)}`
  return `${id}  ph_...${hint}  made ${minuteOf(createdAt)}  ${state}`
}

function minuteOf(instant: Date): string {
  return `${instant.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

function unknownEndpoint(endpointId: string, known: string[], context: CliContext): number {
  context.err(`There is no endpoint \`${endpointId}\`.`)
  const suggestion = suggestionFor(endpointId, known) ?? 'Apply a project that declares it first.'
  context.err(`    ${suggestion}`)
  return 1
}

function unknownKey(
  { endpointId, keyId }: { endpointId: string; keyId: string },
  known: string[],
  context: CliContext,
): number {
  context.err(`${endpointId} has no live key \`${keyId}\`.`)
  const suggestion = suggestionFor(keyId, known)
  if (suggestion !== undefined) context.err(`    ${suggestion}`)
  return 1
}

function tooManyKeys(endpointId: string, limit: number, context: CliContext): number {
  context.err(`${endpointId} has ${limit} live keys, which is as many as there may be.`)
  context.err('    Revoke one that nobody uses any more.')
  return 1
}
