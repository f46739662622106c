import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isoOf } from '#history'
import type { Customer } from './customer.ts'
import { anna, aRequest, aWorkspace, BEFORE, NOW, rowsOf, statesOf } from './customer-fixture.ts'
import type { CustomerRequest } from './customer-request.ts'
import { editCustomer } from './edit-customer.ts'
import type { Workspace } from './workspace.ts'

function edit(
  workspace: Workspace,
  customer: Customer,
  changes: Partial<CustomerRequest>,
  now = NOW,
): boolean {
  const request = aRequest(changes)
  return editCustomer(workspace, { customer, request, now, isNew: false })
}

describe('own fields', () => {
  test('that are missing stay, that are null are cleared, that are sent are set', () => {
    const customer = anna({ firstName: 'Anna', lastName: 'Ivanova', birthDate: '1990-01-01' })
    assert.equal(edit(aWorkspace([customer]), customer, { lastName: null, firstName: 'Ann' }), true)
    assert.equal(customer.firstName, 'Ann')
    assert.equal(customer.lastName, null)
    assert.equal(customer.birthDate, '1990-01-01')
  })

  test('make one state of the customer, whatever their number', () => {
    const customer = anna()
    const workspace = aWorkspace([customer])
    edit(workspace, customer, { firstName: 'Anna', lastName: 'Ivanova', birthDate: '1990-01-01' })
    assert.deepEqual(statesOf(workspace, 'CDP.Customers'), [
      {
        id: '1',
        email: 'anna@example.com',
        mobilePhone: null,
        lastName: 'Ivanova',
        firstName: 'Anna',
        birthDate: '1990-01-01',
        hasPassword: false,
        creationDateTimeUtc: isoOf(BEFORE),
        lastChangeDateTimeUtc: isoOf(NOW),
        _isDeleted: false,
      },
    ])
  })

  test('a password is told of, never told', () => {
    const customer = anna()
    const workspace = aWorkspace([customer])
    edit(workspace, customer, { passwordHash: '$argon2id$secret' })
    assert.doesNotMatch(JSON.stringify(workspace.history), /argon2id/)
    assert.partialDeepStrictEqual(statesOf(workspace, 'CDP.Customers'), [{ hasPassword: true }])
  })
})

describe('custom fields', () => {
  test('are set, replaced and cleared one by one', () => {
    const customer = anna({ customFields: { size: 'L', note: 'n' } })
    const workspace = aWorkspace([customer])
    edit(workspace, customer, { customFields: { size: null, interests: ['a', 'b'] } })
    assert.deepEqual(customer.customFields, { note: 'n', interests: ['a', 'b'] })
    assert.partialDeepStrictEqual(statesOf(workspace, 'CDP.CustomerCustomFields'), [
      { fieldSystemName: 'size', value: null, encryptedValue: null, _isDeleted: true },
      { fieldSystemName: 'interests', value: '["a","b"]', encryptedValue: null },
    ])
  })

  test('of a personal kind go to the encrypted column', () => {
    const customer = anna()
    const workspace = aWorkspace([customer])
    edit(workspace, customer, { customFields: { passportNote: 'secret' } })
    assert.partialDeepStrictEqual(statesOf(workspace, 'CDP.CustomerCustomFields'), [
      { fieldSystemName: 'passportNote', value: null, encryptedValue: 'secret' },
    ])
  })

  test('with the value they have already are no change', () => {
    const customer = anna({ customFields: { interests: ['a', 'b'] } })
    const workspace = aWorkspace([customer])
    assert.equal(edit(workspace, customer, { customFields: { interests: ['a', 'b'] } }), false)
    assert.equal(edit(workspace, customer, { customFields: { interests: ['b', 'a'] } }), true)
  })

  test('may be named like what every object has', () => {
    const customer = anna()
    const workspace = aWorkspace([customer])
    assert.equal(edit(workspace, customer, { customFields: { constructor: null } }), false)
    assert.equal(edit(workspace, customer, { customFields: { constructor: 'x' } }), true)
    assert.equal(customer.customFields.constructor, 'x')
  })
})

describe('subscriptions', () => {
  test('removed by a broader one are told of as deleted', () => {
    const customer = anna({
      subscriptions: [{ channel: 'Email', topic: 'news', isSubscribed: true }],
    })
    const workspace = aWorkspace([customer])
    const refusal = { channel: null, topic: null, isSubscribed: false }
    edit(workspace, customer, { subscriptions: [refusal] })
    assert.deepEqual(customer.subscriptions, [refusal])
    const states = statesOf(workspace, 'CDP.CustomerSubscriptions')
    assert.partialDeepStrictEqual(states, [
      { pointOfContact: 'Email', topicSystemName: 'news', isSubscribed: null, _isDeleted: true },
      { pointOfContact: '', topicSystemName: '', isSubscribed: false, _isDeleted: false },
    ])
  })

  test('are written in the order they were sent', () => {
    const customer = anna()
    edit(aWorkspace([customer]), customer, {
      subscriptions: [
        { channel: null, topic: null, isSubscribed: false },
        { channel: 'Sms', topic: null, isSubscribed: true },
      ],
    })
    assert.equal(customer.subscriptions.length, 2)
  })
})

describe('instants', () => {
  const everything = {
    email: 'new@example.com',
    clearedIds: ['webSiteUserId'],
    customFields: { size: 'L', passportNote: 'x' },
    subscriptions: [{ channel: 'Email', topic: null, isSubscribed: true } as const],
  }

  test('of all states of one edit differ and grow', () => {
    const customer = anna()
    const workspace = aWorkspace([customer])
    edit(workspace, customer, everything)
    assert.deepEqual(
      workspace.history.map((row) => row.at),
      [NOW, NOW + 1, NOW + 2, NOW + 3, NOW + 4],
    )
    assert.equal(customer.touchedAt, NOW + 4)
  })

  test('go on from the last one when the clock was set back', () => {
    const customer = anna()
    const workspace = aWorkspace([customer])
    edit(workspace, customer, { firstName: 'A' }, BEFORE - 5_000_000)
    edit(workspace, customer, { firstName: 'B' }, BEFORE - 9_000_000)
    assert.deepEqual(
      rowsOf(workspace, 'CDP.Customers').map((row) => row.at),
      [BEFORE + 1, BEFORE + 2],
    )
  })

  test('are not used up by an edit that changes nothing', () => {
    const customer = anna()
    assert.equal(edit(aWorkspace([customer]), customer, { email: 'anna@example.com' }), false)
    assert.equal(customer.touchedAt, BEFORE)
    assert.equal(customer.changedAt, BEFORE)
  })
})
