import assert from 'node:assert/strict'
import { type DocumentNode, readJson, readXml } from '#formats/document'

/** What is sent or answered, whatever the notation: null clears, an array holds repeated elements. */
export type Tree = { [name: string]: Tree | (Tree | string | null)[] | string | null }

export interface Answer {
  httpStatus: number
  headers: Headers
  /** As it came. */
  text: string
  body: Tree
}

export interface CallOptions {
  /** `sync` unless told. */
  mode?: string
  /** By its name; `website` unless told. */
  endpoint?: string
  /** The endpoint's own unless told; null: none. */
  key?: string | null
  /** `xml` unless told. */
  notation?: 'xml' | 'json'
  query?: Record<string, string>
  headers?: Record<string, string>
}

export interface Conversation {
  /** Sends an operation; a text goes out as it is, a tree in the notation of the options. */
  call(
    operation: string,
    document: Tree | string | Uint8Array,
    options?: CallOptions,
  ): Promise<Answer>
  /** Asks what became of a transaction. */
  transaction(id: string, options?: CallOptions): Promise<Answer>
}

/** Longer than any request of ours may wait. */
const TIMEOUT_MS = 60_000

export function conversation(to: {
  baseUrl: string
  project: string
  keys: Record<string, string>
}): Conversation {
  const headersOf = ({ endpoint = 'website', key, headers }: CallOptions) => {
    const sent = key === undefined ? to.keys[endpoint] : key
    return { ...(sent == null ? {} : { authorization: `SecretKey ${sent}` }), ...headers }
  }
  return {
    async call(operation, document, options = {}) {
      const { mode = 'sync', endpoint = 'website', notation = 'xml' } = options
      const query = { endpointId: `${to.project}.${endpoint}`, operation, ...options.query }
      const address = `${to.baseUrl}/v3/operations/${mode}?${new URLSearchParams(query)}`
      const body =
        document instanceof Uint8Array ? new Uint8Array(document) : written(document, notation)
      const headers = { 'content-type': `application/${notation}`, ...headersOf(options) }
      const signal = AbortSignal.timeout(TIMEOUT_MS)
      return await answerOf(await fetch(address, { method: 'POST', headers, body, signal }))
    },
    async transaction(id, options = {}) {
      const { endpoint = 'website' } = options
      const query = new URLSearchParams({
        endpointId: `${to.project}.${endpoint}`,
        ...options.query,
      })
      const address = `${to.baseUrl}/v3/transactions/${encodeURIComponent(id)}?${query}`
      const signal = AbortSignal.timeout(TIMEOUT_MS)
      return await answerOf(await fetch(address, { headers: headersOf(options), signal }))
    },
  }
}

/** The locations of a `ValidationError`, in order of the alphabet. Fails on any other answer. */
export function locationsIn(answer: Answer): string[] {
  assert.equal(answer.body.status, 'ValidationError', answer.text)
  assert.equal(answer.httpStatus, 200)
  const { validationMessages } = answer.body
  assert(Array.isArray(validationMessages), answer.text)
  return validationMessages
    .map((problem) => {
      assert(typeof problem === 'object' && problem !== null)
      assert(typeof problem.message === 'string' && problem.message !== '')
      return String(problem.location)
    })
    .sort()
}

export function assertProtocolError(answer: Answer, httpStatus: number, message?: RegExp): void {
  assert.equal(answer.httpStatus, httpStatus, answer.text)
  assert.equal(answer.body.status, 'ProtocolError')
  assert.equal(answer.body.httpStatusCode, String(httpStatus))
  assert.match(String(answer.body.errorId), UUID)
  assert.match(String(answer.body.errorMessage), message ?? /\w/)
}

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** The customerId of a sync answer; fails unless the customer was processed so. */
export function processed(answer: Answer, processingStatus: string): string {
  const { customer } = answer.body
  assert(typeof customer === 'object' && customer !== null && !Array.isArray(customer), answer.text)
  assert.equal(customer.processingStatus, processingStatus, answer.text)
  const { ids } = customer
  assert(typeof ids === 'object' && ids !== null && !Array.isArray(ids), answer.text)
  assert.match(String(ids.customerId), /^\d+$/)
  return String(ids.customerId)
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text()
  const type = response.headers.get('content-type')
  const isJson = type === 'application/json; charset=utf-8'
  assert(isJson || type === 'application/xml; charset=utf-8', `${type}: ${text}`)
  const read = isJson ? readJson(Buffer.from(text)) : readXml(Buffer.from(text))
  assert.equal(read.kind, 'read', text)
  const root = (read as { root: DocumentNode }).root
  if (!isJson) assert.equal(root.name, 'result')
  return { httpStatus: response.status, headers: response.headers, text, body: treeOf(root) }
}

/** Containers of repeated elements in answers. In XML nothing else tells them from other containers. */
const LISTS = new Set(['validationMessages', 'messages', 'history'])

function treeOf(node: DocumentNode): Tree {
  return Object.fromEntries(node.children.map((child) => [child.name, contentOf(child)]))
}

function contentOf(node: DocumentNode): Tree | Tree[] | string {
  if (LISTS.has(node.name)) return node.children.map(treeOf)
  return node.children.length > 0 ? treeOf(node) : node.text
}

function written(document: Tree | string, notation: 'xml' | 'json'): string {
  if (typeof document === 'string') return document
  return notation === 'json' ? JSON.stringify(document) : xmlOf('operation', document)
}

function xmlOf(name: string, value: Tree[string]): string {
  if (value === null) return `<${name} clear="true"/>`
  if (typeof value === 'string') return `<${name}>${escaped(value)}</${name}>`
  const inside = Array.isArray(value)
    ? value.map((item) => xmlOf(name === 'subscriptions' ? 'subscription' : 'value', item))
    : Object.entries(value).map(([child, inner]) => xmlOf(child, inner))
  return `<${name}>${inside.join('')}</${name}>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
