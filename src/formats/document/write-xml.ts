import type { DocumentNode } from './node.ts'

/**
 * Writes a tree as an XML document. Element names are taken as they are: they are the service's own or
 * declared by a project, which checks that they are names.
 */
export function writeXml(root: DocumentNode): string {
  return `<?xml version="1.0" encoding="utf-8"?>\n${element(root)}`
}

function element(node: DocumentNode): string {
  // An item of a JSON array has no name; in lists of fields, items are `value`.
  const name = node.name === '' ? 'value' : node.name
  const opening = node.isCleared ? `<${name} clear="true"` : `<${name}`
  const inside = content(node)
  return inside === '' ? `${opening}/>` : `${opening}>${inside}</${name}>`
}

function content(node: DocumentNode): string {
  if (node.children.length === 0) return escapeText(node.text)
  let inside = ''
  for (const child of node.children) inside += element(child)
  return inside
}

// Production 2 (Char) of XML 1.0 without what must be escaped: U+000D would be read as U+000A.
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must be found.
const UNUSUAL = /[&<>\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g

function escapeText(text: string): string {
  return text.toWellFormed().replace(UNUSUAL, escapeCharacter)
}

function escapeCharacter(character: string): string {
  switch (character) {
    case '&':
      return '&amp;'
    case '<':
      return '&lt;'
    case '>':
      return '&gt;'
    case '\r':
      return '&#13;'
    default:
      return '\ufffd'
  }
}
