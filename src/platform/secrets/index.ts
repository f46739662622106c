export { loadMasterKey, type MasterKeySource } from './master-key.ts'
export { open, seal } from './seal.ts'
