import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { checkConsistency, isDrained } from '../support/consistency.ts'
import { eventually } from '../support/eventually.ts'
import { aPerson } from '../support/people.ts'
import { putInForce, startWideShop, type WideShop } from '../support/wide-shop.ts'
import { wideShopFiles } from '../support/wide-shop-files.ts'
import { processed, type Tree } from '../support/wire.ts'

/** The published tables that operations and definitions write, with their columns and, first, keys. */
const TABLES: Record<string, { key: string[]; columns: string }> = {
  'CDP.Customers': {
    key: ['id'],
    columns:
      'id email mobilePhone lastName firstName birthDate hasPassword creationDateTimeUtc lastChangeDateTimeUtc',
  },
  'CDP.ExternalCustomerIdsHistory': {
    key: ['id'],
    columns:
      'id unmergedCustomerId customFieldKindInternalId value historicalCustomerId historicalCustomerCreationDateTimeUtc',
  },
  'CDP.MergedCustomers': {
    key: ['unmergedCustomerId'],
    columns: 'unmergedCustomerId mergedCustomerId dateTimeUtc',
  },
  'CDP.CustomerSubscriptions': {
    key: ['unmergedCustomerId', 'pointOfContact', 'topicSystemName'],
    columns: 'unmergedCustomerId pointOfContact topicSystemName isSubscribed dateTimeUtc',
  },
  'CDP.CustomerDevices': {
    key: ['deviceUUID'],
    columns: 'deviceUUID unmergedCustomerId firstSeenDateTimeUtc lastSeenDateTimeUtc',
  },
  'CDP.CustomFieldsKinds': {
    key: ['internalId'],
    columns: 'internalId name systemName typeSystemName entityType isPersonal',
  },
  'CDP.CustomerCustomFields': {
    key: ['unmergedCustomerId', 'fieldSystemName'],
    columns: 'unmergedCustomerId fieldSystemName value encryptedValue',
  },
  'CDP.Operations': {
    key: ['id'],
    columns:
      'id operationSystemName kind mode endpointSystemName transactionId unmergedCustomerId state receivedDateTimeUtc doneDateTimeUtc errorMessage',
  },
  'Mailings.Mailings': {
    key: ['id'],
    columns:
      'id name systemName type channel creationDateTimeUtc lastUpdateDateTimeUtc subscriptionTopicInternalId utmSource utmMedium utmCampaign utmContent utmTerm',
  },
  'Mailings.SubscriptionTopics': { key: ['internalId'], columns: 'internalId systemName name' },
  'Mailings.CustomerMessages': {
    key: ['messageId'],
    columns:
      'messageId unmergedCustomerId mailingInternalId mailingVariantNum channel operationId transactionId creationDateTimeUtc',
  },
  'Mailings.CustomerMessagesStatuses': {
    key: ['messageStatusId'],
    columns:
      'messageStatusId messageId mailingStatusSystemName dateTimeUtc unmergedCustomerId mailingInternalId mailingVariantNum mailingLink notSentSystemName notDeliveredReasonSystemName',
  },
  'Mailings.Transactions': {
    key: ['transactionId', 'mechanism'],
    columns: 'transactionId mechanism operationId operationSystemName registeredDateTimeUtc',
  },
  'ProcessingOrders.PointsOfContact': {
    key: ['id'],
    columns: 'id internalId externalId name systemName parentId',
  },
}

interface Row {
  table: string
  at: string
  state: Record<string, unknown>
}

let shop: WideShop
before(async () => {
  shop = await startWideShop()
  await doEverything()
})
after(() => shop[Symbol.asyncDispose]())

/** Every kind of change once, a part of them while the clock is set back by an hour. */
async function doEverything(): Promise<void> {
  const { database } = shop
  for (const clock of ['clock_timestamp()', "clock_timestamp() - interval '1 hour'"]) {
    await database.query({
      text: `create or replace function wall_clock() returns timestamptz language sql volatile
             as $$ select ${clock} $$`,
    })
    await live()
  }
  const withoutApp = wideShopFiles((project) => project.replace(/\n {2}app: [^\n]*/, ''))
  await putInForce(database, withoutApp)
  await putInForce(database, wideShopFiles())
  await eventually('all is applied', () => isDrained(database))
}

const anna = aPerson('anna')

async function live(): Promise<void> {
  const boris = aPerson('boris')
  const edit = (customer: Tree, options = {}) => shop.call('Edit', { customer }, options)
  const ids = { webSiteUserId: anna.webSiteUserId }
  const query = { deviceUUID: anna.deviceUuid }
  const subscriptions = [
    { pointOfContact: 'Email', topic: 'news', isSubscribed: 'true' },
    { isSubscribed: 'false' },
  ]
  const customFields = { size: 'L', passportNote: 'personal', interests: ['a'] }
  const birthDate = '1990-01-01'
  await edit(
    { ids, email: anna.email, password: 'p', birthDate, customFields, subscriptions },
    { query },
  )
  await edit({ ids, customFields: { size: null, interests: ['b'] }, subscriptions }, { query })
  await edit({ ids: { ...ids, crmId: boris.crmId } })
  await edit({ ids: { ...ids, crmId: null }, firstName: 'Anna' })
  await edit({
    email: boris.email,
    ids: { cardNumber: boris.cardNumber },
    customFields,
    subscriptions,
  })
  await edit({ ids: { ...ids, cardNumber: boris.cardNumber } })
  await edit({ ids: { ...ids, cardNumber: null }, firstName: null })
  const transactionId = boris.email
  await shop.call('Welcome', { customer: { ids } }, { query: { transactionId } })
  const failing = { mode: 'async', query: { transactionId: boris.mobilePhone } }
  await shop.call('EditOrReject', { customer: { email: aPerson().email } }, failing)
  await shop.call('Edit', { customer: { ids } }, { mode: 'async' })
  await eventually('all is applied', () => isDrained(shop.database))
}

/** Transaction after transaction, as they were written: one lane writes, so their numbers grow. */
async function historyRows(): Promise<Row[]> {
  return await shop.database.query<Row>({
    text: `select table_name as table, to_char(history.at, 'YYYY-MM-DD HH24:MI:SS.US') as at, state
             from history order by xmin::text::bigint, history.at`,
  })
}

test('every row has exactly the columns of its table', async () => {
  const rows = await historyRows()
  const tables = new Set(rows.map((row) => row.table))
  assert.deepEqual([...tables].sort(), Object.keys(TABLES).sort())
  for (const { table, state } of rows) {
    const columns = [...(TABLES[table]?.columns.split(' ') ?? []), '_isDeleted'].sort()
    assert.deepEqual(Object.keys(state).sort(), columns, table)
  }
})

test('ids are texts, flags booleans, instants in UTC', async () => {
  for (const { table, state } of await historyRows()) {
    for (const [column, value] of Object.entries(state)) {
      const shown = `${table}.${column}: ${JSON.stringify(value)}`
      if (value === null) continue
      if (/^(is|has|_is)[A-Z]/.test(column)) assert.equal(typeof value, 'boolean', shown)
      else if (column.endsWith('Utc'))
        assert.match(String(value), /^\d{4}-.*T.*(Z|\+00:00)$/, shown)
      else assert.equal(typeof value, 'string', shown)
    }
  }
})

test('two states of one record never share an instant, and a later state has a later one', async () => {
  const last = new Map<string, string>()
  let repeated = 0
  for (const { table, at, state } of await historyRows()) {
    const key = [table, ...(TABLES[table]?.key.map((column) => state[column]) ?? [])].join(' ')
    const previous = last.get(key)
    if (previous !== undefined) {
      repeated += 1
      assert(at > previous, `${key}: ${at} after ${previous}`)
    }
    last.set(key, at)
  }
  assert(repeated > 50, `only ${repeated} states had one before`)
})

test('the last states are what the tables hold', async () => {
  await checkConsistency(shop.database)
})

test('every change appears, not only the last', async () => {
  const { email } = aPerson()
  const names = ['Anna', 'Anja', 'Ann', null, 'Anna']
  let id = ''
  for (const firstName of names) {
    const answer = await shop.call('Edit', {
      customer: { email, firstName, customFields: { size: firstName } },
    })
    id = processed(answer, id === '' ? 'Created' : 'Changed')
  }
  const rows = (await historyRows()).filter(({ state }) => state.id === id)
  assert.deepEqual(
    rows.map(({ state }) => state.firstName),
    names,
  )
  const fields = (await historyRows()).filter(({ table, state }) => {
    return table === 'CDP.CustomerCustomFields' && state.unmergedCustomerId === id
  })
  assert.deepEqual(
    fields.map(({ state }) => [state.value, state._isDeleted]),
    names.map((name) => [name, name === null]),
  )
})

test('a field that is declared personal is only ever in the encrypted column', async () => {
  const rows = (await historyRows()).filter(({ state }) => state.fieldSystemName === 'passportNote')
  assert(rows.some(({ state }) => state.encryptedValue === 'personal'))
  for (const { state } of rows) assert.equal(state.value, null)
})

test('a definition that goes and comes back is the same record, deleted and there again', async () => {
  const rows = (await historyRows()).filter(({ table, state }) => {
    return table === 'ProcessingOrders.PointsOfContact' && state.systemName === 'app'
  })
  assert.deepEqual(
    rows.map(({ state }) => state._isDeleted),
    [false, true, false],
  )
  assert.equal(new Set(rows.map(({ state }) => state.id)).size, 1)
})
