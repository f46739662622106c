/**
 * A `system` name stands in addresses and in the export (projects, endpoints, topics, mailings); an
 * `element` name is an XML element on the wire (identifier kinds, fields, parameters, operations).
 */
export type NameKind = 'system' | 'element'

const PATTERNS: Record<NameKind, RegExp> = {
  system: /^[a-z][a-z0-9-]{0,62}$/,
  element: /^[A-Za-z_][A-Za-z0-9_.-]{0,62}$/,
}

const RULES: Record<NameKind, string> = {
  system: 'a small letter, then small letters, digits and hyphens, at most 63 together',
  element: 'a letter or underscore, then letters, digits, `_`, `.` and `-`, at most 63 together',
}

/**
 * `customerId` is the service's own identifier kind. `__proto__` is a fine XML name that no
 * JavaScript client could send in a JSON body.
 */
const RESERVED_ELEMENTS: readonly string[] = ['customerId', '__proto__']

/** What is wrong with a name, and what it could be instead; undefined when it is good. */
export function faultOfName(
  kind: NameKind,
  name: string,
): { message: string; suggestion?: string | undefined } | undefined {
  if (kind === 'element' && RESERVED_ELEMENTS.includes(name)) {
    return { message: `the name \`${name}\` is reserved`, suggestion: 'Choose another name.' }
  }
  if (PATTERNS[kind].test(name)) return undefined
  return {
    message: `\`${name}\` is not a good name: it must be ${RULES[kind]}`,
    suggestion: repaired(kind, name),
  }
}

function repaired(kind: NameKind, name: string): string | undefined {
  const better =
    kind === 'system'
      ? name
          .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
          .toLowerCase()
          .replace(/[^a-z0-9]+/g, '-')
          .replace(/^[-0-9]+|-+$/g, '')
      : name.replace(/[^A-Za-z0-9_.-]+/g, '_').replace(/^[^A-Za-z_]+/, '')
  return PATTERNS[kind].test(better) ? `Perhaps \`${better}\`?` : undefined
}
