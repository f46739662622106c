import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  type YAMLMap,
} from 'yaml'
import { type Place, type Problem, report, startOf } from './problems.ts'

/** A YAML value that remembers where it was written. */
export type Value =
  | { kind: 'map'; at: Place; entries: Entry[] }
  | { kind: 'list'; at: Place; items: Value[] }
  | { kind: 'scalar'; at: Place; value: string | number | boolean | null; source: string }

export interface Entry {
  name: string
  /** Where the name was written. */
  at: Place
  value: Value
}

/** Deeper than anything a definition holds. */
const MAX_DEPTH = 12

interface Source {
  file: string
  lines: LineCounter
  problems: Problem[]
}

/**
 * Reads one YAML file. After a syntax error there is no value: what a broken file seems to say would
 * only give false problems.
 */
export function parseYaml(file: string, text: string, problems: Problem[]): Value | undefined {
  const source = { file, lines: new LineCounter(), problems }
  const document = parsed(source, text)
  if (document === undefined) return undefined
  for (const fault of [...document.errors, ...document.warnings]) {
    const at = placeOf(source, fault.pos[0])
    report(problems, at, fault.message, suggestionFor(lineOf(text, at)))
  }
  if (document.errors.length > 0) return undefined
  if (document.contents === null) {
    report(problems, startOf(file), 'the file is empty')
    return undefined
  }
  return located(source, document.contents, startOf(file), 0)
}

/** The one mistake everybody makes once: to YAML, `subject: {{ name }}` begins a block. */
function suggestionFor(line: string): string | undefined {
  if (!/(:|-)\s+\{[{%]/.test(line)) return undefined
  return 'Put a text that begins with a brace in quotes: "{{ name }}".'
}

function lineOf(text: string, at: Place): string {
  return text.split('\n')[at.line - 1] ?? ''
}

function parsed(source: Source, text: string) {
  try {
    return parseDocument(text, {
      lineCounter: source.lines,
      prettyErrors: false,
      stringKeys: true,
      // Found below, where the message can name the key and its first place.
      uniqueKeys: false,
    })
  } catch (error) {
    // The parser recurses, so that a file of nothing but brackets exhausts its stack.
    if (!(error instanceof RangeError)) throw error
    report(source.problems, startOf(source.file), 'the file is nested too deeply')
    return undefined
  }
}

function located(source: Source, node: Node | null, fallback: Place, depth: number): Value {
  const at = node?.range ? placeOf(source, node.range[0]) : fallback
  const nothing: Value = { kind: 'scalar', at, value: null, source: '' }
  if (depth > MAX_DEPTH) {
    report(source.problems, at, 'this is nested too deeply')
    return nothing
  }
  if (isAlias(node)) {
    report(source.problems, at, 'aliases are not read here', 'Write the value out.')
    return nothing
  }
  if (isMap(node)) return { kind: 'map', at, entries: entriesOf(source, node, at, depth) }
  if (isSeq(node)) {
    const items = node.items.map((item) => located(source, item as Node | null, at, depth + 1))
    return { kind: 'list', at, items }
  }
  return isScalar(node) ? scalarOf(source, node.value, node.source, at) : nothing
}

function entriesOf(source: Source, map: YAMLMap, mapAt: Place, depth: number): Entry[] {
  const entries = new Map<string, Entry>()
  for (const pair of map.items as Pair<Node, Node | null>[]) {
    const at = pair.key.range ? placeOf(source, pair.key.range[0]) : mapAt
    const name = isScalar(pair.key) ? String(pair.key.value) : ''
    const value = located(source, pair.value, at, depth + 1)
    const first = entries.get(name)
    if (first === undefined) entries.set(name, { name, at, value })
    else report(source.problems, at, `\`${name}\` is here twice, first in line ${first.at.line}`)
  }
  return [...entries.values()]
}

function scalarOf(source: Source, value: unknown, written: string | undefined, at: Place): Value {
  if (typeof value === 'string') {
    // Neither can be kept by the database nor written in XML.
    const isStorable = value.isWellFormed() && !value.includes('\0')
    if (!isStorable) report(source.problems, at, 'this text holds a character that is not allowed')
    return { kind: 'scalar', at, value, source: value }
  }
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) {
    return { kind: 'scalar', at, value, source: written ?? String(value) }
  }
  report(source.problems, at, 'this kind of value is not read here')
  return { kind: 'scalar', at, value: null, source: '' }
}

function placeOf(source: Source, offset: number): Place {
  const position = source.lines.linePos(offset)
  return { file: source.file, line: Math.max(1, position.line), column: Math.max(1, position.col) }
}
