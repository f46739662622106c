import { randomBytes } from 'node:crypto'
import type { Sql } from '#platform/database'
import { open, seal } from '#platform/secrets'
import { lockProject, raiseVersion, selectEndpointIds, selectProject } from './project-store.ts'
import {
  insertKey,
  type ListedKey,
  markRevoked,
  selectKeys,
  selectLiveKeys,
} from './secret-key-store.ts'

/** A key just made. Its value is nowhere else in readable form. */
export interface MadeKey {
  id: string
  value: string
}

export type UnknownEndpoint = {
  kind: 'unknownEndpoint'
  /** The endpointIds there are, of all projects. */
  known: string[]
}
type TooManyKeys = { kind: 'tooManyKeys'; limit: number }
type UnknownKey = { kind: 'unknownKey'; known: string[] }

export type MakeKeyOutcome = { kind: 'made'; key: MadeKey } | UnknownEndpoint | TooManyKeys
export type ListKeysOutcome = { kind: 'listed'; keys: ListedKey[] } | UnknownEndpoint
export type RotateKeyOutcome =
  | { kind: 'rotated'; key: MadeKey; old: ListedKey[] }
  | { kind: 'nothingToRotate' }
  | UnknownEndpoint
  | TooManyKeys
  | UnknownKey
export type RevokeKeyOutcome =
  | { kind: 'revoked' }
  | { kind: 'alreadyRevoked'; revokedAt: Date }
  | UnknownEndpoint
  | UnknownKey

const PREFIX = 'ph_'
const KEY_BYTES = 32
const ID_BYTES = 5
const HINT_LENGTH = 4
/** Every call is compared with all of them, and a rotation needs two. */
export const MAX_LIVE_KEYS = 10

/** Makes a live key beside those the endpoint has. Call it in a transaction. */
export async function makeKey(
  tx: Sql,
  { endpointId, masterKey }: { endpointId: string; masterKey: Buffer },
): Promise<MakeKeyOutcome> {
  const place = await findEndpoint(tx, endpointId)
  if (place.kind === 'unknownEndpoint') return place
  if (!place.isDeclared) return unknownEndpoint(tx)
  if (place.keys.filter(isLive).length >= MAX_LIVE_KEYS) {
    return { kind: 'tooManyKeys', limit: MAX_LIVE_KEYS }
  }
  return { kind: 'made', key: await addKey(tx, place, masterKey) }
}

/** Every key the endpoint ever had, oldest first. */
export async function listKeys(
  tx: Sql,
  { endpointId }: { endpointId: string },
): Promise<ListKeysOutcome> {
  const place = await findEndpoint(tx, endpointId)
  return place.kind === 'unknownEndpoint' ? place : { kind: 'listed', keys: place.keys }
}

/**
 * Makes the successor of a key, or of all live ones. The old stays live until it is revoked, so that
 * callers can change over without a gap. Call it in a transaction.
 */
export async function rotateKey(
  tx: Sql,
  options: { endpointId: string; masterKey: Buffer; keyId?: string | undefined },
): Promise<RotateKeyOutcome> {
  const place = await findEndpoint(tx, options.endpointId)
  if (place.kind === 'unknownEndpoint') return place
  if (!place.isDeclared) return unknownEndpoint(tx)
  const live = place.keys.filter(isLive)
  const { keyId } = options
  const old = keyId === undefined ? live : live.filter(({ id }) => id === keyId)
  if (old.length === 0) {
    if (keyId === undefined) return { kind: 'nothingToRotate' }
    return { kind: 'unknownKey', known: live.map(({ id }) => id) }
  }
  if (live.length >= MAX_LIVE_KEYS) return { kind: 'tooManyKeys', limit: MAX_LIVE_KEYS }
  return { kind: 'rotated', key: await addKey(tx, place, options.masterKey), old }
}

/** Running processes stop accepting the key within moments. Call it in a transaction. */
export async function revokeKey(
  tx: Sql,
  { endpointId, keyId }: { endpointId: string; keyId: string },
): Promise<RevokeKeyOutcome> {
  const place = await findEndpoint(tx, endpointId)
  if (place.kind === 'unknownEndpoint') return place
  const key = place.keys.find(({ id }) => id === keyId)
  if (key === undefined) {
    return { kind: 'unknownKey', known: place.keys.filter(isLive).map(({ id }) => id) }
  }
  if (key.revokedAt !== null) return { kind: 'alreadyRevoked', revokedAt: key.revokedAt }
  await markRevoked(tx, { projectId: place.projectId, id: keyId })
  await raiseVersion(tx, place.projectId)
  return { kind: 'revoked' }
}

/** The project's live keys in readable form, for the processes that check or make signatures. */
export async function openLiveKeys(
  sql: Sql,
  { projectId, masterKey }: { projectId: number; masterKey: Buffer },
): Promise<{ id: string; endpoint: string; value: string }[]> {
  const keys = await selectLiveKeys(sql, projectId)
  return keys.map(({ id, endpoint, sealed }) => ({
    id,
    endpoint,
    value: open(masterKey, sealed, contextOf(projectId, id)),
  }))
}

interface EndpointPlace {
  kind: 'found'
  projectId: number
  endpoint: string
  /** False: a later revision dropped the endpoint, and its keys are left. */
  isDeclared: boolean
  keys: ListedKey[]
}

/** Also holds the project's row, so that changes to its keys follow one another. */
async function findEndpoint(tx: Sql, endpointId: string): Promise<EndpointPlace | UnknownEndpoint> {
  const dot = endpointId.indexOf('.')
  const endpoint = endpointId.slice(dot + 1)
  const locked = await lockProject(tx, endpointId.slice(0, Math.max(0, dot)))
  const project = locked === undefined ? undefined : await selectProject(tx, locked.id)
  if (project === undefined) return unknownEndpoint(tx)
  const isDeclared = project.definition.endpoints.some(({ name }) => name === endpoint)
  const keys = await selectKeys(tx, { projectId: project.id, endpoint })
  if (!isDeclared && keys.length === 0) return unknownEndpoint(tx)
  return { kind: 'found', projectId: project.id, endpoint, isDeclared, keys }
}

async function unknownEndpoint(tx: Sql): Promise<UnknownEndpoint> {
  return { kind: 'unknownEndpoint', known: await selectEndpointIds(tx) }
}

async function addKey(tx: Sql, place: EndpointPlace, masterKey: Buffer): Promise<MadeKey> {
  const { projectId, endpoint } = place
  const id = randomBytes(ID_BYTES).toString('hex')
  const value = PREFIX + randomBytes(KEY_BYTES).toString('base64url')
  const sealed = seal(masterKey, value, contextOf(projectId, id))
  await insertKey(tx, { projectId, id, endpoint, sealed, hint: value.slice(-HINT_LENGTH) })
  await raiseVersion(tx, projectId)
  return { id, value }
}

function isLive(key: ListedKey): boolean {
  return key.revokedAt === null
}

function contextOf(projectId: number, keyId: string): string {
  return `secret-key/${projectId}/${keyId}`
}
