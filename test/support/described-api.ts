import assert from 'node:assert/strict'
// It comes with fastify, which checks its own routes with it.
import { Ajv2020 } from 'ajv/dist/2020.js'
import { fullFormats } from 'ajv-formats/dist/formats.js'

/** Its leaves are strings and numbers in truth, which are only printed and compared. */
export interface Json {
  [name: string]: Json
}

export interface Described {
  document: Json
  /** `POST /v3/operations/{mode} 200` and so on: everything that it says can be answered. */
  answers: string[]
  /** The headers that an answer must have. */
  headersOf(answer: string): string[]
  /** Throws unless the body in JSON is what the document promises for the answer. */
  checkJson(answer: string, body: unknown): void
  /** The examples of what can be sent, by name, in one notation. */
  requestExamples(type: string): Record<string, unknown>
}

const METHODS = ['get', 'post']

/** Reads an OpenAPI document as a table of answers that can be compared with reality. */
export function readDescribedApi(document: Json): Described {
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats: fullFormats })
  ajv.addSchema(document, 'api')
  const responses = new Map<string, Json>()
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const method of METHODS) {
      for (const [status, response] of Object.entries(item[method]?.responses ?? {})) {
        responses.set(`${method.toUpperCase()} ${path} ${status}`, response)
      }
    }
  }
  const responseOf = (answer: string) => {
    const response = responses.get(answer)
    assert.ok(response, `not documented: ${answer}`)
    return response
  }
  return {
    document,
    answers: [...responses.keys()],
    headersOf: (answer) => Object.keys(responseOf(answer).headers ?? {}),
    checkJson(answer, body) {
      const ref = responseOf(answer).content?.['application/json']?.schema?.$ref
      const isValid = ajv.getSchema(`api${ref}`) ?? assert.fail(`no schema for ${answer}`)
      assert.ok(isValid(body), JSON.stringify({ answer, body, errors: isValid.errors }))
    },
    requestExamples(type) {
      const body = document.paths?.['/v3/operations/{mode}']?.post?.requestBody
      const examples = body?.content?.[type]?.examples ?? {}
      return Object.fromEntries(Object.entries(examples).map(([name, { value }]) => [name, value]))
    },
  }
}
