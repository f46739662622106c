import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '#platform/database'
import { call, editXml, type OperationCall, triggerXml } from './calls.ts'
import type { Random } from './random.ts'
import type { Shop } from './shop.ts'

/** Where the service is now: a test that restarts it changes the address. */
export interface Target {
  baseUrl: string
}

/** One operation as its client knows it. */
export interface Sent {
  transactionId: string
  kind: 'edit' | 'trigger' | 'merge'
  mode: 'sync' | 'async'
  attempts: number
  /** The status that ended it; null: the client gave up without knowing. */
  status: string | null
}

/** What all clients did, and the last level each of them wrote to a customer of its own. */
export interface Ledger {
  sent: Sent[]
  faults: { httpStatus: number; hasRetryAfter: boolean }[]
  lastLevels: Map<string, string>
  merged: { webSiteUserId: string; crmId: string }[]
}

export interface Load {
  target: Target
  shop: Shop
  random: Random
  clients: number
  /** How many operations to send in all, merges aside. */
  operations: number
  /** Told of each answer that ended an operation. */
  onEnded: (count: number) => void
}

const RETRY_MS = 20
/** A service that is away for longer than this does not come back. */
const PATIENCE_MS = 60_000
/** Clients that never repeat make operations whose fate nobody was told. */
const IMPATIENT_SHARE = 0.05
const MERGE_SHARE = 0.05
/** Customers that all clients edit at once. */
const CROWDED_CUSTOMERS = 5

/**
 * Clients that behave like an integrator's: one operation after another, each with a transaction id,
 * repeated with the same id until there is an answer.
 */
export async function runLoad(load: Load): Promise<Ledger> {
  const ledger: Ledger = { sent: [], faults: [], lastLevels: new Map(), merged: [] }
  const share = Math.ceil(load.operations / load.clients)
  const clients = Array.from({ length: load.clients }, (_, number) => {
    const client = new Client(load, ledger, number)
    return client.work(share)
  })
  await Promise.all(clients)
  return ledger
}

class Client {
  readonly #load: Load
  readonly #ledger: Ledger
  readonly #random: Random
  readonly #name: string
  #count = 0

  constructor(load: Load, ledger: Ledger, number: number) {
    this.#load = load
    this.#ledger = ledger
    this.#random = load.random.fork()
    this.#name = `client ${number}`
  }

  async work(count: number): Promise<void> {
    for (let index = 0; index < count; index++) {
      if (this.#random.chance(MERGE_SHARE)) await this.#merge(index)
      else if (this.#random.chance(0.5)) await this.#edit(index)
      else await this.#trigger(index)
    }
  }

  /** Half of the edits go to the client's own customer, so that their order is known. */
  async #edit(index: number): Promise<void> {
    const isOwn = this.#random.chance(0.5)
    const webSiteUserId = isOwn ? this.#name : this.#crowded()
    const level = String(index)
    const body = editXml({
      ids: { webSiteUserId },
      firstName: `Anna ${this.#random.below(3)}`,
      customFields: { loyaltyLevel: level, interests: ['tea', level], passportNote: level },
      subscriptions: [
        { pointOfContact: 'Email', isSubscribed: String(this.#random.chance(0.5)) },
        { topic: 'news', isSubscribed: String(this.#random.chance(0.5)) },
      ],
    })
    await this.#send('edit', { operation: 'EditCustomer', body }, !isOwn)
    if (isOwn) this.#ledger.lastLevels.set(webSiteUserId, level)
  }

  async #trigger(index: number): Promise<void> {
    const webSiteUserId = this.#crowded()
    const customer = { ids: { webSiteUserId }, email: `${webSiteUserId}@example.com` }
    const body = triggerXml(customer, 'email', { orderNumber: `${this.#name} ${index}` })
    await this.#send('trigger', { operation: 'OrderConfirmation', body, ...this.#device() }, true)
  }

  /** Two customers are made and then turn out to be one. */
  async #merge(index: number): Promise<void> {
    const webSiteUserId = `${this.#name} site ${index}`
    const crmId = `${this.#name} crm ${index}`
    const site = editXml({ ids: { webSiteUserId }, customFields: { loyaltyLevel: '1' } })
    const crm = editXml({ ids: { crmId }, lastName: 'Smith', customFields: { discount: '2.5' } })
    const both = editXml({ ids: { webSiteUserId, crmId } })
    const operation = 'EditCustomer'
    await this.#send('edit', { operation, body: site, ...this.#device() }, false)
    await this.#send('edit', { operation, body: crm, ...this.#device() }, false)
    await this.#send('merge', { operation, body: both }, false)
    this.#ledger.merged.push({ webSiteUserId, crmId })
  }

  #crowded(): string {
    return `crowded${this.#random.below(CROWDED_CUSTOMERS)}`
  }

  #device(): { deviceUuid?: string } {
    const number = this.#random.below(20)
    const digits = String(number).padStart(12, '0')
    return number > 10 ? {} : { deviceUuid: `00000000-0000-4000-8000-${digits}` }
  }

  async #send(
    kind: Sent['kind'],
    body: Omit<OperationCall, 'mode' | 'transactionId'>,
    mayGiveUp: boolean,
  ): Promise<void> {
    const mode = this.#random.pick(['sync', 'async'] as const)
    const transactionId = `${this.#name} ${this.#count++}`
    const sent: Sent = { transactionId, kind, mode, attempts: 0, status: null }
    this.#ledger.sent.push(sent)
    const isImpatient = mayGiveUp && this.#random.chance(IMPATIENT_SHARE)
    const deadline = Date.now() + PATIENCE_MS
    while (Date.now() < deadline) {
      sent.attempts += 1
      sent.status = await this.#attempt({ ...body, mode, transactionId })
      if (sent.status !== null || isImpatient) break
      await sleep(RETRY_MS)
    }
    if (sent.status === null && !isImpatient) throw new Error(`no answer to ${transactionId}`)
    this.#load.onEnded(this.#ledger.sent.length)
  }

  /** The status of an answer, or null when there was none that a client could rely on. */
  async #attempt(sent: OperationCall): Promise<string | null> {
    const { target, shop } = this.#load
    const answer = await call(target.baseUrl, shop, sent).catch(() => null)
    if (answer === null) return null
    if (answer.httpStatus < 500) return `${answer.httpStatus} ${answer.status}`
    assert.equal(answer.status, 'InternalServerError', answer.text)
    this.#ledger.faults.push({
      httpStatus: answer.httpStatus,
      hasRetryAfter: answer.headers.has('retry-after'),
    })
    return null
  }
}

/** Compares what the clients were told with what the database holds. */
export async function checkLedger(sql: Sql, shop: Shop, ledger: Ledger): Promise<void> {
  const done = await readDone(sql, shop)
  for (const sent of ledger.sent) {
    const { state = 'nothing', messages = 0 } = done.get(sent.transactionId) ?? {}
    const what = JSON.stringify({ ...sent, state, messages })
    if (sent.status === null && state === 'nothing') continue
    assert.ok(isWelcome(sent), what)
    assert.equal(state, 'Done', what)
    assert.equal(messages, sent.kind === 'trigger' ? 1 : 0, what)
  }
  assert.deepEqual(
    [...done.keys()].filter((id) => !ledger.sent.some((sent) => sent.transactionId === id)),
    [],
  )
  await checkOwnCustomers(sql, shop, ledger)
  await checkMerged(sql, shop, ledger)
}

/** The first attempt may have been done without its client hearing of it; a repeat is told so. */
function isWelcome({ status, attempts }: Sent): boolean {
  if (status === null || status === '200 Success') return true
  return status === '200 TransactionAlreadyProcessed' && attempts > 1
}

async function readDone(
  sql: Sql,
  shop: Shop,
): Promise<Map<string, { state: string; messages: number }>> {
  const rows = await sql.query<{ id: string; state: string; messages: string }>({
    text: `select o.transaction_id as id, o.state, count(m.id) as messages
             from operation o
             left join message m on m.project_id = o.project_id and m.operation_id = o.id
            where o.project_id = $1 group by o.project_id, o.id`,
    values: [shop.projectId],
  })
  const done = new Map<string, { state: string; messages: number }>()
  for (const { id, state, messages } of rows) {
    assert.ok(!done.has(id), `${id} was done twice`)
    done.set(id, { state, messages: Number(messages) })
  }
  return done
}

async function checkOwnCustomers(sql: Sql, shop: Shop, { lastLevels }: Ledger): Promise<void> {
  const rows = await sql.query<{ value: string; level: string }>({
    text: `select i.value, c.custom_fields ->> 'loyaltyLevel' as level
             from customer_identifier i
             join customer c on c.project_id = i.project_id and c.id = i.customer_id
            where i.project_id = $1 and i.value = any ($2::text[])`,
    values: [shop.projectId, [...lastLevels.keys()]],
  })
  assert.deepEqual(new Map(rows.map(({ value, level }) => [value, level] as const)), lastLevels)
}

async function checkMerged(sql: Sql, shop: Shop, { merged }: Ledger): Promise<void> {
  for (const { webSiteUserId, crmId } of merged) {
    const rows = await sql.query<object>({
      text: `select c.last_name, c.custom_fields,
                    array_agg(i.kind || ' ' || i.value order by i.kind) as ids
               from customer c
               join customer_identifier i on i.project_id = c.project_id and i.customer_id = c.id
              where c.project_id = $1 and c.id in (
                select customer_id from customer_identifier
                 where project_id = $1 and value in ($2, $3))
              group by c.project_id, c.id`,
      values: [shop.projectId, webSiteUserId, crmId],
    })
    assert.deepEqual(rows, [
      {
        last_name: 'Smith',
        custom_fields: { loyaltyLevel: '1', discount: '2.5' },
        ids: [`crmId ${crmId}`, `webSiteUserId ${webSiteUserId}`],
      },
    ])
  }
}
