import { type FieldValue, MAX_LIST_ITEMS, parseFieldValue } from '#customers'
import type { DocumentNode } from '#formats/document'
import type { CustomField, Project } from '#projects'
import { type EnvelopeReader, NOT_ALLOWED } from './envelope-reader.ts'

export type SentFields = Record<string, FieldValue | null>

export function readCustomFields(
  reader: EnvelopeReader,
  node: DocumentNode,
  context: { project: Project; allows: (field: string, container: string) => boolean },
): SentFields {
  const sent: SentFields = {}
  const { customFields } = context.project
  for (const [name, child] of reader.members(node, '/customer/customFields', customFields)) {
    const location = `/customer/customFields/${name}`
    const field = customFields.get(name)
    if (field === undefined) continue
    if (!context.allows(`customFields.${name}`, 'customFields')) {
      reader.refuse(location, NOT_ALLOWED)
      continue
    }
    const value = field.isList
      ? readList(reader, child, { field, location })
      : readScalar(reader, child, { field, location })
    if (value !== undefined) sent[name] = value
  }
  return sent
}

function readScalar(
  reader: EnvelopeReader,
  node: DocumentNode,
  { field, location }: { field: CustomField; location: string },
): string | null | undefined {
  const text = reader.value(node, location)
  return typeof text === 'string' ? parse(reader, text, { field, location }) : text
}

function readList(
  reader: EnvelopeReader,
  node: DocumentNode,
  { field, location }: { field: CustomField; location: string },
): string[] | null | undefined {
  if (node.isCleared && node.children.length === 0) return null
  if (node.isCleared) {
    reader.refuse(location, 'has values and is to be cleared; send one of the two')
    return undefined
  }
  const items = reader.items(node, location, 'value')
  if (items.length > MAX_LIST_ITEMS) {
    reader.refuse(location, `has more than ${MAX_LIST_ITEMS} values`)
    return undefined
  }
  // An empty container leaves the field alone, like any empty element.
  if (items.length === 0) return undefined
  const values: string[] = []
  items.forEach((item, index) => {
    const at = `${location}/${index + 1}`
    const text = reader.plainValue(item, at)
    const value = text === undefined ? undefined : parse(reader, text, { field, location: at })
    if (value !== undefined) values.push(value)
  })
  return values
}

function parse(
  reader: EnvelopeReader,
  text: string,
  { field, location }: { field: CustomField; location: string },
): string | undefined {
  const parsed = parseFieldValue(text, field)
  if (parsed.kind === 'value') return parsed.value
  reader.refuse(location, `must be ${parsed.expected}`)
  return undefined
}
