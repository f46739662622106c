import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { checkConsistency, isDrained } from '../support/consistency.ts'
import { eventually } from '../support/eventually.ts'
import { type Random, seededRandom } from '../support/random.ts'
import { rounds } from '../support/settings.ts'
import { countOf } from '../support/stored.ts'
import { startWideShop, type WideShop } from '../support/wide-shop.ts'
import { locationsIn, type Tree } from '../support/wire.ts'

/** Few names, so that customers meet, take each other's names and are merged all the time. */
const NAMES = 4
const OPERATIONS = 40

let shop: WideShop
before(async () => {
  shop = await startWideShop({ isRateLimited: false })
})
after(async () => {
  await checkConsistency(shop.database)
  assert(await countOf(shop.database, 'customer_merge'), 'nobody was ever merged')
  await shop[Symbol.asyncDispose]()
})

/** An operation on a world of its own: `world` is part of every name in it. */
interface Step {
  operation: string
  customer: (world: number) => Tree
  query: (world: number) => Record<string, string>
}

function aStep(random: Random): Step {
  const number = () => random.below(NAMES) + 1
  const or = (name: Tree[string], probability: number) => (random.chance(probability) ? name : null)
  const ids = ['webSiteUserId', 'crmId', 'cardNumber']
    .filter(() => random.chance(0.3))
    .map((kind) => [kind, or(String(number()), 0.85)] as const)
  const email = random.chance(0.4) ? or(String(number()), 0.85) : undefined
  const phone = random.chance(0.4) ? or(String(number()), 0.85) : undefined
  const device = random.chance(0.3) ? number() : undefined
  const plain: Tree = {}
  if (random.chance(0.3)) plain.firstName = or(random.pick(['Anna', 'Boris']), 0.8)
  if (random.chance(0.3)) plain.customFields = { size: or(random.pick(['S', 'L']), 0.8) }
  if (random.chance(0.3)) {
    const answer = { isSubscribed: String(random.chance(0.5)) }
    const channel = random.pick([{}, { pointOfContact: 'Email' }, { pointOfContact: 'Sms' }])
    plain.subscriptions = [{ ...channel, ...random.pick([{}, { topic: 'news' }]), ...answer }]
  }
  return {
    operation: random.pick(['Edit', 'Edit', 'Edit', 'EditKnown', 'EditOrReject', 'EditOpenly']),
    customer: (world) => ({
      ids: Object.fromEntries(ids.map(([kind, name]) => [kind, name && `${world}-${name}`])),
      ...(email === undefined ? {} : { email: email && `${email}@w${world}.example.com` }),
      ...(phone === undefined ? {} : { mobilePhone: phone && phoneOf(world, String(phone)) }),
      ...plain,
    }),
    query: (world) => (device === undefined ? {} : { deviceUUID: deviceOf(world, device) }),
  }
}

const phoneOf = (world: number, name: string) => `7916${String(world).padStart(6, '0')}${name}`
const deviceOf = (world: number, name: number) =>
  `00000000-0000-4000-8000-${String(world).padStart(11, '0')}${name}`

/** Where each step was refused; null: it was not. */
type Outcomes = (string[] | null)[]

async function oneByOne(world: number, steps: Step[]): Promise<Outcomes> {
  const outcomes: Outcomes = []
  for (const { operation, customer, query } of steps) {
    const document = { customer: customer(world) }
    const answer = await shop.call(operation, document, { query: query(world) })
    outcomes.push(answer.body.status === 'Success' ? null : locationsIn(answer))
  }
  return outcomes
}

async function inOneBatch(world: number, steps: Step[]): Promise<Outcomes> {
  const refusedAtOnce = new Map<number, string[]>()
  const { database } = shop
  await database.transaction(async (transaction) => {
    // Whoever holds this row keeps the project's operations waiting, and then they come together.
    await transaction.query({ text: 'select from lane for update' })
    for (const [index, { operation, customer, query }] of steps.entries()) {
      const transactionId = `${world}/${index}`
      const options = { mode: 'async', query: { ...query(world), transactionId } }
      const answer = await shop.call(operation, { customer: customer(world) }, options)
      if (answer.body.status !== 'Success') refusedAtOnce.set(index, locationsIn(answer))
    }
  })
  await eventually('the batch is applied', () => isDrained(database))
  const operations = await database.query<{ id: string; problems: { location: string }[] | null }>({
    text: `select transaction_id as id, problems from operation where transaction_id like $1`,
    values: [`${world}/%`],
  })
  return steps.map((_, index) => {
    const { problems } = operations.find(({ id }) => id === `${world}/${index}`) ?? {}
    const refused = problems?.map(({ location }) => location).sort()
    return refused ?? refusedAtOnce.get(index) ?? null
  })
}

/** The customers of a world, without what differs between worlds, in a fixed order. */
async function peopleOf(world: number): Promise<string[]> {
  const rows = await shop.database.query<{ person: Record<string, unknown> }>({
    text: `
      select jsonb_build_object(
               'email', split_part(c.email, '@', 1), 'phone', right(c.mobile_phone, 1),
               'firstName', c.first_name, 'fields', c.custom_fields,
               'subscriptions', (select jsonb_agg(s order by s::text)
                                   from jsonb_array_elements(c.subscriptions) s),
               'ids', (select jsonb_object_agg(i.kind, split_part(i.value, '-', 2))
                         from customer_identifier i where i.customer_id = c.id),
               'devices', (select jsonb_agg(right(d.device_uuid::text, 1) order by d.device_uuid)
                             from customer_device d where d.customer_id = c.id),
               'absorbed', (select count(*) from customer_merge m where m.survivor_id = c.id)
             ) as person
        from customer c
       where c.email like '%@w' || $1 || '.example.com'
          or c.mobile_phone like $2
          or exists (select from customer_identifier i
                      where i.customer_id = c.id and i.value like $1 || '-%')
          or exists (select from customer_device d
                      where d.customer_id = c.id and d.device_uuid::text like $3)`,
    values: [String(world), phoneOf(world, '_'), deviceOf(world, 0).replace(/0$/, '_')],
  })
  return rows.map(({ person }) => JSON.stringify(person)).sort()
}

for (let round = 0; round < rounds(5); round++) {
  test(`operations applied together do what they do one by one, ${round}`, async () => {
    const random = seededRandom(round + 1)
    const steps = Array.from({ length: OPERATIONS }, () => aStep(random))
    const [alone, together] = [2 * round + 1, 2 * round + 2]
    const outcomes = await oneByOne(alone, steps)
    assert.deepEqual(await inOneBatch(together, steps), outcomes)
    const people = await peopleOf(alone)
    assert.deepEqual(await peopleOf(together), people)
    assert(people.length > 0)
    assert(outcomes.includes(null) && outcomes.some((outcome) => outcome !== null))
  })
}
