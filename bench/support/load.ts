import { parseArgs } from 'node:util'
import autocannon from 'autocannon'

/**
 * The load generator, a process of its own: so many connections, each sending its next request when
 * the last was answered. Half of the triggers name a new customer, half one seen before. Ends with a
 * line of JSON.
 */
const { values } = parseArgs({
  options: {
    port: { type: 'string' },
    mode: { type: 'string' },
    key: { type: 'string' },
    connections: { type: 'string' },
    seconds: { type: 'string' },
    /** Customers that exist before the run are numbered below this. */
    known: { type: 'string' },
    /** Keeps the transaction ids of one run apart from those of the others. */
    run: { type: 'string' },
  },
})

let customers = Number(values.known)
let sent = 0
let state = 42
const answers: Record<string, number> = {}

const result = await autocannon({
  url: `http://127.0.0.1:${values.port}`,
  connections: Number(values.connections),
  duration: Number(values.seconds),
  requests: [
    {
      method: 'POST',
      headers: {
        accept: 'application/xml',
        'content-type': 'application/xml',
        authorization: `SecretKey ${values.key}`,
      },
      setupRequest: (request) => ({ ...request, ...nextTrigger() }),
      onResponse: (status, body) => {
        const answer = /<status>(\w+)</.exec(body)?.[1] ?? `HTTP ${status}`
        answers[answer] = (answers[answer] ?? 0) + 1
      },
    },
  ],
})

if (result.errors + result.timeouts > 0) answers.lost = result.errors + result.timeouts
console.log(
  JSON.stringify({
    count: result.requests.total,
    perS: result.requests.total / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    customers,
    answers,
  }),
)

function nextTrigger(): { path: string; body: string } {
  const number = sent++
  const customer = number % 2 === 0 || customers === 0 ? customers++ : randomBelow(customers)
  return {
    path: `/v3/operations/${values.mode}?endpointId=demo-shop.website&operation=OrderConfirmation&transactionId=${values.run}-${number}`,
    body: `<?xml version="1.0" encoding="utf-8"?>
<operation>
  <customer>
    <ids>
      <webSiteUserId>user-${customer}</webSiteUserId>
    </ids>
    <email>customer-${customer}@example.com</email>
  </customer>
  <emailMailing>
    <customParameters>
      <orderNumber>${number}</orderNumber>
      <total>1499.90</total>
      <items><![CDATA[<table><tr><td>Green tea</td><td>2</td></tr></table>]]></items>
    </customParameters>
  </emailMailing>
</operation>`,
  }
}

/** From a fixed seed, so that two runs ask the same. */
function randomBelow(limit: number): number {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0
  return Math.floor((state / 2 ** 32) * limit)
}
