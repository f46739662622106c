/**
 * One value tree for both notations. In XML a node is an element; in JSON it is a member of an object
 * or an item of an array.
 */
export interface DocumentNode {
  /** Element or member name; items of a JSON array have the name ''. */
  name: string
  /** Character data directly inside, '' if none. Always text: numbers and booleans keep their spelling. */
  text: string
  children: DocumentNode[]
  /** `clear="true"` in XML, `null` in JSON. */
  isCleared: boolean
  /** A JSON array; on the way out, a container whose children are written as an array. */
  isList: boolean
}

/** Why bytes are not a document. `line` and `column` count from 1. */
export interface Unreadable {
  message: string
  line: number
  column: number
}

export type ReadOutcome =
  | { kind: 'read'; root: DocumentNode }
  | { kind: 'unreadable'; problem: Unreadable }
