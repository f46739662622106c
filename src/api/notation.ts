import { type DocumentNode, writeJson, writeXml } from '#formats/document'

export type Notation = 'xml' | 'json'

const NOTATIONS = new Map<string, Notation>([
  ['application/xml', 'xml'],
  ['text/xml', 'xml'],
  ['application/json', 'json'],
])

/** The notation of a request body, or undefined if it is one we do not read. UTF-8 only. */
export function notationOf(contentType: string | undefined): Notation | undefined {
  if (contentType === undefined) return undefined
  const [type = '', ...parameters] = contentType.toLowerCase().split(';')
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=')
    if (name.trim() !== 'charset') continue
    if (!/^"?utf-?8"?$/.test(value.trim())) return undefined
  }
  return NOTATIONS.get(type.trim())
}

/** What the caller wants to read: as `Accept` says, else as the body came, else XML. */
export function answerNotation(accept: string | undefined, body: Notation | undefined): Notation {
  const fallback = body ?? 'xml'
  if (accept === undefined || accept === '*/*') return fallback
  let best: { notation: Notation; weight: number } | undefined
  for (const range of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';')
    const notation = NOTATIONS.get(type.trim())
    const weight = weightOf(parameters)
    if (notation === undefined || weight === 0) continue
    if (best === undefined || weight > best.weight) best = { notation, weight }
  }
  return best?.notation ?? fallback
}

function weightOf(parameters: string[]): number {
  const q = parameters.map((parameter) => /^\s*q=([\d.]+)\s*$/.exec(parameter)?.[1]).find(Boolean)
  return q === undefined ? 1 : Number(q)
}

export function write(document: DocumentNode, notation: Notation): string {
  return notation === 'json' ? writeJson(document) : writeXml(document)
}

export const CONTENT_TYPES: Record<Notation, string> = {
  xml: 'application/xml; charset=utf-8',
  json: 'application/json; charset=utf-8',
}
