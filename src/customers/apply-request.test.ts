import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { applyRequest } from './apply-request.ts'
import {
  aCustomer,
  aDevice,
  anIdentifier,
  anna,
  aRequest,
  aWorkspace,
  boris,
  DEVICE,
  inCrm,
  NOW,
  rowsOf,
  siteUser,
  statesOf,
} from './customer-fixture.ts'
import type { CustomerRequest } from './customer-request.ts'
import type { Workspace } from './workspace.ts'

function applied(workspace: Workspace, changes: Partial<CustomerRequest>) {
  const outcome = applyRequest(workspace, aRequest(changes), NOW)
  assert.equal(outcome.kind, 'applied', JSON.stringify(outcome))
  return outcome
}

/** Where it was refused; checks that nothing was touched. */
function refusedAt(workspace: Workspace, changes: Partial<CustomerRequest>): string[] {
  const outcome = applyRequest(workspace, aRequest(changes), NOW)
  assert.equal(outcome.kind, 'refused', JSON.stringify(outcome))
  assert.deepEqual(workspace.history, [])
  assert.equal(workspace.created.size + workspace.changed.size + workspace.absorbed.size, 0)
  return outcome.problems.map(({ location }) => location)
}

describe('nobody matches', () => {
  test('a customer is created with everything that was sent', () => {
    const workspace = aWorkspace([])
    const sent = { ids: [siteUser('5')], email: 'eva@example.com', firstName: 'Eva' }
    const { customer, processing } = applied(workspace, sent)
    assert.equal(processing, 'Created')
    assert.deepEqual(workspace.created, new Set([customer]))
    assert.equal(customer.email, 'eva@example.com')
    assert.equal(customer.firstName, 'Eva')
    assert.equal(workspace.byIdentifier(siteUser('5')), customer)
    assert.equal(customer.createdAt, NOW)
  })

  test('a customer of whom nothing is known but a device is created too', () => {
    const workspace = aWorkspace([])
    const { customer, processing } = applied(workspace, { deviceUuid: DEVICE })
    assert.equal(processing, 'Created')
    assert.equal(workspace.device(DEVICE)?.customerId, customer.id)
    assert.equal(rowsOf(workspace, 'CDP.Customers').length, 1)
  })

  test('nothing happens where that is ignored', () => {
    const workspace = aWorkspace([])
    const request = aRequest({
      email: 'eva@example.com',
      whenNotFound: 'ignore',
      deviceUuid: DEVICE,
    })
    assert.deepEqual(applyRequest(workspace, request, NOW), { kind: 'notFound' })
    assert.deepEqual(workspace.history, [])
  })

  test('the request is refused where that is asked for', () => {
    const sent = { email: 'eva@example.com', whenNotFound: 'reject' } as const
    assert.deepEqual(refusedAt(aWorkspace([]), sent), ['/customer'])
  })
})

describe('one matches', () => {
  test('a weaker value that belongs to nobody is an edit', () => {
    const workspace = aWorkspace([anna()])
    const { customer, processing } = applied(workspace, {
      ids: [siteUser('100'), inCrm('A-1')],
      email: 'new@example.com',
    })
    assert.equal(processing, 'Changed')
    assert.equal(customer.email, 'new@example.com')
    assert.equal(workspace.byIdentifier(inCrm('A-1')), customer)
    assert.equal(workspace.byContact('email', 'anna@example.com'), undefined)
  })

  test('nothing new is no change', () => {
    const workspace = aWorkspace([anna()])
    const sent = { ids: [siteUser('100')], email: 'ANNA@example.com' }
    const { customer, processing } = applied(workspace, sent)
    assert.equal(processing, 'NotChanged')
    assert.equal(customer.email, 'anna@example.com')
    assert.deepEqual(workspace.history, [])
    assert.equal(workspace.changed.size, 0)
  })

  test('an identifier of a kind it has already is refused, weaker or stronger', () => {
    const both = anna({
      identifiers: [anIdentifier('webSiteUserId', '100', '1'), anIdentifier('crmId', 'A-1', '1')],
    })
    const weaker = { ids: [siteUser('100'), inCrm('A-2')] }
    assert.deepEqual(refusedAt(aWorkspace([both]), weaker), ['/customer/ids/crmId'])
    const stronger = { ids: [siteUser('101'), inCrm('A-1')] }
    assert.deepEqual(refusedAt(aWorkspace([both]), stronger), ['/customer/ids/webSiteUserId'])
  })

  test('an identifier can be cleared and is free from then on', () => {
    const workspace = aWorkspace([anna()])
    const { customer } = applied(workspace, {
      email: 'anna@example.com',
      clearedIds: ['webSiteUserId', 'crmId'],
    })
    assert.deepEqual(customer.identifiers, [])
    assert.equal(workspace.byIdentifier(siteUser('100')), undefined)
    assert.partialDeepStrictEqual(statesOf(workspace, 'CDP.ExternalCustomerIdsHistory'), [
      { unmergedCustomerId: '1', value: null, _isDeleted: true },
    ])
  })

  test('every sight of a device is a state of its own, later than the last', () => {
    const workspace = aWorkspace([anna()], [aDevice('7')])
    applied(workspace, { email: 'anna@example.com', deviceUuid: DEVICE })
    applied(workspace, { email: 'anna@example.com', deviceUuid: DEVICE })
    const rows = rowsOf(workspace, 'CDP.CustomerDevices')
    assert.deepEqual(
      rows.map((row) => row.at),
      [NOW, NOW + 1],
    )
    assert.equal(workspace.device(DEVICE)?.customerId, '1')
  })
})

describe('two match', () => {
  test('they are merged when no kind of identifier would have two values', () => {
    const workspace = aWorkspace([anna(), boris()])
    const { customer, processing } = applied(workspace, {
      ids: [siteUser('100'), inCrm('B-7')],
    })
    assert.equal(processing, 'Merged')
    assert.equal(customer.id, '1')
    assert.equal(customer.mobilePhone, '79160000002')
    assert.equal(workspace.byId('2'), customer)
  })

  test('they are refused, at the weaker one only, when they hold two values of a kind', () => {
    const other = boris({
      identifiers: [anIdentifier('webSiteUserId', '200', '2'), anIdentifier('crmId', 'B-7', '2')],
    })
    const sent = { ids: [siteUser('100'), inCrm('B-7')] }
    assert.deepEqual(refusedAt(aWorkspace([anna(), other]), sent), ['/customer/ids/crmId'])
    const byContact = { ids: [siteUser('100')], mobilePhone: '79160000002' }
    assert.deepEqual(refusedAt(aWorkspace([anna(), other]), byContact), ['/customer/mobilePhone'])
  })

  test('of three, the one that cannot be merged is named, and nobody is', () => {
    const clara = aCustomer({
      id: '3',
      email: 'clara@example.com',
      identifiers: [anIdentifier('crmId', 'C-3', '3')],
    })
    const sent = { ids: [siteUser('100'), inCrm('B-7')], email: 'clara@example.com' }
    assert.deepEqual(refusedAt(aWorkspace([anna(), boris(), clara]), sent), ['/customer/email'])
  })
})

describe('a request that nobody vouches for', () => {
  const openly = { trust: 'none' } as const

  test('may create a customer with contacts and ids, but with no password', () => {
    const sent = { ids: [siteUser('5')], email: 'eva@example.com' }
    assert.equal(applied(aWorkspace([]), { ...openly, ...sent }).processing, 'Created')
    const withPassword = { ...openly, ...sent, passwordHash: 'hash' }
    assert.deepEqual(refusedAt(aWorkspace([]), withPassword), ['/customer/password'])
  })

  test('changes no contact, id or password of anybody', () => {
    const cases: [Partial<CustomerRequest>, string][] = [
      [{ ids: [siteUser('100')], email: 'new@example.com' }, '/customer/email'],
      [{ ids: [siteUser('100')], email: null }, '/customer/email'],
      [{ ids: [siteUser('100')], mobilePhone: '79160000009' }, '/customer/mobilePhone'],
      [{ ids: [siteUser('100'), inCrm('A-1')] }, '/customer/ids/crmId'],
      [{ email: 'anna@example.com', clearedIds: ['webSiteUserId'] }, '/customer/ids/webSiteUserId'],
      [{ ids: [siteUser('100')], passwordHash: 'hash' }, '/customer/password'],
      [{ ids: [siteUser('100')], passwordHash: null }, '/customer/password'],
    ]
    for (const [sent, location] of cases) {
      assert.deepEqual(refusedAt(aWorkspace([anna()]), { ...openly, ...sent }), [location])
    }
  })

  test('may change the name and send what is known already', () => {
    const sent = { ids: [siteUser('100')], email: 'Anna@example.com', firstName: 'Anna' }
    assert.equal(applied(aWorkspace([anna()]), { ...openly, ...sent }).processing, 'Changed')
  })
})

describe('a contact that is needed', () => {
  const needed = { neededContact: 'email' } as const

  test('may come with the request, from the customer, or from one that is merged into it', () => {
    applied(aWorkspace([boris()]), { ...needed, ids: [inCrm('B-7')], email: 'b@example.com' })
    applied(aWorkspace([anna()]), { ...needed, ids: [siteUser('100')] })
    const mailless = anna({ email: null })
    const other = aCustomer({ id: '4', email: 'd@example.com', mobilePhone: '79160000004' })
    const sent = { ids: [siteUser('100')], mobilePhone: '79160000004' }
    const { customer } = applied(aWorkspace([mailless, other]), { ...needed, ...sent })
    assert.equal(customer.email, 'd@example.com')
  })

  test('is refused when it is missing or being cleared', () => {
    const missing = { ...needed, ids: [inCrm('B-7')] }
    assert.deepEqual(refusedAt(aWorkspace([boris()]), missing), ['/customer/email'])
    const cleared = { ...needed, ids: [siteUser('100')], email: null }
    assert.deepEqual(refusedAt(aWorkspace([anna()]), cleared), ['/customer/email'])
    const phone = { neededContact: 'mobilePhone', email: 'new@example.com' } as const
    assert.deepEqual(refusedAt(aWorkspace([]), phone), ['/customer/mobilePhone'])
  })
})
