import assert from 'node:assert/strict'
import type { Sql } from '#platform/database'

/**
 * The key of each published table: what tells its records apart. A table that is missing here makes
 * the first claim fail, so that a new one cannot be forgotten.
 */
const KEYS: Record<string, string[]> = {
  'CDP.Customers': ['id'],
  'CDP.ExternalCustomerIdsHistory': ['id'],
  'CDP.MergedCustomers': ['unmergedCustomerId'],
  'CDP.CustomerSubscriptions': ['unmergedCustomerId', 'pointOfContact', 'topicSystemName'],
  'CDP.CustomerDevices': ['deviceUUID'],
  'CDP.CustomFieldsKinds': ['internalId'],
  'CDP.CustomerCustomFields': ['unmergedCustomerId', 'fieldSystemName'],
  'CDP.Operations': ['id'],
  'Mailings.Mailings': ['id'],
  'Mailings.SubscriptionTopics': ['internalId'],
  'Mailings.CustomerMessages': ['messageId'],
  'Mailings.CustomerMessagesStatuses': ['messageStatusId'],
  'Mailings.Transactions': ['transactionId', 'mechanism'],
  'ProcessingOrders.PointsOfContact': ['id'],
}

/** The history with the key of each state, and of each record its last state. */
const HISTORY = `
  keyed as (
    select project_id, table_name, at, state, case table_name ${Object.entries(KEYS)
      .map(([table, columns]) => `when '${table}' then ${keyOf(columns)}`)
      .join('\n')} end as key
      from history
  ), latest as (
    select distinct on (project_id, table_name, key) project_id, table_name, key, at, state
      from keyed order by project_id, table_name, key, at desc
  ), alive as (
    select project_id, table_name, key, at, state from latest
     where state ->> '_isDeleted' = 'false'
  )`

function keyOf(columns: string[]): string {
  return `jsonb_build_array(${columns.map((column) => `state -> '${column}'`).join(', ')})`
}

/**
 * Two sides that must be the same set of rows: `stored` are the operational tables, `told` is what a
 * reader of the export would believe.
 */
function same(stored: string, told: string): string {
  return `with ${HISTORY}, stored as (${stored}), told as (${told})
    (select 'not in the history' as side, to_jsonb(r) as record
       from (select * from stored except all select * from told) r)
    union all
    (select 'only in the history', to_jsonb(r)
       from (select * from told except all select * from stored) r)`
}

const text = (column: string) => `state ->> '${column}'`
const instant = (column: string) => `(state ->> '${column}')::timestamptz`
const id = (column: string) => `(state ->> '${column}')::bigint`
const of = (table: string, from = 'alive') => `from ${from} where table_name = '${table}'`

/** Each finds the records that break it. */
const CLAIMS: Record<string, string> = {
  'every table of the history is known here': `
    select distinct table_name from history
     where table_name not in (${Object.keys(KEYS).map((name) => `'${name}'`)})`,

  'two states of one record never share an instant': `
    with ${HISTORY}
    select project_id, table_name, key, at, count(*) from keyed
     group by 1, 2, 3, 4 having count(*) > 1`,

  'the last state of a customer is its row': same(
    `select project_id, id, email, mobile_phone, last_name, first_name, birth_date::text,
            password_hash is not null, created_at, changed_at from customer`,
    `select project_id, ${id('id')}, ${text('email')}, ${text('mobilePhone')}, ${text('lastName')},
            ${text('firstName')}, ${text('birthDate')}, (${text('hasPassword')})::boolean,
            ${instant('creationDateTimeUtc')}, ${instant('lastChangeDateTimeUtc')}
       ${of('CDP.Customers')}`,
  ),

  'a customer is touched no earlier than anything of it': `
    with ${HISTORY}
    select c.project_id, c.id, c.touched_at, l.table_name, l.at
      from customer c join latest l on l.project_id = c.project_id
       and c.id = coalesce(l.state ->> 'unmergedCustomerId', l.state ->> 'id')::bigint
     where l.table_name in ('CDP.Customers', 'CDP.ExternalCustomerIdsHistory',
                            'CDP.CustomerSubscriptions', 'CDP.CustomerCustomFields')
       and l.at > c.touched_at`,

  'a customer is found by its own names and no others': same(
    `select project_id, kind, key, customer_id from customer_name`,
    `select project_id, kind, value, customer_id from customer_identifier
      where octet_length(value) <= 1000
     union all
     select project_id, kind, ' ' || encode(sha256(convert_to(value, 'UTF8')), 'hex'), customer_id
       from customer_identifier where octet_length(value) > 1000
     union all
     select project_id, '@email', lower(email), id from customer where email is not null
     union all
     select project_id, '@mobilePhone', mobile_phone, id from customer
      where mobile_phone is not null`,
  ),

  'the last state of an identifier is its row': same(
    `select project_id, id, customer_id, kind, value, historical_customer_id, historical_created_at
       from customer_identifier`,
    `select project_id, ${id('id')}, ${id('unmergedCustomerId')},
            ${text('customFieldKindInternalId')}, ${text('value')}, ${id('historicalCustomerId')},
            ${instant('historicalCustomerCreationDateTimeUtc')}
       ${of('CDP.ExternalCustomerIdsHistory')}`,
  ),

  'a customer has one identifier of a kind, and it exists': `
    select i.project_id, i.customer_id, i.kind, count(*), bool_and(c.id is not null) as is_there
      from customer_identifier i
      left join customer c on c.project_id = i.project_id and c.id = i.customer_id
     group by 1, 2, 3 having count(*) > 1 or not bool_and(c.id is not null)`,

  'the last state of a subscription is the customer’s answer': same(
    `select c.project_id, c.id, coalesce(s ->> 'channel', ''), coalesce(s ->> 'topic', ''),
            (s ->> 'isSubscribed')::boolean
       from customer c, jsonb_array_elements(c.subscriptions) s`,
    `select project_id, ${id('unmergedCustomerId')}, ${text('pointOfContact')},
            ${text('topicSystemName')}, (${text('isSubscribed')})::boolean
       ${of('CDP.CustomerSubscriptions')}`,
  ),

  'the last state of a custom field is the customer’s value': same(
    `select c.project_id, c.id, f.key,
            case jsonb_typeof(f.value) when 'string' then f.value #>> '{}'
              else replace(f.value::text, '", "', '","') end
       from customer c, jsonb_each(c.custom_fields) f`,
    `select project_id, ${id('unmergedCustomerId')}, ${text('fieldSystemName')},
            coalesce(${text('value')}, ${text('encryptedValue')})
       ${of('CDP.CustomerCustomFields')}`,
  ),

  'a value is exported readable or encrypted, never both': `
    select project_id, state from history
     where table_name = 'CDP.CustomerCustomFields'
       and state ->> 'value' is not null and state ->> 'encryptedValue' is not null`,

  'the last state of a device is its row': same(
    `select project_id, device_uuid::text, customer_id, first_seen_at, last_seen_at
       from customer_device`,
    `select project_id, ${text('deviceUUID')}, ${id('unmergedCustomerId')},
            ${instant('firstSeenDateTimeUtc')}, ${instant('lastSeenDateTimeUtc')}
       ${of('CDP.CustomerDevices')}`,
  ),

  'the last state of a merge is its row': same(
    `select project_id, absorbed_id, survivor_id, at from customer_merge`,
    `select project_id, ${id('unmergedCustomerId')}, ${id('mergedCustomerId')},
            ${instant('dateTimeUtc')}
       ${of('CDP.MergedCustomers')}`,
  ),

  'whoever was absorbed is gone and points at somebody alive': `
    select m.project_id, m.absorbed_id, m.survivor_id from customer_merge m
     where exists (select from customer c
                    where c.project_id = m.project_id and c.id = m.absorbed_id)
        or not exists (select from customer c
                        where c.project_id = m.project_id and c.id = m.survivor_id)`,

  'a device belongs to somebody alive': `
    select d.project_id, d.device_uuid, d.customer_id from customer_device d
     where not exists (select from customer c
                        where c.project_id = d.project_id and c.id = d.customer_id)`,

  'the last state of an operation is its row, done or waiting': same(
    `select project_id, id, name, kind, mode, endpoint, transaction_id, customer_id, state,
            received_at, done_at from operation
     union all
     select project_id, id, payload ->> 'name', payload ->> 'kind', payload ->> 'mode',
            payload ->> 'endpoint', payload ->> 'transactionId', null, 'Accepted', received_at, null
       from inbox`,
    `select project_id, ${id('id')}, ${text('operationSystemName')}, ${text('kind')},
            ${text('mode')}, ${text('endpointSystemName')}, ${text('transactionId')},
            ${id('unmergedCustomerId')}, ${text('state')}, ${instant('receivedDateTimeUtc')},
            ${instant('doneDateTimeUtc')}
       ${of('CDP.Operations')}`,
  ),

  'an operation goes from accepted to done, in one state or two': `
    with ${HISTORY}
    select project_id, key, array_agg(state ->> 'state' order by at) as states
      ${of('CDP.Operations', 'keyed')}
     group by 1, 2
    having array_agg((state ->> 'mode') || ' ' || (state ->> 'state') order by at) not in
           (array['sync Done'], array['async Accepted'], array['async Accepted', 'async Done'],
            array['async Accepted', 'async Failed'])`,

  'an operation is over or waiting, not both': `
    select project_id, id from operation join inbox using (project_id, id)`,

  'an operation of a kind caused as many messages as that kind does': `
    select o.project_id, o.id, o.kind, o.state, count(m.id) as messages
      from operation o
      left join message m on m.project_id = o.project_id and m.operation_id = o.id
     group by o.project_id, o.id
    having count(m.id) <> case when o.kind = 'triggerMessage' and o.state = 'Done'
                                and o.customer_id is not null then 1 else 0 end`,

  'a failed operation says why, and only that one': `
    select project_id, id, state, problems from operation
     where (state = 'Failed') is distinct from (problems is not null)`,

  'a message was caused by an operation for the same customer': `
    select m.project_id, m.id, m.customer_id, o.id as operation_id, o.customer_id as other
      from message m
      left join operation o on o.project_id = m.project_id and o.id = m.operation_id
     where o.customer_id is distinct from m.customer_id`,

  'the state of a message is its row': same(
    `select m.project_id, m.id, m.customer_id, m.channel, m.operation_id, o.transaction_id,
            m.created_at, d.id
       from message m
       join operation o on o.project_id = m.project_id and o.id = m.operation_id
       join definition_record d on d.project_id = m.project_id and d.name = m.mailing
        and d.table_name = 'Mailings.Mailings'`,
    `select project_id, ${id('messageId')}, ${id('unmergedCustomerId')}, ${text('channel')},
            ${id('operationId')}, ${text('transactionId')}, ${instant('creationDateTimeUtc')},
            ${id('mailingInternalId')}
       ${of('Mailings.CustomerMessages')}`,
  ),

  'the state of a message’s status is its row': same(
    `select s.project_id, s.id, s.message_id, s.status, s.at, m.customer_id
       from message_status s
       join message m on m.project_id = s.project_id and m.id = s.message_id`,
    `select project_id, ${id('messageStatusId')}, ${id('messageId')},
            ${text('mailingStatusSystemName')}, ${instant('dateTimeUtc')},
            ${id('unmergedCustomerId')}
       ${of('Mailings.CustomerMessagesStatuses')}`,
  ),

  'a message was queued once': `
    select m.project_id, m.id, count(s.id) as queued
      from message m
      left join message_status s on s.project_id = m.project_id and s.message_id = m.id
       and s.status = 'Queued'
     group by 1, 2 having count(s.id) <> 1`,

  'the state of a transaction is its row': same(
    `select project_id, mechanism, id, operation_id, operation_name, registered_at
       from registered_transaction`,
    `select project_id, ${text('mechanism')}, ${text('transactionId')}, ${id('operationId')},
            ${text('operationSystemName')}, ${instant('registeredDateTimeUtc')}
       ${of('Mailings.Transactions')}`,
  ),

  'a transaction is registered once, and with the operation that did its work': `
    select t.project_id, t.id, t.operation_id
      from registered_transaction t
      left join operation o on o.project_id = t.project_id and o.id = t.operation_id
      left join inbox i on i.project_id = t.project_id and i.id = t.operation_id
     where t.id is distinct from coalesce(o.transaction_id, i.payload ->> 'transactionId')`,

  'an operation with a transaction has registered it': `
    select o.project_id, o.id, o.transaction_id from operation o
     where o.transaction_id is not null and not exists (
       select from registered_transaction t
        where t.project_id = o.project_id and t.mechanism = o.mechanism
          and t.id = o.transaction_id and t.operation_id = o.id)`,
}

const SHOWN = 5

/**
 * Checks the whole database: everything is there with all its parts or not at all, and the history
 * tells of it exactly what the tables hold.
 */
export async function checkConsistency(database: Sql): Promise<void> {
  const complaints: string[] = []
  for (const [claim, statement] of Object.entries(CLAIMS)) {
    const broken = await database.query({ text: statement })
    if (broken.length === 0) continue
    const shown = broken.slice(0, SHOWN).map((record) => JSON.stringify(record))
    complaints.push(`not so, ${broken.length} times: ${claim}\n  ${shown.join('\n  ')}`)
  }
  assert.equal(complaints.length, 0, complaints.join('\n'))
}

/** Whether everything that was accepted is done. */
export async function isDrained(database: Sql): Promise<boolean> {
  const rows = await database.query({ text: 'select from inbox limit 1' })
  return rows.length === 0
}
