import { branch, type DocumentNode, leaf, readXml, writeXml } from '#formats/document'
import type { Shop } from './shop.ts'

export interface OperationCall {
  mode: 'sync' | 'async'
  operation: string
  body: string
  transactionId?: string
  deviceUuid?: string
  headers?: Record<string, string>
  /** None of these unless told, and the key of the shop. */
  secretKey?: string | null
}

/** An answer of the operations interface, its XML read. */
export interface CallAnswer {
  httpStatus: number
  status: string
  customerId: string
  text: string
  root: DocumentNode
  headers: Headers
}

/** Longer than any request of ours may wait. */
const CALL_TIMEOUT_MS = 60_000

/** Sends one operation. Throws when the connection is lost before the answer. */
export async function call(
  baseUrl: string,
  shop: Pick<Shop, 'endpointId' | 'secretKey'>,
  sent: OperationCall,
): Promise<CallAnswer> {
  const key = sent.secretKey === undefined ? shop.secretKey : sent.secretKey
  const response = await fetch(operationUrl(baseUrl, shop.endpointId, sent), {
    method: 'POST',
    headers: {
      'content-type': sent.body.startsWith('{') ? 'application/json' : 'application/xml',
      accept: 'application/xml',
      ...(key === null ? {} : { authorization: `SecretKey ${key}` }),
      ...sent.headers,
    },
    body: sent.body,
    signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
  })
  return await readAnswer(response)
}

export function operationUrl(baseUrl: string, endpointId: string, sent: OperationCall): string {
  const query = new URLSearchParams({ endpointId, operation: sent.operation })
  if (sent.transactionId !== undefined) query.set('transactionId', sent.transactionId)
  if (sent.deviceUuid !== undefined) query.set('deviceUUID', sent.deviceUuid)
  return `${baseUrl}/v3/operations/${sent.mode}?${query}`
}

export async function readTransaction(
  baseUrl: string,
  shop: Pick<Shop, 'endpointId' | 'secretKey'>,
  transactionId: string,
): Promise<CallAnswer> {
  const query = new URLSearchParams({ endpointId: shop.endpointId })
  const response = await fetch(
    `${baseUrl}/v3/transactions/${encodeURIComponent(transactionId)}?${query}`,
    {
      headers: { authorization: `SecretKey ${shop.secretKey}`, accept: 'application/xml' },
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
    },
  )
  return await readAnswer(response)
}

export async function readAnswer(response: Response): Promise<CallAnswer> {
  const text = await response.text()
  const read = readXml(Buffer.from(text))
  if (read.kind !== 'read') throw new Error(`${response.status}, and not XML: ${text}`)
  const { root } = read
  return {
    httpStatus: response.status,
    status: textAt(root, 'status'),
    customerId: textAt(root, 'customer', 'ids', 'customerId'),
    text,
    root,
    headers: response.headers,
  }
}

/** The text at the end of a path of names, '' where there is no such element. */
export function textAt(root: DocumentNode, ...path: string[]): string {
  let node: DocumentNode | undefined = root
  for (const name of path) node = node?.children.find((child) => child.name === name)
  return node?.text ?? ''
}

type Values = Record<string, string | string[]>

export interface CustomerElements {
  ids?: Record<string, string>
  email?: string
  mobilePhone?: string
  lastName?: string
  firstName?: string
  birthDate?: string
  password?: string
  authenticationTicket?: string
  customFields?: Values
  subscriptions?: Record<string, string>[]
}

export function editXml(customer: CustomerElements): string {
  return writeXml(branch('operation', [customerNode(customer)]))
}

export function triggerXml(
  customer: CustomerElements,
  channel: 'email' | 'sms' | 'viber',
  parameters: Values,
): string {
  const mailing = branch(`${channel}Mailing`, [valuesNode('customParameters', parameters)])
  return writeXml(branch('operation', [customerNode(customer), mailing]))
}

function customerNode(customer: CustomerElements): DocumentNode {
  const { ids, customFields, subscriptions, ...plain } = customer
  const children = Object.entries(plain).map(([name, value]) => leaf(name, value))
  if (ids !== undefined) children.unshift(valuesNode('ids', ids))
  if (customFields !== undefined) children.push(valuesNode('customFields', customFields))
  if (subscriptions !== undefined) {
    const items = subscriptions.map((values) => valuesNode('subscription', values))
    children.push(branch('subscriptions', items))
  }
  return branch('customer', children)
}

function valuesNode(name: string, values: Values): DocumentNode {
  const children = Object.entries(values).map(([child, value]) =>
    typeof value === 'string'
      ? leaf(child, value)
      : branch(
          child,
          value.map((item) => leaf('value', item)),
        ),
  )
  return branch(name, children)
}
