import type { DocumentNode } from './node.ts'

/** A value. It is always text: results have no numbers, `httpStatusCode` included. */
export function leaf(name: string, text: string): DocumentNode {
  return { name, text, children: [], isCleared: false, isList: false }
}

/** A container of children that all have different names. */
export function branch(name: string, children: DocumentNode[]): DocumentNode {
  return { name, text: '', children, isCleared: false, isList: false }
}

/** A container of any number of like children: an array in JSON, where their names are not written. */
export function list(name: string, children: DocumentNode[]): DocumentNode {
  return { name, text: '', children, isCleared: false, isList: true }
}
