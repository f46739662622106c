import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { makeSecretLinkTicket, makeTicket } from '#formats/signature'
import {
  type CallAnswer,
  type CustomerElements,
  call,
  editXml,
  readTransaction,
  triggerXml,
} from '../support/calls.ts'
import { posthouse } from '../support/command.ts'
import { checkConsistency, isDrained } from '../support/consistency.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { type Dump, dumpProject } from '../support/dump.ts'
import { eventually } from '../support/eventually.ts'
import type { RunningService } from '../support/processes.ts'
import { openShop, type Shop, signingKeyOf, startShopService } from '../support/shop.ts'

const MODES = ['sync', 'async'] as const
const DEVICE = '5ad03466-a2d3-4b3e-9ebc-0ef3a8cd2a4b'
/** The same in both projects: only the project tells them apart. */
const SAME: CustomerElements = {
  ids: { webSiteUserId: '198412', crmId: 'C-1' },
  email: 'anna@example.com',
  mobilePhone: '79161234567',
}
const ORDER = { orderNumber: 'A-1' }
const SAME_TRANSACTION = 'order-1001'
const NOBODYS_ID = '999999999'

interface Tenant {
  shop: Shop
  customerId: string
  signingKey: Buffer
  /** Registered here and nowhere else. */
  transactionId: string
}

let place: TestDatabase
let service: RunningService
let mine: Tenant
let other: Tenant
let otherBefore: Dump

before(async () => {
  place = await testDatabase()
  const shops: Shop[] = []
  for (const name of ['mine', 'other']) {
    shops.push(await openShop(place.database, (definition) => ({ ...definition, name })))
  }
  service = await startShopService({ databaseUrl: place.url })
  const [one, two] = shops
  assert.ok(one !== undefined && two !== undefined)
  mine = await settle(one)
  other = await settle(two)
  otherBefore = await dumpProject(place.database, other.shop.projectId)
  assert.ok([...otherBefore.values()].flat().length > 30)
})

after(async () => {
  await service[Symbol.asyncDispose]()
  await place[Symbol.asyncDispose]()
})

/** A customer, a device, a message and two transactions, with the same names in each project. */
async function settle(shop: Shop): Promise<Tenant> {
  const customer = { ...SAME, lastName: `Secret of ${shop.name}` }
  const edited = await call(service.baseUrl, shop, {
    mode: 'sync',
    operation: 'EditCustomer',
    deviceUuid: DEVICE,
    body: editXml(customer),
  })
  const transactionId = `only ${shop.name}`
  for (const id of [SAME_TRANSACTION, transactionId]) {
    const sent = await call(service.baseUrl, shop, {
      mode: 'sync',
      operation: 'OrderConfirmation',
      transactionId: id,
      body: triggerXml(SAME, 'email', ORDER),
    })
    assert.equal(sent.status, 'Success', 'a transaction of another project is not in the way')
  }
  const signingKey = await signingKeyOf(place.database, shop)
  return { shop, customerId: edited.customerId, signingKey, transactionId }
}

/** Nothing of the other project is said, not even that something is there. */
function assertSilent(answer: CallAnswer, what: string): void {
  for (const secret of [`<customerId>${other.customerId}<`, 'Secret of', other.shop.secretKey]) {
    assert.ok(!answer.text.includes(secret), `${what}: ${answer.text}`)
  }
}

type Named = [who: string, customer: () => CustomerElements]

const named: Named[] = [
  ['by the same ids', () => ({ ids: { webSiteUserId: '198412' } })],
  ['by the same email', () => ({ email: 'ANNA@example.com' })],
  ['by the same phone', () => ({ mobilePhone: '79161234567' })],
  ['by my customerId', () => ({ ids: { customerId: mine.customerId } })],
  ['by the other customerId', () => ({ ids: { customerId: other.customerId } })],
  [
    'by both customers',
    () => ({ ids: { customerId: other.customerId, webSiteUserId: '198412' }, email: SAME.email }),
  ],
]

type Credential = [what: string, key: () => string | null, ticket: () => string | null]

const at = () => new Date()
const tomorrow = () => new Date(Date.now() + 86_400_000)
const link = (customer: () => Tenant, signer: () => Tenant) => () =>
  makeSecretLinkTicket(
    { customerId: customer().customerId, expiresAt: tomorrow() },
    signer().signingKey,
  )
const identity = (key: () => string) => () =>
  makeTicket({ kind: 'externalIdentity', idKind: 'webSiteUserId', id: '198412', at: at() }, key())

/** What somebody may hold who has everything of one project and knows the other’s public names. */
const credentials: Credential[] = [
  ['nothing', () => null, () => null],
  ['my key', () => mine.shop.secretKey, () => null],
  ['a key of nobody', () => 'ph_x', () => null],
  ['a ticket by my key', () => null, identity(() => mine.shop.secretKey)],
  ['my key and a ticket by it', () => mine.shop.secretKey, identity(() => mine.shop.secretKey)],
  ['a ticket by no key', () => null, identity(() => '')],
  ['a ticket by my link key', () => null, identity(() => mine.signingKey.toString('base64'))],
  [
    'an email ticket by my key',
    () => null,
    () => makeTicket({ kind: 'email', email: 'anna@example.com', at: at() }, mine.shop.secretKey),
  ],
  [
    'a ticket by my key for the other customerId',
    () => null,
    () =>
      makeTicket(
        { kind: 'externalIdentity', idKind: 'customerId', id: other.customerId, at: at() },
        mine.shop.secretKey,
      ),
  ],
  [
    'my link for my customer',
    () => null,
    link(
      () => mine,
      () => mine,
    ),
  ],
  [
    'my link for the other customer',
    () => null,
    link(
      () => other,
      () => mine,
    ),
  ],
  [
    'my key and my link for the other',
    () => mine.shop.secretKey,
    link(
      () => other,
      () => mine,
    ),
  ],
]

describe('at the other’s endpoint', () => {
  for (const [what, key, ticket] of credentials) {
    test(`${what} opens nothing`, async () => {
      for (const [who, customer] of named) {
        for (const mode of MODES) {
          const authenticationTicket = ticket()
          const body = editXml({
            ...(authenticationTicket === null ? {} : { authenticationTicket }),
            ...customer(),
            lastName: 'Taken',
          })
          const answer = await call(service.baseUrl, other.shop, {
            mode,
            operation: 'EditCustomer',
            deviceUuid: DEVICE,
            transactionId: randomUUID(),
            secretKey: key(),
            body,
          })
          assert.equal(answer.status, 'ProtocolError', answer.text)
          assert.ok([401, 403].includes(answer.httpStatus), `${who}: ${answer.text}`)
          assertSilent(answer, who)
        }
      }
    })

    test(`${what} triggers nothing`, async () => {
      for (const [who, customer] of named) {
        for (const mode of MODES) {
          const answer = await call(service.baseUrl, other.shop, {
            mode,
            operation: 'OrderConfirmation',
            transactionId: randomUUID(),
            secretKey: key(),
            body: triggerXml(customer(), 'email', ORDER),
          })
          assert.ok([401, 403].includes(answer.httpStatus), `${who}: ${answer.text}`)
          assertSilent(answer, who)
        }
      }
    })
  }

  test('my key shows no transaction', async () => {
    const mixed = { endpointId: other.shop.endpointId, secretKey: mine.shop.secretKey }
    for (const id of [SAME_TRANSACTION, other.transactionId, mine.transactionId, 'unknown']) {
      const answer = await readTransaction(service.baseUrl, mixed, id)
      assert.equal(answer.httpStatus, 403, answer.text)
    }
  })

  test('another spelling of its name is no way in', async () => {
    for (const endpointId of [
      'OTHER.website',
      'other.website ',
      'other',
      'website',
      'mine.other',
    ]) {
      const answer = await call(
        service.baseUrl,
        { endpointId, secretKey: mine.shop.secretKey },
        { mode: 'sync', operation: 'EditCustomer', body: editXml({ email: 'anna@example.com' }) },
      )
      assert.equal(answer.httpStatus, 401, answer.text)
    }
  })
})

describe('at my own endpoint', () => {
  test('the other’s key and tickets are refused', async () => {
    const theirs: Credential[] = [
      ['key', () => other.shop.secretKey, () => null],
      ['ticket', () => null, identity(() => other.shop.secretKey)],
      [
        'link',
        () => null,
        link(
          () => other,
          () => other,
        ),
      ],
      [
        'link for mine',
        () => null,
        link(
          () => mine,
          () => other,
        ),
      ],
    ]
    for (const [what, key, ticket] of theirs) {
      const authenticationTicket = ticket()
      const answer = await call(service.baseUrl, mine.shop, {
        mode: 'sync',
        operation: 'EditCustomer',
        secretKey: key(),
        body: editXml({
          ...(authenticationTicket === null ? SAME : { authenticationTicket }),
          lastName: 'Taken',
        }),
      })
      assert.equal(answer.httpStatus, 403, `${what}: ${answer.text}`)
      assertSilent(answer, what)
    }
  })

  test('the other’s customerId names nobody, exactly like an id that nobody has', async () => {
    const answersTo = async (customerId: string) => {
      const texts: string[] = []
      const bodies = [
        editXml({ ids: { customerId }, lastName: 'Taken' }),
        editXml({ ids: { customerId, webSiteUserId: '198412' } }),
        editXml({
          authenticationTicket: makeSecretLinkTicket(
            { customerId, expiresAt: tomorrow() },
            mine.signingKey,
          ),
        }),
        triggerXml({ ids: { customerId } }, 'email', ORDER),
      ]
      for (const body of bodies) {
        const answer = await call(service.baseUrl, mine.shop, {
          mode: 'sync',
          operation: body.includes('emailMailing') ? 'OrderConfirmation' : 'EditCustomer',
          secretKey: body.includes('authenticationTicket') ? null : mine.shop.secretKey,
          body,
        })
        assert.equal(answer.status, 'ValidationError', answer.text)
        texts.push(answer.text)
      }
      return texts
    }
    assert.deepEqual(await answersTo(other.customerId), await answersTo(NOBODYS_ID))
  })

  test('the same names reach my customer, and only mine', async () => {
    const answers = [
      await call(service.baseUrl, mine.shop, {
        mode: 'sync',
        operation: 'EditCustomer',
        deviceUuid: DEVICE,
        body: editXml({ ...SAME, lastName: 'Changed', subscriptions: [{ isSubscribed: 'false' }] }),
      }),
      await call(service.baseUrl, mine.shop, {
        mode: 'sync',
        operation: 'OrderConfirmation',
        transactionId: other.transactionId,
        body: triggerXml(SAME, 'email', ORDER),
      }),
    ]
    for (const answer of answers) {
      assert.equal(answer.status, 'Success', answer.text)
      assert.equal(answer.customerId, mine.customerId)
      assertSilent(answer, 'the same names')
    }
    const anonymous = await call(service.baseUrl, mine.shop, {
      mode: 'async',
      operation: 'EditCustomer',
      deviceUuid: DEVICE,
      body: editXml({ customFields: { loyaltyLevel: '7' } }),
    })
    assert.equal(anonymous.status, 'Success', anonymous.text)
  })

  test('a transaction is my own, or there is none', async () => {
    const own = await readTransaction(service.baseUrl, mine.shop, SAME_TRANSACTION)
    const theirs = await readTransaction(service.baseUrl, other.shop, SAME_TRANSACTION)
    assert.equal(own.httpStatus, 200)
    assert.notEqual(own.text, theirs.text)
    const hidden = await call(service.baseUrl, other.shop, {
      mode: 'sync',
      operation: 'OrderConfirmation',
      transactionId: SAME_TRANSACTION,
      body: triggerXml(SAME, 'email', ORDER),
    })
    assert.equal(hidden.status, 'TransactionAlreadyProcessed')
    for (const id of ['unknown', `${other.transactionId} `]) {
      assert.equal((await readTransaction(service.baseUrl, mine.shop, id)).httpStatus, 404)
    }
  })

  test('the other’s customer cannot be erased', async () => {
    const { code, err } = await posthouse(
      ['customers', 'erase', '--project', 'mine', '--customer', other.customerId, '--yes'],
      { POSTHOUSE_DATABASE_URL: place.url },
    )
    assert.equal(code, 1)
    assert.match(err, /has no customer/)
    const erased = await posthouse(
      ['customers', 'erase', '--project', 'mine', '--customer', mine.customerId, '--yes'],
      { POSTHOUSE_DATABASE_URL: place.url },
    )
    assert.equal(erased.code, 0, erased.err)
  })
})

test('after all of that, every row of the other project is as it was', async () => {
  await eventually('the inbox is empty', () => isDrained(place.database))
  assert.deepEqual(await dumpProject(place.database, other.shop.projectId), otherBefore)
  await checkConsistency(place.database)
})
