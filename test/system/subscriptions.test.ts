import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { checkConsistency } from '../support/consistency.ts'
import { aPerson } from '../support/people.ts'
import { storedCustomer } from '../support/stored.ts'
import { startWideShop, type WideShop } from '../support/wide-shop.ts'
import { locationsIn, type Tree } from '../support/wire.ts'

let shop: WideShop
before(async () => {
  shop = await startWideShop()
})
after(async () => {
  await checkConsistency(shop.database)
  await shop[Symbol.asyncDispose]()
})

type Notation = 'xml' | 'json'
const yes = { isSubscribed: 'true' }
const no = { isSubscribed: 'false' }

/** Sends each list in a call of its own and gives the records that are there in the end. */
async function recordsAfter(lists: Tree[][], notation: Notation = 'xml'): Promise<string[]> {
  const { email } = aPerson()
  let id = ''
  for (const subscriptions of lists) {
    const answer = await shop.call('Edit', { customer: { email, subscriptions } }, { notation })
    assert.equal(answer.body.status, 'Success', answer.text)
    id = (answer.body.customer as { ids: { customerId: string } }).ids.customerId
  }
  const stored = await storedCustomer(shop.database, id)
  return (stored?.subscriptions ?? [])
    .map((one) => `${one.channel ?? '*'}/${one.topic ?? '*'} ${one.isSubscribed}`)
    .sort()
}

for (const notation of ['xml', 'json'] as const) {
  test(`channel and topic may be missing and then mean all, in ${notation}`, async () => {
    const sent = [
      no,
      { pointOfContact: 'Email', ...yes },
      { topic: 'news', ...no },
      { pointOfContact: 'Viber', topic: 'offers', ...yes },
    ]
    assert.deepEqual(await recordsAfter([sent], notation), [
      '*/* false',
      '*/news false',
      'Email/* true',
      'Viber/offers true',
    ])
  })
}

test('a channel is known in any letter case, and true and false too', async () => {
  const sent = [
    { pointOfContact: 'EMAIL', isSubscribed: 'True' },
    { pointOfContact: 'sms', isSubscribed: 'FALSE' },
  ]
  assert.deepEqual(await recordsAfter([sent]), ['Email/* true', 'Sms/* false'])
})

test('a broader record removes the narrower ones under it, so a later refusal holds', async () => {
  const narrow = [
    { topic: 'news', ...yes },
    { pointOfContact: 'Email', topic: 'news', ...yes },
    { pointOfContact: 'Sms', topic: 'news', ...yes },
  ]
  assert.deepEqual(await recordsAfter([narrow, [{ pointOfContact: 'Email', ...no }]]), [
    '*/news true',
    'Email/* false',
    'Sms/news true',
  ])
  assert.deepEqual(await recordsAfter([narrow, [{ topic: 'news', ...no }]]), ['*/news false'])
  assert.deepEqual(await recordsAfter([narrow, [no]]), ['*/* false'])
})

test('a narrower record leaves the broader ones, in a later call and in the same', async () => {
  const narrow = { pointOfContact: 'Email', topic: 'offers', ...yes }
  const expected = ['*/* false', 'Email/offers true']
  assert.deepEqual(await recordsAfter([[no], [narrow]]), expected)
  assert.deepEqual(await recordsAfter([[no, narrow]]), expected)
  assert.deepEqual(await recordsAfter([[narrow, no]]), ['*/* false'])
})

test('a removed record is told of as deleted in the history', async () => {
  const { email } = aPerson()
  const edit = (subscriptions: Tree[]) => shop.call('Edit', { customer: { email, subscriptions } })
  const answer = await edit([{ pointOfContact: 'Email', topic: 'news', ...yes }])
  const { customerId } = (answer.body.customer as { ids: { customerId: string } }).ids
  await edit([no])
  const rows = await shop.database.query<{ state: Record<string, unknown> }>({
    text: `select state from history where table_name = 'CDP.CustomerSubscriptions'
              and state ->> 'unmergedCustomerId' = $1 order by at`,
    values: [customerId],
  })
  assert.partialDeepStrictEqual(
    rows.map((row) => row.state),
    [
      { pointOfContact: 'Email', topicSystemName: 'news', isSubscribed: true, _isDeleted: false },
      { pointOfContact: 'Email', topicSystemName: 'news', isSubscribed: null, _isDeleted: true },
      { pointOfContact: '', topicSystemName: '', isSubscribed: false, _isDeleted: false },
    ],
  )
})

describe('what is wrong is refused at its place:', () => {
  const cases: [string, Tree, string][] = [
    ['an unknown channel', { pointOfContact: 'Fax', ...yes }, 'pointOfContact'],
    ['an unknown topic', { topic: 'nwes', ...yes }, 'topic'],
    ['no answer', { topic: 'news' }, 'isSubscribed'],
    ['an empty answer', { topic: 'news', isSubscribed: '' }, 'isSubscribed'],
    ['an answer that is neither', { topic: 'news', isSubscribed: 'maybe' }, 'isSubscribed'],
    ['a topic that is cleared', { topic: null, ...yes }, 'topic'],
  ]
  for (const [what, subscription, element] of cases) {
    test(what, async () => {
      const { email } = aPerson()
      const subscriptions = [{ ...yes }, subscription]
      const answer = await shop.call('Edit', { customer: { email, subscriptions } })
      assert.deepEqual(locationsIn(answer), [`/customer/subscriptions/2/${element}`])
      assert.equal((await shop.call('EditKnown', { customer: { email } })).body.status, 'Success')
    })
  }

  test('more than a hundred', async () => {
    const { email } = aPerson()
    const subscriptions = Array.from({ length: 101 }, () => yes)
    const answer = await shop.call('Edit', { customer: { email, subscriptions } })
    assert.deepEqual(locationsIn(answer), ['/customer/subscriptions'])
  })
})
