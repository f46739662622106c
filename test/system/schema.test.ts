import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type CallAnswer, call } from '../support/calls.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import type { RunningService } from '../support/processes.ts'
import { openShop, type Shop, startShopService } from '../support/shop.ts'
import { lint, needsXmllint } from '../support/xmllint.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

let place: TestDatabase
let service: RunningService
let shop: Shop
let schema: string

before(async () => {
  place = await testDatabase()
  shop = await openShop(place.database)
  service = await startShopService({ databaseUrl: place.url })
  schema = await (await fetch(`${service.baseUrl}/v3/operations.xsd`)).text()
})

after(async () => {
  await service[Symbol.asyncDispose]()
  await place[Symbol.asyncDispose]()
})

const id = '<ids><webSiteUserId>198412</webSiteUserId></ids>'
const customer = `<customer>${id}<email>anna@example.com</email></customer>`
const withCustomer = (inside: string) =>
  `<operation><customer>${id}${inside}</customer></operation>`
const withSubscription = (inside: string) =>
  withCustomer(`<subscriptions><subscription>${inside}</subscription></subscriptions>`)
const order = '<customParameters><orderNumber>A-1</orderNumber></customParameters>'

/** What the service does, sent to the operation that takes it. */
const accepted = [
  `<?xml version="1.0" encoding="UTF-8"?>\n<operation>${customer}</operation>`,
  `<operation>${customer}<emailMailing>${order}</emailMailing></operation>`,
  `<operation><emailMailing>${order}</emailMailing>${customer}</operation>`,
  `<operation><customer>${id}<mobilePhone>79161234567</mobilePhone></customer>
     <smsMailing>${order}</smsMailing></operation>`,
  `<operation><customer><mobilePhone>+7 (916) 123-45-67</mobilePhone></customer>
     <viberMailing>${order}</viberMailing></operation>`,
  `<operation>${customer}<emailMailing><customParameters><orderNumber>A-1</orderNumber>
     <total>49.90</total><items><![CDATA[<ul><li>Tea & cake</li></ul>]]></items>
     </customParameters></emailMailing></operation>`,
  withCustomer('<lastName>Петрова</lastName><firstName>Анна</firstName>'),
  withCustomer('<birthDate> 1990-04-12\n</birthDate>'),
  withCustomer('<birthDate>0001-01-01</birthDate>'),
  withCustomer('<birthDate>9999-12-31</birthDate>'),
  withCustomer(`<firstName>${'я'.repeat(100)}</firstName>`),
  withCustomer(`<firstName>   ${'🦊'.repeat(100)}   </firstName>`),
  withCustomer('<password>correct horse battery staple</password>'),
  withCustomer('<email/><mobilePhone></mobilePhone><lastName/><birthDate/><password/>'),
  withCustomer('<lastName clear="true"/><birthDate clear="1"/><firstName clear="false"/>'),
  withCustomer('<lastName clear="0">Smith</lastName>'),
  withCustomer('<subscriptions/><customFields/>'),
  withSubscription('<isSubscribed>true</isSubscribed>'),
  withSubscription('<isSubscribed> false </isSubscribed><topic>news</topic>'),
  withSubscription(
    '<pointOfContact>eMAIL</pointOfContact><topic>news</topic><isSubscribed>true</isSubscribed>',
  ),
  withSubscription('<pointOfContact/><topic/><isSubscribed>true</isSubscribed>'),
  withCustomer(`<customFields><loyaltyLevel>7</loyaltyLevel><isVip>true</isVip>
    <interests><value>tea</value><value>books</value></interests>
    <passportNote clear="true"/></customFields>`),
  withCustomer('<customFields><interests/></customFields>'),
  '<operation><customer><ids><crmId clear="true"/><webSiteUserId>198412</webSiteUserId></ids></customer></operation>',
  `<!-- a comment --><?target instruction?><operation version="1">
     <!-- another --><customer note="x">${id}<email type="home">anna@example.com</email></customer>
   </operation>`,
  `<operation xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="urn:x"
     xsi:noNamespaceSchemaLocation="operations.xsd">${customer}</operation>`,
  withCustomer('<lastName>O&apos;Neill &amp; S&#246;hne &lt;Ltd&gt;</lastName>'),
  withCustomer('<email>имя@пример.рф</email>'),
  withCustomer("<email>o'neill+tag@example.com</email>"),
]

/** What the service refuses for its shape or for a value that no project could take. */
const refused = [
  '<operation/>',
  '<customer/>',
  `<Operation>${customer}</Operation>`,
  `<operation>${customer}${customer}</operation>`,
  `<operation>${customer}<emailMailing/><smsMailing/></operation>`,
  `<operation>${customer}<emailMailing>${order}</emailMailing><emailMailing/></operation>`,
  `<operation>${customer}<pushMailing/></operation>`,
  `<operation>${customer}<emailMailing>${order}${order}</emailMailing></operation>`,
  `<operation>${customer}<emailMailing><parameters/></emailMailing></operation>`,
  `<operation>${customer}<emailMailing>text</emailMailing></operation>`,
  `<operation>text${customer}</operation>`,
  withCustomer('<middleName>X</middleName>'),
  withCustomer('<Email>anna@example.com</Email>'),
  withCustomer('<email>anna@example.com</email><email>anna@example.com</email>'),
  withCustomer('<email><address>anna@example.com</address></email>'),
  withCustomer('<email>anna</email>'),
  withCustomer(`<email>a@${'b'.repeat(250)}.com</email>`),
  withCustomer('<email clear="maybe"/>'),
  withCustomer('<mobilePhone>call me</mobilePhone>'),
  withCustomer(`<lastName>${'я'.repeat(101)}</lastName>`),
  withCustomer(`<password>${'x'.repeat(1_001)}</password>`),
  ...['1990-02-30', '12.04.1990', '1990-4-12', '0000-01-01', '10000-01-01', '1990-04-12Z'].map(
    (date) => withCustomer(`<birthDate>${date}</birthDate>`),
  ),
  withCustomer('<subscriptions>Email</subscriptions>'),
  withCustomer('<subscriptions clear="true"/>'),
  withCustomer('<subscriptions><topic>news</topic></subscriptions>'),
  withSubscription('<topic>news</topic>'),
  withSubscription('<isSubscribed>yes</isSubscribed>'),
  withSubscription('<isSubscribed>true</isSubscribed><isSubscribed>true</isSubscribed>'),
  withSubscription('<pointOfContact>Push</pointOfContact><isSubscribed>true</isSubscribed>'),
  withSubscription('<isSubscribed>true</isSubscribed><channel>Email</channel>'),
  '<operation><customer><ids>198412</ids></customer></operation>',
  `<operation>${customer}`,
  `<operation>${customer}</operation><operation/>`,
]

async function send(body: string): Promise<CallAnswer> {
  const operation = body.includes('Mailing') ? 'OrderConfirmation' : 'EditCustomer'
  return await call(service.baseUrl, shop, { mode: 'sync', operation, body })
}

describe('the served schema', needsXmllint, () => {
  test('accepts everything that the service does', async () => {
    const complaints = await lint(schema, accepted)
    for (const [index, body] of accepted.entries()) {
      const answer = await send(body)
      assert.equal(answer.status, 'Success', `${body}\n${answer.text}`)
      assert.equal(complaints[index], '', body)
    }
  })

  test('refuses what the service refuses for its shape', async () => {
    const complaints = await lint(schema, refused)
    for (const [index, body] of refused.entries()) {
      const answer = await send(body)
      const isRefused = answer.status === 'ValidationError' || answer.httpStatus === 400
      assert.ok(isRefused, `${body}\n${answer.text}`)
      assert.notEqual(complaints[index], '', body)
    }
  })

  test('accepts every answer of the service', async () => {
    const answers = [...accepted, ...refused].map(async (body) => (await send(body)).text)
    const texts = await Promise.all(answers)
    assert.deepEqual((await lint(schema, texts)).filter(Boolean), [])
  })

  test('accepts every envelope in the documentation', async () => {
    const pages = globSync('{README.md,docs/**/*.md}', { cwd: ROOT })
    const envelopes = pages.flatMap((page) => envelopesIn(readFileSync(`${ROOT}/${page}`, 'utf8')))
    assert.deepEqual((await lint(schema, envelopes)).filter(Boolean), [])
  })
})

/** Whole documents within fences or commands of a page; those with an ellipsis are not meant as such. */
function envelopesIn(page: string): string[] {
  const found = page.match(/<(operation|result)>[\s\S]*?<\/\1>/g) ?? []
  return found.filter((envelope) => !/\.\.\.|…/.test(envelope))
}
