import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Config } from '#config'
import { createLog } from '#platform/log'
import { makeKey } from '#projects'
import { apply } from './apply.ts'
import { type Posthouse, startPosthouse } from './compose.ts'
import { readPort } from './read-port.ts'
import { stopSignal } from './stop-signal.ts'

const HELP = `posthouse demo [--port N] [--data DIR]

Starts everything on this machine with the project demo-shop: a PostgreSQL of its own in DIR
(posthouse-demo here unless given) and the service on port N (8080).
DIR/demo.json holds the addresses and keys. Ctrl-C stops it; start it again to go on where it was.`

const DEMO_SHOP = fileURLToPath(new URL('../../examples/demo-shop', import.meta.url))
const ENDPOINT_ID = 'demo-shop.website'

export async function demo(args: string[], config: Config): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: 'string' },
      data: { type: 'string' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) {
    console.log(HELP)
    return 0
  }
  const port = readPort(values.port, config.port)
  const stop = stopSignal()
  const dataDir = resolve(values.data ?? 'posthouse-demo')
  await mkdir(dataDir, { recursive: true })
  console.log(`Starting PostgreSQL and the service with data in ${dataDir} ...`)
  await using posthouse = await startPosthouse(
    { ...config, databaseUrl: undefined, dataDir, host: '127.0.0.1', port },
    createLog({ level: 'warn', pretty: true }),
  )
  const description = await prepareShop(posthouse, dataDir)
  showFirstSteps(posthouse.address, description.secretKey)
  console.log(`Posthouse is ready on ${posthouse.address}`)
  await stop
  console.log('Stopping ...')
  return 0
}

interface DemoDescription {
  baseUrl: string
  endpointId: string
  secretKey: string
}

/** Applies the project and makes a key, once; the next start finds both. */
async function prepareShop(posthouse: Posthouse, dataDir: string): Promise<DemoDescription> {
  const { database, masterKey, registry, address } = posthouse
  const context = {
    database,
    masterKey,
    out: (line: string) => console.log(line),
    err: (line: string) => console.error(line),
  }
  if ((await apply([DEMO_SHOP], context)) !== 0) throw new Error('demo-shop could not be applied')
  await registry.refresh()
  const file = join(dataDir, 'demo.json')
  const known = await readDescription(file)
  const isLive = registry.endpoint(ENDPOINT_ID)?.keys.some((key) => key.value === known?.secretKey)
  const secretKey = known !== undefined && isLive ? known.secretKey : await newKey(posthouse)
  const description = { baseUrl: address, endpointId: ENDPOINT_ID, secretKey }
  // Beside it and renamed, so that a kill leaves the old one or the new one.
  await writeFile(`${file}.new`, `${JSON.stringify(description, null, 2)}\n`, { mode: 0o600 })
  await rename(`${file}.new`, file)
  return description
}

async function readDescription(file: string): Promise<DemoDescription | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as DemoDescription
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Error(`${file} cannot be read; delete it to have it made anew`, { cause: error })
  }
}

async function newKey({ database, masterKey, registry }: Posthouse): Promise<string> {
  const made = await database.transaction((transaction) =>
    makeKey(transaction, { endpointId: ENDPOINT_ID, masterKey }),
  )
  if (made.kind !== 'made') throw new Error('no secret key could be made for the demo')
  await registry.refresh()
  return made.key.value
}

function showFirstSteps(address: string, secretKey: string): void {
  const url = (mode: string, operation: string, transactionId: string) =>
    `'${address}/v3/operations/${mode}?endpointId=${ENDPOINT_ID}&operation=${operation}${transactionId}'`
  const headers = `-H 'Content-Type: application/xml' -H 'Authorization: SecretKey ${secretKey}'`
  console.log(`
Trigger a message, and wait until it is registered:

curl ${headers} ${url('sync', 'OrderConfirmation', '&transactionId=order-1001')} -d '<operation><customer><ids><webSiteUserId>198412</webSiteUserId></ids><email>anna@example.com</email></customer><emailMailing><customParameters><orderNumber>1001</orderNumber><total>49.90</total><items><![CDATA[<ul><li>Tea</li></ul>]]></items></customParameters></emailMailing></operation>'

Ask what became of it:

curl -H 'Authorization: SecretKey ${secretKey}' '${address}/v3/transactions/order-1001?endpointId=${ENDPOINT_ID}'

Edit the customer, in the background:

curl ${headers} ${url('async', 'EditCustomer', '')} -d '<operation><customer><ids><webSiteUserId>198412</webSiteUserId></ids><firstName>Anna</firstName><subscriptions><subscription><pointOfContact>Email</pointOfContact><topic>news</topic><isSubscribed>true</isSubscribed></subscription></subscriptions></customer></operation>'
`)
}
