import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Customer } from './customer.ts'
import {
  aCustomer,
  aDevice,
  anna,
  aWorkspace,
  BEFORE,
  boris,
  DEVICE,
  inCrm,
  NOW,
  rowsOf,
  statesOf,
} from './customer-fixture.ts'
import { mergeInto } from './merge-customers.ts'

function merged(survivor: Customer, absorbed: Customer, devices = [aDevice(absorbed.id)]) {
  const workspace = aWorkspace([survivor, absorbed], devices)
  mergeInto(workspace, survivor, absorbed, NOW)
  return workspace
}

describe('the survivor', () => {
  test('keeps its contacts and fields and fills its empty ones', () => {
    const survivor = anna({ firstName: 'Anna', customFields: { size: 'S' } })
    const absorbed = boris({
      email: 'boris@example.com',
      firstName: 'Boris',
      lastName: 'Orlov',
      passwordHash: 'hash',
      customFields: { size: 'L', interests: ['tea'], constructor: 'x' },
    })
    const workspace = merged(survivor, absorbed)
    assert.equal(survivor.email, 'anna@example.com')
    assert.equal(survivor.mobilePhone, '79160000002')
    assert.equal(survivor.firstName, 'Anna')
    assert.equal(survivor.lastName, 'Orlov')
    assert.equal(survivor.passwordHash, 'hash')
    assert.deepEqual(survivor.customFields, { size: 'S', interests: ['tea'], constructor: 'x' })
    assert.equal(workspace.byContact('email', 'boris@example.com'), undefined)
    assert.equal(workspace.byContact('mobilePhone', '79160000002'), survivor)
  })

  test('takes over identifiers and devices', () => {
    const survivor = anna()
    const workspace = merged(survivor, boris())
    assert.equal(workspace.byIdentifier(inCrm('B-7')), survivor)
    assert.equal(workspace.device(DEVICE)?.customerId, '1')
    assert.partialDeepStrictEqual(statesOf(workspace, 'CDP.ExternalCustomerIdsHistory'), [
      { unmergedCustomerId: '1', value: 'B-7', historicalCustomerId: '2', _isDeleted: false },
    ])
  })

  test('leaves devices of others alone', () => {
    const workspace = merged(anna(), boris(), [aDevice('9')])
    assert.equal(workspace.device(DEVICE)?.customerId, '9')
    assert.deepEqual(rowsOf(workspace, 'CDP.CustomerDevices'), [])
  })

  test('keeps the stricter answer to every question', () => {
    const survivor = anna({
      subscriptions: [{ channel: 'Email', topic: null, isSubscribed: true }],
    })
    const absorbed = boris({
      subscriptions: [
        { channel: 'Email', topic: null, isSubscribed: false },
        { channel: 'Sms', topic: null, isSubscribed: true },
      ],
    })
    const workspace = merged(survivor, absorbed)
    assert.deepEqual(survivor.subscriptions, [
      { channel: 'Email', topic: null, isSubscribed: false },
      { channel: 'Sms', topic: null, isSubscribed: true },
    ])
    assert.partialDeepStrictEqual(statesOf(workspace, 'CDP.CustomerSubscriptions'), [
      { unmergedCustomerId: '2', pointOfContact: 'Email', _isDeleted: true },
      { unmergedCustomerId: '2', pointOfContact: 'Sms', _isDeleted: true },
      { unmergedCustomerId: '1', pointOfContact: 'Email', isSubscribed: false },
      { unmergedCustomerId: '1', pointOfContact: 'Sms', isSubscribed: true },
    ])
  })
})

describe('the absorbed', () => {
  test('is told of as deleted, and by the merge', () => {
    const workspace = merged(anna(), boris())
    assert.partialDeepStrictEqual(statesOf(workspace, 'CDP.MergedCustomers'), [
      { unmergedCustomerId: '2', mergedCustomerId: '1', _isDeleted: false },
    ])
    assert.partialDeepStrictEqual(statesOf(workspace, 'CDP.Customers'), [
      { id: '2', email: null, mobilePhone: null, _isDeleted: true },
      { id: '1', mobilePhone: '79160000002', _isDeleted: false },
    ])
  })

  test('stays addressable through a chain of merges', () => {
    const [one, two, three] = [anna(), boris(), aCustomer({ id: '3' })]
    const workspace = aWorkspace([one, two, three])
    mergeInto(workspace, two, three, NOW)
    mergeInto(workspace, one, two, NOW)
    assert.equal(workspace.byId('3'), one)
    assert.deepEqual(
      workspace.merges.map(({ absorbedId, survivorId }) => `${absorbedId} -> ${survivorId}`),
      ['3 -> 1', '2 -> 1'],
    )
    assert.partialDeepStrictEqual(statesOf(workspace, 'CDP.MergedCustomers'), [
      { unmergedCustomerId: '3', mergedCustomerId: '2' },
      { unmergedCustomerId: '2', mergedCustomerId: '1' },
      { unmergedCustomerId: '3', mergedCustomerId: '1' },
    ])
  })
})

test('every state of a merge is later than anything either of the two has had', () => {
  const full = { customFields: { size: 'L' }, subscriptions: [], touchedAt: NOW + 50 }
  const workspace = merged(anna({ touchedAt: BEFORE }), boris(full))
  const instants = workspace.history
    .filter((row) => row.table !== 'CDP.CustomerDevices')
    .map((row) => row.at)
  assert(Math.min(...instants) > NOW + 50)
  assert.equal(new Set(instants).size, instants.length)
})
