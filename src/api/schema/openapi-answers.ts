import { type DocumentNode, writeJson, writeXml } from '#formats/document'

/** Trees by the name of the example. */
export type Examples = Readonly<Record<string, DocumentNode>>

/** Which headers an answer carries beside those of every HTTP answer. */
export type AnswerHeaders = 'none' | 'limited' | 'retry' | 'limitedAndRetry'

export function requestBody(examples: Examples): object {
  return { required: true, content: inBothFormats('Operation', examples) }
}

export function answer(
  description: string,
  examples: Examples,
  headers: AnswerHeaders = 'none',
): object {
  const content = inBothFormats('Result', examples)
  if (headers === 'none') return { description, content }
  return { description, headers: headerRefs(headers), content }
}

export function answerHeaders(): Record<string, object> {
  const count = { type: 'integer', minimum: 0 }
  return {
    [LIMIT]: { description: 'Requests that may be sent in a minute.', schema: count },
    [REMAINING]: { description: 'How many of them are left.', schema: count },
    [RESET]: { description: 'Seconds until all of them are there again.', schema: count },
    [RETRY_AFTER]: { description: 'Seconds to wait before the next request.', schema: count },
  }
}

const LIMIT = 'RateLimit-Limit'
const REMAINING = 'RateLimit-Remaining'
const RESET = 'RateLimit-Reset'
const RETRY_AFTER = 'Retry-After'

function headerRefs(headers: AnswerHeaders): Record<string, object> {
  const limits = headers === 'retry' ? [] : [LIMIT, REMAINING, RESET]
  const names = headers === 'limited' ? limits : [...limits, RETRY_AFTER]
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

/** One tree gives both examples, so that the two notations cannot drift apart. */
function inBothFormats(schemaName: string, examples: Examples): Record<string, object> {
  const schema = { $ref: `#/components/schemas/${schemaName}` }
  return {
    'application/xml': { schema, examples: mapExamples(examples, writeXml) },
    'application/json': {
      schema,
      examples: mapExamples(examples, (tree) => JSON.parse(writeJson(tree))),
    },
  }
}

function mapExamples(examples: Examples, write: (tree: DocumentNode) => unknown): object {
  const entries = Object.entries(examples)
  return Object.fromEntries(entries.map(([name, tree]) => [name, { value: write(tree) }]))
}
