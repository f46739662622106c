import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { readXml, writeXml } from '#formats/document'
import { exampleAnswers, exampleRequests } from './openapi-examples.ts'
import { OPERATIONS_XSD } from './operations-xsd.ts'

const hasXmllint = spawnSync('xmllint', ['--version']).status === 0
const options = hasXmllint ? {} : { skip: 'xmllint is not installed' }

let folder = ''

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'posthouse-xsd-'))
  writeFileSync(join(folder, 'operations.xsd'), OPERATIONS_XSD)
})

after(() => rmSync(folder, { recursive: true }))

/** What libxml2 has against a document; '' if nothing. */
function complaintsAbout(xml: string): string {
  const schema = join(folder, 'operations.xsd')
  const { status, stderr } = spawnSync('xmllint', ['--noout', '--nonet', '--schema', schema, '-'], {
    input: xml,
    encoding: 'utf8',
    timeout: 10_000,
  })
  return status === 0 ? '' : stderr
}

function assertAccepted(xml: string) {
  assert.equal(complaintsAbout(xml), '', xml)
}

function assertRefused(xml: string) {
  assert.match(complaintsAbout(xml), /Schemas validity error/, xml)
}

const withCustomer = (inside: string) => `<operation><customer>${inside}</customer></operation>`
const withSubscription = (inside: string) =>
  withCustomer(`<subscriptions><subscription>${inside}</subscription></subscriptions>`)

test('the schema is itself a document that the service can read', () => {
  assert.equal(readXml(Buffer.from(OPERATIONS_XSD)).kind, 'read')
})

describe('a request', options, () => {
  test('of the documentation is accepted', () => {
    for (const tree of Object.values(exampleRequests())) assertAccepted(writeXml(tree))
  })

  test('may have its elements in any order and its mailing before or after', () => {
    const customer = '<customer><mobilePhone>79161234567</mobilePhone><ids/></customer>'
    assertAccepted(`<operation>${customer}</operation>`)
    for (const mailing of ['emailMailing', 'smsMailing', 'viberMailing']) {
      assertAccepted(`<operation>${customer}<${mailing}/></operation>`)
      assertAccepted(`<operation><${mailing}/>${customer}</operation>`)
    }
    assertAccepted(withSubscription('<isSubscribed>false</isSubscribed><topic>news</topic>'))
  })

  test('has the names of the project where it declares them', () => {
    assertAccepted(
      `<operation><customer><ids><crmId clear="true"/><webSiteUserId>1</webSiteUserId></ids>
        <customFields><sizes><value>S</value><value>M</value></sizes></customFields></customer>
        <smsMailing><customParameters><a><![CDATA[<b>]]></a><b>2</b></customParameters></smsMailing>
      </operation>`,
    )
  })

  test('may have unknown attributes and declarations of namespaces', () => {
    assertAccepted(
      `<operation xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:x="urn:x" version="1">
        <customer x:y="z"><email x:clear="perhaps" note="1">a@example.com</email></customer>
      </operation>`,
    )
  })

  test('may leave elements empty or clear them', () => {
    const names = 'email mobilePhone lastName firstName birthDate password'.split(' ')
    assertAccepted(withCustomer(names.map((name) => `<${name}/>`).join('')))
    assertAccepted(withCustomer(names.map((name) => `<${name} clear="true"/>`).join('')))
    assertAccepted(withCustomer(names.map((name) => `<${name} clear="0"/>`).join('')))
  })

  test('may have white space around values', () => {
    assertAccepted(withCustomer('<birthDate> 1990-04-12\n</birthDate><email> a@b.c </email>'))
    assertAccepted(withSubscription('<isSubscribed> true </isSubscribed>'))
  })

  test('takes phones as people write them and channels in any case', () => {
    for (const phone of ['79161234567', '+7 (916) 123-45-67', '8/916/1234567']) {
      assertAccepted(withCustomer(`<mobilePhone>${phone}</mobilePhone>`))
    }
    for (const channel of ['Email', 'sms', 'VIBER', '']) {
      assertAccepted(
        withSubscription(
          `<pointOfContact>${channel}</pointOfContact><isSubscribed>true</isSubscribed>`,
        ),
      )
    }
  })

  test('of a wrong shape is refused', () => {
    const customer = '<customer><email>a@example.com</email></customer>'
    const wrong = [
      ...['<operation/>', '<customer/>', `<operation>${customer}${customer}</operation>`],
      `<operation>${customer}<emailMailing/><smsMailing/></operation>`,
      `<operation><emailMailing/>${customer}<emailMailing/></operation>`,
      `<operation><emailMailing/></operation>`,
      `<operation>${customer}<pushMailing/></operation>`,
      `<operation>${customer}<emailMailing><parameters/></emailMailing></operation>`,
      `<operation>${customer}<smsMailing>text</smsMailing></operation>`,
      `<operation>text${customer}</operation>`,
      `<operation xmlns="urn:x">${customer}</operation>`,
      withCustomer('<middleName>X</middleName>'),
      withCustomer('<Email>a@example.com</Email>'),
      withCustomer('<email>a@example.com</email><email/>'),
      withCustomer('<email><b/></email>'),
      withCustomer('<ids>198412</ids>'),
    ]
    for (const xml of wrong) assertRefused(xml)
  })

  test('of wrong values is refused', () => {
    const wrong = [
      withCustomer('<email>anna</email>'),
      withCustomer(`<email>a@${'b'.repeat(254)}</email>`),
      withCustomer('<mobilePhone>call me</mobilePhone>'),
      withCustomer(`<firstName>${'a'.repeat(101)}</firstName>`),
      ...['1990-02-30', '12.04.1990', '1990-04-12Z', '1990-4-12', 'x'].map((date) =>
        withCustomer(`<birthDate>${date}</birthDate>`),
      ),
      ...['yes', 'True', '1', ''].map((value) =>
        withSubscription(`<isSubscribed>${value}</isSubscribed>`),
      ),
      withSubscription('<topic>news</topic>'),
      withSubscription('<pointOfContact>Fax</pointOfContact><isSubscribed>true</isSubscribed>'),
      withCustomer('<email clear="yes"/>'),
      withCustomer('<authenticationTicket clear="true"/>'),
      withCustomer('<subscriptions clear="true"/>'),
    ]
    for (const xml of wrong) assertRefused(xml)
  })
})

describe('a result', options, () => {
  test('of the documentation is accepted', () => {
    const { understood, transaction, refusal, fault } = exampleAnswers()
    const examples = [understood, transaction, refusal(429), fault(503)].flatMap(Object.values)
    for (const tree of examples) assertAccepted(writeXml(tree))
  })

  test('of a wrong shape is refused', () => {
    assertRefused('<result/>')
    assertRefused('<result><status>Ok</status></result>')
    assertRefused('<result><status>Success</status><customer/></result>')
    assertRefused('<result><status>ProtocolError</status><errorId>7</errorId></result>')
    assertRefused('<result><status>ValidationError</status><validationMessages/></result>')
  })
})
