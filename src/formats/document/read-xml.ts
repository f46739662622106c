import { SaxesParser, type SaxesTagPlain } from 'saxes'
import { decodeUtf8, positionAt } from './decode-utf8.ts'
import { type NotedFlaw, noteFlaw, outcomeOf } from './flaws.ts'
import { MAX_DEPTH, MAX_NODES } from './limits.ts'
import type { DocumentNode, ReadOutcome, Unreadable } from './node.ts'
import { messageOfFault } from './xml-faults.ts'

/**
 * Reads XML 1.0 into a tree of elements. Attributes other than `clear`, namespaces, comments and
 * processing instructions are ignored. Text keeps its white space; between elements there may be
 * nothing else.
 */
export function readXml(bytes: Buffer): ReadOutcome {
  const decoded = decodeUtf8(bytes)
  if (decoded.kind === 'unreadable') return decoded
  const parser = new TreeParser(decoded.text)
  try {
    parser.write(decoded.text).close()
  } catch (fault) {
    if (fault instanceof Refusal) return { kind: 'unreadable', problem: problemAt(parser, fault) }
    throw fault
  }
  const { root, flaws } = parser.tree
  if (root === null) throw new Error('XML without a root was taken for well-formed')
  return outcomeOf(root, flaws)
}

interface Tree {
  root: DocumentNode | null
  /** The open elements, outermost first. */
  trail: DocumentNode[]
  nodeCount: number
  attributeCount: number
  flaws: NotedFlaw[]
}

/** Ends a parse from inside a handler. saxes would go on after a fault and guess. */
class Refusal extends Error {
  /** Where it is, when that is not where the parser stands. */
  readonly offset: number | null

  constructor(message: string, offset: number | null = null) {
    super(message)
    this.offset = offset
  }
}

/**
 * Overrides `fail` instead of listening for errors: saxes makes an Error with a stack for each one,
 * which took 5 us, so that a body full of `&#0;` held the process for more than a second.
 */
class TreeParser extends SaxesParser {
  readonly source: string
  readonly tree: Tree = { root: null, trail: [], nodeCount: 0, attributeCount: 0, flaws: [] }

  constructor(source: string) {
    super({ defaultXMLVersion: '1.0', forceXMLVersion: true, position: false })
    this.source = source
    listen(this, this.tree)
  }

  override fail(message: string): this {
    judgeFault(this, message)
    return this
  }
}

function listen(parser: TreeParser, tree: Tree): void {
  parser.on('opentag', (tag) => openElement(tree, tag))
  parser.on('closetag', () => closeElement(tree))
  parser.on('text', (text) => addText(tree, text))
  parser.on('cdata', (text) => addText(tree, text))
  parser.on('attribute', () => countAttribute(tree))
  parser.on('xmldecl', ({ encoding }) => {
    if (encoding === undefined || /^utf-?8$/i.test(encoding)) return
    throw new Refusal('The XML declaration names an encoding other than UTF-8.')
  })
  parser.on('doctype', () => {
    throw new Refusal('A DOCTYPE is not allowed.', parser.source.indexOf('<!DOCTYPE'))
  })
}

function openElement(tree: Tree, tag: SaxesTagPlain): void {
  const { trail } = tree
  if (trail.length >= MAX_DEPTH) {
    throw new Refusal(`Elements are nested deeper than ${MAX_DEPTH}.`)
  }
  if (++tree.nodeCount > MAX_NODES) {
    throw new Refusal(`There are more than ${MAX_NODES} elements.`)
  }
  const node: DocumentNode = {
    name: localName(tag.name),
    text: '',
    children: [],
    isCleared: isClear(tag.attributes.clear),
    isList: false,
  }
  const parent = trail[trail.length - 1]
  if (parent === undefined) tree.root = node
  else addChild(parent, node)
  trail.push(node)
}

function addChild(parent: DocumentNode, node: DocumentNode): void {
  if (parent.text !== '') {
    if (!isBlank(parent.text)) throw new Refusal(MIXED_CONTENT)
    parent.text = ''
  }
  parent.children.push(node)
}

function closeElement(tree: Tree): void {
  tree.trail.pop()
}

function addText(tree: Tree, text: string): void {
  const node = tree.trail[tree.trail.length - 1]
  // Outside the root saxes lets only white space through.
  if (node === undefined) return
  if (node.children.length === 0) node.text += text
  else if (!isBlank(text)) throw new Refusal(MIXED_CONTENT)
}

const MIXED_CONTENT = 'An element has both text and elements inside.'

/** Prefixes are accepted whatever they are bound to, since namespaces carry no meaning here. */
function localName(name: string): string {
  const colon = name.indexOf(':')
  if (colon === -1) return name
  const local = name.slice(colon + 1)
  if (colon === 0 || local === '' || local.includes(':')) {
    throw new Refusal('An element has a malformed name.')
  }
  return local
}

function isClear(value: string | undefined): boolean {
  switch (value) {
    case undefined:
    case 'false':
    case '0':
      return false
    case 'true':
    case '1':
      return true
    default:
      throw new Refusal('The attribute "clear" is neither true nor false.')
  }
}

/** White space as in production S of XML 1.0, so a no-break space is text. */
function isBlank(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code !== 0x20 && code !== 0x0a && code !== 0x09 && code !== 0x0d) return false
  }
  return true
}

/** Attributes are kept until their tag ends: a body full of them took eight times as long as text. */
function countAttribute(tree: Tree): void {
  if (++tree.attributeCount > MAX_NODES) {
    throw new Refusal(`There are more than ${MAX_NODES} attributes.`)
  }
}

/**
 * U+0000 and references to it or to a surrogate are the sender's data gone wrong, which the fields'
 * checks report; so they are noted and the parse goes on. Anything else ends it.
 */
function judgeFault(parser: TreeParser, message: string): void {
  const { trail, flaws } = parser.tree
  if (trail.length > 0 && isForbiddenCharacter(parser.source, parser.position, message)) {
    noteFlaw(flaws, 'forbiddenCharacter', trail)
    return
  }
  throw new Refusal(messageOfFault(message))
}

function isForbiddenCharacter(source: string, position: number, message: string): boolean {
  if (message === 'disallowed character.') return source.charCodeAt(position - 1) === 0
  if (message !== 'malformed character entity.') return false
  const reference = source.slice(source.lastIndexOf('&', position - 1), position)
  const digits = /^&#(?:x([0-9a-f]+)|([0-9]+));$/i.exec(reference)
  if (digits === null) return false
  const code = digits[1] === undefined ? Number(digits[2]) : Number.parseInt(digits[1], 16)
  return code === 0 || (code >= 0xd800 && code <= 0xdfff)
}

function problemAt(parser: TreeParser, { message, offset }: Refusal): Unreadable {
  if (offset !== null) return { message, ...positionAt(parser.source, offset) }
  // saxes counts the characters it has read in the line, which is the column of the last one.
  return { message, line: parser.line, column: Math.max(parser.column, 1) }
}
