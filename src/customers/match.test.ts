import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
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
  ours,
  siteUser,
} from './customer-fixture.ts'
import type { CustomerRequest, TicketHolder } from './customer-request.ts'
import { match } from './match.ts'
import type { Workspace } from './workspace.ts'

/** Whom a request is about, strongest first, and what named each. */
function matched(workspace: Workspace, changes: Partial<CustomerRequest>): string[] {
  const matching = match(workspace, aRequest(changes))
  assert.equal(matching.kind, 'matched', JSON.stringify(matching))
  return matching.matches.map(({ customer, location }) => `${customer.id} by ${location}`)
}

function refusedAt(workspace: Workspace, changes: Partial<CustomerRequest>): string[] {
  const matching = match(workspace, aRequest(changes))
  assert.equal(matching.kind, 'refused')
  return matching.problems.map(({ location }) => location)
}

describe('without a ticket', () => {
  test('the order is ids as sent, then email, then mobilePhone', () => {
    const clara = aCustomer({ id: '3', email: 'clara@example.com' })
    const workspace = aWorkspace([boris(), clara, anna()])
    const found = matched(workspace, {
      ids: [siteUser('100'), inCrm('none')],
      email: 'clara@example.com',
      mobilePhone: '79160000002',
    })
    assert.deepEqual(found, [
      '1 by /customer/ids/webSiteUserId',
      '3 by /customer/email',
      '2 by /customer/mobilePhone',
    ])
  })

  test('somebody named twice is one match, by the stronger name', () => {
    const found = matched(aWorkspace([anna()]), {
      ids: [siteUser('100')],
      email: 'anna@example.com',
    })
    assert.deepEqual(found, ['1 by /customer/ids/webSiteUserId'])
  })

  test('an email matches whatever its letter case', () => {
    const found = matched(aWorkspace([anna()]), { email: 'ANNA@Example.COM' })
    assert.deepEqual(found, ['1 by /customer/email'])
  })

  test('an unknown email matches nobody', () => {
    assert.deepEqual(matched(aWorkspace([anna()]), { email: 'nobody@example.com' }), [])
  })

  test('one value of two kinds of identifiers is two different things', () => {
    assert.deepEqual(matched(aWorkspace([anna()]), { ids: [inCrm('100')] }), [])
  })

  test('a contact that is cleared names nobody', () => {
    assert.deepEqual(matched(aWorkspace([anna()]), { email: null, deviceUuid: DEVICE }), [])
  })

  test('the customerId of an absorbed customer names the survivor', () => {
    const workspace = aWorkspace([anna()])
    workspace.addSurvivor('77', '1')
    workspace.addSurvivor('66', '77')
    assert.deepEqual(matched(workspace, { ids: [ours('66')] }), ['1 by /customer/ids/customerId'])
  })
})

describe('a customerId that nobody has', () => {
  test('is refused, because the service gives them', () => {
    const ids = [ours('999')]
    for (const whenNotFound of ['create', 'reject'] as const) {
      assert.deepEqual(refusedAt(aWorkspace([]), { ids, whenNotFound }), [
        '/customer/ids/customerId',
      ])
    }
  })

  test('is nobody found where that is ignored', () => {
    assert.deepEqual(matched(aWorkspace([]), { ids: [ours('999')], whenNotFound: 'ignore' }), [])
  })

  test('is refused even so when another value names somebody', () => {
    const sent = { ids: [ours('999')], email: 'anna@example.com', whenNotFound: 'ignore' } as const
    assert.deepEqual(refusedAt(aWorkspace([anna()]), { ...sent, ids: [ours('999')] }), [
      '/customer/ids/customerId',
    ])
  })
})

describe('two matches', () => {
  test('are refused at the weaker one unless a secret key vouches', () => {
    const sent = { ids: [siteUser('100')], mobilePhone: '79160000002' }
    const workspace = aWorkspace([anna(), boris()])
    assert.deepEqual(refusedAt(workspace, { ...sent, trust: 'none' }), ['/customer/mobilePhone'])
    assert.equal(matched(workspace, sent).length, 2)
  })
})

describe('a device', () => {
  const stranger = () => aCustomer({ id: '5' })

  test('matches its owner when nothing else was sent', () => {
    const workspace = aWorkspace([stranger()], [aDevice('5')])
    assert.deepEqual(matched(workspace, { deviceUuid: DEVICE }), ['5 by '])
  })

  test('matches nobody when something else was sent, even if that is unknown', () => {
    const workspace = aWorkspace([stranger()], [aDevice('5')])
    for (const sent of [
      { email: 'new@example.com' },
      { mobilePhone: '79160000009' },
      { ids: [siteUser('9')] },
    ]) {
      assert.deepEqual(matched(workspace, { deviceUuid: DEVICE, ...sent }), [])
    }
  })

  test('matches nobody who has an id or a contact', () => {
    for (const known of [
      { email: 'a@example.com' },
      { mobilePhone: '79160000009' },
      { identifiers: [anIdentifier('crmId', '1', '5')] },
    ]) {
      const workspace = aWorkspace([aCustomer({ id: '5', ...known })], [aDevice('5')])
      assert.deepEqual(matched(workspace, { deviceUuid: DEVICE }), [])
    }
  })

  test('that is unknown matches nobody', () => {
    assert.deepEqual(matched(aWorkspace([stranger()]), { deviceUuid: DEVICE }), [])
  })
})

describe('a ticket', () => {
  const annaByTicket: TicketHolder[] = [
    { kind: 'identifier', idKind: 'webSiteUserId', value: '100' },
    { kind: 'email', email: 'Anna@example.com' },
    { kind: 'mobilePhone', mobilePhone: '79160000001' },
    { kind: 'customer', customerId: '1' },
  ]

  for (const ticket of annaByTicket) {
    test(`names its customer by ${ticket.kind}`, () => {
      const workspace = aWorkspace([anna({ mobilePhone: '79160000001' }), boris()])
      assert.deepEqual(matched(workspace, { ticket, trust: 'ticket' }), [
        '1 by /customer/authenticationTicket',
      ])
    })

    test(`for nobody by ${ticket.kind} is refused`, () => {
      const refused = refusedAt(aWorkspace([boris()]), { ticket, trust: 'ticket' })
      assert.deepEqual(refused, ['/customer/authenticationTicket'])
    })
  }

  test('refuses every value that belongs to somebody else', () => {
    const workspace = aWorkspace([anna(), boris()])
    const ticket = { kind: 'customer', customerId: '1' } as const
    const sent = { ids: [inCrm('B-7')], mobilePhone: '79160000002' }
    assert.deepEqual(refusedAt(workspace, { ticket, trust: 'ticket', ...sent }), [
      '/customer/ids/crmId',
    ])
    const other = { ids: [ours('2')] }
    assert.deepEqual(refusedAt(workspace, { ticket, trust: 'ticket', ...other }), [
      '/customer/ids/customerId',
    ])
  })

  test('lets its own values and free ones through', () => {
    const workspace = aWorkspace([anna(), boris()])
    const ticket = { kind: 'customer', customerId: '1' } as const
    const sent = { ids: [ours('1'), siteUser('100')], mobilePhone: '79160000001' }
    assert.equal(matched(workspace, { ticket, trust: 'ticket', ...sent }).length, 1)
  })

  test('refuses a customerId that nobody has', () => {
    const ticket = { kind: 'customer', customerId: '1' } as const
    const refused = refusedAt(aWorkspace([anna()]), { ticket, trust: 'ticket', ids: [ours('9')] })
    assert.deepEqual(refused, ['/customer/ids/customerId'])
  })
})
