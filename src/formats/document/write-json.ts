import type { DocumentNode } from './node.ts'

/**
 * Writes a tree as a JSON object, without the name of its root. Every value is a string, because the
 * tree knows no other: `httpStatusCode` too. A container without children cannot be told from an empty
 * value and is written as one, unless it is the root or a list.
 */
export function writeJson(root: DocumentNode): string {
  return root.isList ? array(root) : object(root)
}

function value(node: DocumentNode): string {
  if (node.isCleared) return 'null'
  if (node.isList) return array(node)
  return node.children.length === 0 ? quoted(node.text) : object(node)
}

function object(node: DocumentNode): string {
  let members = ''
  for (const child of node.children) {
    if (members !== '') members += ','
    members += `${quoted(child.name)}:${value(child)}`
  }
  return `{${members}}`
}

function array(node: DocumentNode): string {
  let items = ''
  for (const child of node.children) {
    if (items !== '') items += ','
    items += value(child)
  }
  return `[${items}]`
}

/** The line separators are JSON but end a line in older JavaScript, where answers get pasted. */
function quoted(text: string): string {
  const json = JSON.stringify(text.toWellFormed())
  return /[\u2028\u2029]/.test(json) ? json.replace(/[\u2028\u2029]/g, escapeSeparator) : json
}

function escapeSeparator(character: string): string {
  return character === '\u2028' ? '\\u2028' : '\\u2029'
}
