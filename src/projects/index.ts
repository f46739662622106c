export * from './definition.ts'
export type { Place, Problem } from './problems.ts'
export { type Endpoint, findKey, type Operation, type Project, type SecretKey } from './project.ts'
export { type ProjectReading, readProjectFolder } from './read-folder.ts'
export { ProjectRegistry, type RegistryOptions } from './registry.ts'
export type { ListedKey } from './secret-key-store.ts'
export {
  type ListKeysOutcome,
  listKeys,
  MAX_LIVE_KEYS,
  type MadeKey,
  type MakeKeyOutcome,
  makeKey,
  type RevokeKeyOutcome,
  type RotateKeyOutcome,
  revokeKey,
  rotateKey,
  type UnknownEndpoint,
} from './secret-keys.ts'
export { type StoredRevision, storeRevision } from './store-revision.ts'
export { nearest, suggestionFor } from './suggest.ts'
