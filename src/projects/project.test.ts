import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { aDefinition } from './definition-fixture.ts'
import { findKey, layOut, type ProjectSecrets } from './project.ts'

const signingKey = randomBytes(32)

function aProject(keys: ProjectSecrets['keys'] = [], changes = {}) {
  const definition = aDefinition(changes)
  const stored = { id: 7, name: definition.name, revision: 3, version: 9n, definition }
  return layOut(stored, { signingKey, keys })
}

test('everything is found by its name', () => {
  const project = aProject()
  const order = project.operations.get('Order')
  assert.equal(order?.mailingsByChannel.get('Email')?.name, 'order')
  assert.equal(order?.mailingsByChannel.get('Sms')?.name, 'order-sms')
  assert.equal(order?.mailingsByChannel.get('Viber'), undefined)
  assert.deepEqual(
    [...project.identifierKinds],
    [
      ['siteId', 0],
      ['crmId', 1],
    ],
  )
  assert.equal(project.customFields.get('size')?.type, 'string')
  assert.equal(project.topics.get('news')?.title, 'News')
  assert.equal(project.endpoints.get('website')?.id, 'corner-shop.website')
  assert.equal(project.endpoints.get('website')?.project, project)
})

test('an endpoint may call all operations, or those it lists', () => {
  const endpoint = { name: 'kiosk', title: 'Kiosk', transactionMechanism: 'default' }
  const open = aProject([], { endpoints: [{ ...endpoint, operations: null }] })
  const narrow = aProject([], { endpoints: [{ ...endpoint, operations: ['Edit'] }] })
  assert.equal(open.endpoints.get('kiosk')?.mayCall('Order'), true)
  assert.equal(narrow.endpoints.get('kiosk')?.mayCall('Edit'), true)
  assert.equal(narrow.endpoints.get('kiosk')?.mayCall('Order'), false)
})

test('a key is found among those of its own endpoint only', () => {
  const website = { name: 'website', title: '', transactionMechanism: 'default', operations: null }
  const project = aProject(
    [
      { id: 'k1', endpoint: 'website', value: 'ph_one' },
      { id: 'k2', endpoint: 'website', value: 'ph_two' },
      { id: 'k3', endpoint: 'kiosk', value: 'ph_three' },
    ],
    { endpoints: [website, { ...website, name: 'kiosk' }] },
  )
  const endpoint = project.endpoints.get('website')
  assert.ok(endpoint)
  assert.equal(findKey(endpoint, 'ph_one')?.id, 'k1')
  assert.equal(findKey(endpoint, 'ph_two')?.id, 'k2')
  for (const wrong of ['ph_three', 'ph_on', 'ph_onee', 'PH_ONE', '']) {
    assert.equal(findKey(endpoint, wrong), undefined, wrong)
  }
})
