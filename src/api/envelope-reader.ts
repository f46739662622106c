import type { Problem } from '#customers'
import type { DocumentNode } from '#formats/document'
import { nearest } from '#projects'

/** Enough to mend a request by; more would only make the answer long. */
const MAX_PROBLEMS = 100
/** Names come from the sender and may be of any length; what we say back must not be. */
const MAX_SHOWN_NAME = 100

/** Of an element that exists and that the operation does not take. */
export const NOT_ALLOWED = 'cannot be sent with this operation'

/** Collects every problem of a document, each with its place. */
export class EnvelopeReader {
  readonly problems: Problem[] = []

  refuse(location: string, message: string): void {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push({ location, message })
  }

  /**
   * The children of a container by name, each at most once. `isKnown` says which names there are, and
   * `known` lists them for a suggestion.
   */
  members(
    node: DocumentNode,
    location: string,
    names: { has(name: string): boolean; keys(): Iterable<string> },
  ): Map<string, DocumentNode> {
    const members = new Map<string, DocumentNode>()
    if (node.isCleared) this.refuse(location, 'cannot be cleared as a whole')
    if (node.isList || (node.children.length === 0 && node.text.trim() !== '')) {
      this.refuse(location, 'must contain elements, not a value')
      return members
    }
    for (const child of node.children) {
      // Suggestions cost more than anything else here, and nobody would read them.
      if (this.problems.length >= MAX_PROBLEMS) break
      const at = `${location === '/' ? '' : location}/${shown(child.name)}`
      if (!names.has(child.name)) this.refuse(at, unknownElement(child.name, names.keys()))
      else if (members.has(child.name)) this.refuse(at, 'appears more than once')
      else members.set(child.name, child)
    }
    return members
  }

  /** The text of a leaf; undefined when it is empty or was refused; null when it clears. */
  value(node: DocumentNode, location: string): string | null | undefined {
    if (node.children.length > 0 || node.isList) {
      this.refuse(location, 'must be a single value')
      return undefined
    }
    const isEmpty = node.text.trim() === ''
    if (!node.isCleared) return isEmpty ? undefined : node.text
    if (isEmpty) return null
    this.refuse(location, 'has a value and is to be cleared; send one of the two')
    return undefined
  }

  /** Like `value`, where there is nothing to clear. */
  plainValue(node: DocumentNode, location: string): string | undefined {
    const value = this.value(node, location)
    if (value !== null) return value
    this.refuse(location, 'cannot be cleared')
    return undefined
  }

  /** The items of a container of repeated elements: an array in JSON, named children in XML. */
  items(node: DocumentNode, location: string, itemName: string): DocumentNode[] {
    if (node.isList) return node.children
    if (node.children.length === 0 && node.text.trim() !== '') {
      this.refuse(location, `must contain ${itemName} elements`)
      return []
    }
    return node.children.filter((child) => {
      if (child.name === itemName) return true
      this.refuse(`${location}/${shown(child.name)}`, `unknown element; expected ${itemName}`)
      return false
    })
  }
}

function unknownElement(name: string, known: Iterable<string>): string {
  const near = nearest(name.slice(0, MAX_SHOWN_NAME), known)
  return near === undefined ? 'unknown element' : `unknown element; did you mean ${near}?`
}

function shown(name: string): string {
  return name.length > MAX_SHOWN_NAME ? `${name.slice(0, MAX_SHOWN_NAME)}...` : name
}
