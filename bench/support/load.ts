import { connect, type Socket } from 'node:net'
import { parseArgs } from 'node:util'

/**
 * The load generator, a process of its own: so many connections, each sending its next request when
 * the last was answered. Plain sockets, because a full HTTP client costs more than the service does.
 * Half of the triggers name a new customer, half one seen before. Ends with a line of JSON.
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
const port = Number(values.port)
const connections = Number(values.connections)
const durationMs = Number(values.seconds) * 1000
const known = Number(values.known)

let customers = known
let sent = 0
let isOver = false
const latenciesMs: number[] = []
const answers: Record<string, number> = {}

function nextRequest(): string {
  const number = sent++
  const customer = number % 2 === 0 || customers === 0 ? customers++ : randomBelow(customers)
  const body = `<?xml version="1.0" encoding="utf-8"?>
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
</operation>`
  const query = `endpointId=demo-shop.website&operation=OrderConfirmation&transactionId=${values.run}-${number}`
  return `POST /v3/operations/${values.mode}?${query} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/xml\r\nContent-Type: application/xml\r\nAuthorization: SecretKey ${values.key}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

/** From a fixed seed, so that two runs ask the same. */
let state = 42
function randomBelow(limit: number): number {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0
  return Math.floor((state / 2 ** 32) * limit)
}

async function converse(): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  while (!isOver) {
    const startedMs = performance.now()
    socket.write(nextRequest())
    const status = await readAnswer(socket)
    latenciesMs.push(performance.now() - startedMs)
    answers[status] = (answers[status] ?? 0) + 1
  }
  socket.destroy()
}

function readAnswer(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const onData = (chunk: Buffer) => {
      text += chunk.toString('latin1')
      const end = text.indexOf('\r\n\r\n')
      if (end < 0) return
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1])
      if (text.length < end + 4 + length) return
      socket.off('data', onData)
      socket.off('close', onClose)
      resolve(/<status>(\w+)</.exec(text)?.[1] ?? text.slice(9, 12))
    }
    const onClose = () => reject(new Error('the connection was closed'))
    socket.on('data', onData)
    socket.once('close', onClose)
  })
}

const startedMs = performance.now()
setTimeout(() => {
  isOver = true
}, durationMs)
await Promise.all(Array.from({ length: connections }, converse))
const elapsedS = (performance.now() - startedMs) / 1000
latenciesMs.sort((one, other) => one - other)
const percentile = (share: number) => latenciesMs[Math.floor(latenciesMs.length * share)] ?? 0
console.log(
  JSON.stringify({
    count: latenciesMs.length,
    perS: latenciesMs.length / elapsedS,
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
    customers,
    answers,
  }),
)
