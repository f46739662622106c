export type { DocumentNode, ReadOutcome, Unreadable } from './node.ts'
