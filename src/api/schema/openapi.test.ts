import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
// It comes with fastify, which checks its own routes with it.
import { Ajv2020 } from 'ajv/dist/2020.js'
import { readXml } from '#formats/document'
import { openApi } from './openapi.ts'

/** Its leaves are strings and numbers in truth, which are only printed and compared. */
interface Json {
  [name: string]: Json
}

const api = JSON.parse(JSON.stringify(openApi('https://messages.example.com'))) as Json

const METHODS = ['get', 'post']
const calls = Object.entries(api.paths ?? {}).flatMap(([path, item]) =>
  Object.entries(item).map(([method, call]) => ({ path, method, call })),
)

function resolve(node: Json): Json {
  if (node.$ref === undefined) return node
  const target = String(node.$ref)
  assert.match(target, /^#\//)
  let found: Json | undefined = api
  for (const step of target.slice(2).split('/')) found = found?.[step]
  assert.ok(found, `nothing at ${target}`)
  return found
}

/** Every object inside, itself first. */
function* objectsIn(value: unknown): Generator<Json> {
  if (typeof value !== 'object' || value === null) return
  yield value as Json
  for (const inner of Object.values(value)) yield* objectsIn(inner)
}

function contentsOf(call: Json): [type: string, media: Json][] {
  const bodies = [call.requestBody ?? {}, ...Object.values(call.responses ?? {})]
  return bodies.flatMap((body) => Object.entries(resolve(body).content ?? {}))
}

describe('the document', () => {
  test('has what OpenAPI 3.1 requires', () => {
    assert.equal(String(api.openapi), '3.1.0')
    assert.ok(api.info?.title && api.info.version)
    assert.deepEqual(api.servers, [{ url: 'https://messages.example.com' }])
    for (const { path, method, call } of calls) {
      assert.match(path, /^\//)
      assert.ok(METHODS.includes(method))
      assert.ok(Object.keys(call.responses ?? {}).length > 0)
      for (const response of Object.values(call.responses ?? {})) assert.ok(response.description)
    }
  })

  test('has no reference to nowhere and no operation twice', () => {
    for (const node of objectsIn(api)) resolve(node)
    const ids = calls.map(({ call }) => String(call.operationId))
    assert.equal(new Set(ids).size, ids.length)
  })

  test('describes every parameter of a path, and each parameter once', () => {
    for (const { path, call } of calls) {
      const parameters = Object.values(call.parameters ?? {}).map(resolve)
      const inPath = parameters.filter((parameter) => String(parameter.in) === 'path')
      const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
      assert.deepEqual(
        inPath.map((parameter) => String(parameter.name)),
        names,
      )
      for (const parameter of inPath) assert.equal(String(parameter.required), 'true')
      const keys = parameters.map(({ name, in: place }) => `${place} ${name}`)
      assert.equal(new Set(keys).size, keys.length)
      for (const parameter of parameters) assert.ok(parameter.schema)
    }
  })

  test('names only security schemes and headers that it has', () => {
    for (const { call } of calls) {
      for (const requirement of Object.values(call.security ?? {})) {
        for (const name of Object.keys(requirement)) {
          assert.ok(api.components?.securitySchemes?.[name])
        }
      }
    }
  })
})

describe('an operation', () => {
  const run = calls.find(({ path }) => path === '/v3/operations/{mode}')?.call ?? assert.fail()

  test('has every answer that the interface can give', () => {
    const statuses = ['200', '400', '401', '403', '404', '413', '415', '429', '500', '503']
    assert.deepEqual(Object.keys(run.responses ?? {}), statuses)
    for (const status of ['429', '503']) {
      assert.ok(run.responses?.[status]?.headers?.['Retry-After'])
    }
    assert.ok(run.responses?.['200']?.headers?.['RateLimit-Remaining'])
  })

  test('is in XML and JSON both ways', () => {
    for (const body of [run.requestBody, ...Object.values(run.responses ?? {})]) {
      assert.deepEqual(Object.keys(body?.content ?? {}), ['application/xml', 'application/json'])
    }
  })
})

describe('an example', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
  ajv.addSchema(api, 'api')
  const examples = calls.flatMap(({ call }) =>
    contentsOf(call).flatMap(([type, media]) =>
      Object.values(media.examples ?? {}).map((example) => ({ type, media, example })),
    ),
  )

  test('in JSON is valid by its schema', () => {
    const inJson = examples.filter(({ type }) => type === 'application/json')
    assert.ok(inJson.length > 15)
    for (const { media, example } of inJson) {
      const isValid = ajv.getSchema(`api${media.schema?.$ref}`) ?? assert.fail()
      assert.ok(isValid(example.value), JSON.stringify({ example, errors: isValid.errors }))
    }
  })

  test('in XML can be read', () => {
    for (const { type, example } of examples) {
      if (type !== 'application/xml') continue
      assert.equal(readXml(Buffer.from(String(example.value))).kind, 'read')
    }
  })

  test('of a wrong shape is invalid', () => {
    const isOperation = ajv.getSchema('api#/components/schemas/Operation') ?? assert.fail()
    assert.ok(isOperation({ customer: {} }))
    for (const wrong of [
      ...[{}, { customer: [] }, { customer: {}, pushMailing: {} }, { operation: { customer: {} } }],
      { customer: {}, emailMailing: {}, smsMailing: {} },
      { customer: { middleName: 'X' } },
      { customer: { subscriptions: [{ topic: 'news' }] } },
      { customer: { subscriptions: { isSubscribed: true } } },
      { customer: { birthDate: '12.04.1990' } },
    ]) {
      assert.equal(isOperation(wrong), false, JSON.stringify(wrong))
    }
  })
})
