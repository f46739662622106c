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

/**
 * A value that was read but cannot be taken: U+0000 or a lone surrogate, or a number that a double does
 * not hold. `path` names it from below the root, such as `/customer/email`; an item of a JSON array
 * counts from 1, such as `/customer/subscriptions/2/topic`.
 */
export interface Flaw {
  kind: 'forbiddenCharacter' | 'unsafeNumber'
  path: string
}

/**
 * A flawed document comes with its tree, because the checks before those of the fields still apply to
 * it. `kind` and `path` are of the first flaw, `flaws` are all of them up to a limit.
 */
export type ReadOutcome =
  | { kind: 'read'; root: DocumentNode }
  | { kind: 'unreadable'; problem: Unreadable }
  | { kind: Flaw['kind']; path: string; flaws: Flaw[]; root: DocumentNode }
