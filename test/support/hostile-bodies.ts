import { spitefulText } from './hostile-values.ts'
import type { Random } from './random.ts'

export interface HostileBody {
  bytes: Buffer
  notation: 'xml' | 'json'
}

export const MAX_BODY_BYTES = 1024 * 1024

/** Names that mean something in an envelope, and some that do not. */
const NAMES = [
  ...['operation', 'customer', 'ids', 'customerId', 'webSiteUserId', 'crmId', 'email'],
  ...['mobilePhone', 'lastName', 'firstName', 'birthDate', 'subscriptions', 'subscription'],
  ...['pointOfContact', 'topic', 'isSubscribed', 'customFields', 'favouriteCategory'],
  ...['loyaltyLevel', 'discount', 'isVip', 'lastVisit', 'petBirthday', 'interests', 'value'],
  ...['passportNote', 'authenticationTicket', 'emailMailing', 'smsMailing', 'viberMailing'],
  ...['customParameters', 'orderNumber', 'total', 'items', 'pushMailing', 'constructor'],
  ...['__proto__', 'toString', 'Email', 'x:email', 'имя'],
]

const PERSONAL = ['lastName', 'firstName', 'birthDate', 'authenticationTicket']
const FIELDS = [
  ...['favouriteCategory', 'loyaltyLevel', 'discount', 'isVip', 'lastVisit', 'petBirthday'],
  'passportNote',
]

/** One of many ways to send what should not be sent. Some of it is good, which hides the rest. */
export function hostileBody(random: Random): HostileBody {
  const kinds: [weight: number, make: (random: Random) => HostileBody][] = [
    [50, spitefulFields],
    [20, mutated],
    [10, randomTree],
    [5, brokenUtf8],
    [8, trickOfXml],
    [6, trickOfJson],
    [1, large],
  ]
  let point = random.next() * kinds.reduce((sum, [weight]) => sum + weight, 0)
  for (const [weight, make] of kinds) {
    point -= weight
    if (point < 0) return make(random)
  }
  return spitefulFields(random)
}

type Value = string | number | boolean | null | Value[] | { [name: string]: Value }

/** A good envelope with a few values that are chosen to hurt, and often get as far as the work. */
function spitefulFields(random: Random): HostileBody {
  const text = () => spitefulText(random)
  const texts = () => Array.from({ length: random.pick([1, 3, 100, 101]) }, text)
  const ids: Record<string, Value> = { webSiteUserId: `user ${random.below(50)}` }
  const customFields: Record<string, Value> = {}
  const customer: Record<string, Value> = { ids, customFields }
  const parameters: Record<string, Value> = { orderNumber: text() }
  const isTrigger = random.chance(0.3)
  const changes = [
    () => Object.assign(ids, { [random.pick(['webSiteUserId', 'crmId', 'customerId'])]: text() }),
    () => Object.assign(customer, { [random.pick(['email', 'mobilePhone'])]: text() }),
    ...(isTrigger
      ? [() => Object.assign(parameters, { [random.pick(['total', 'items'])]: text() })]
      : [
          () => Object.assign(customer, { [random.pick(PERSONAL)]: text() }),
          () => Object.assign(customFields, { [random.pick(FIELDS)]: text() }),
          () => Object.assign(customFields, { interests: texts() }),
        ]),
  ]
  for (let count = random.below(3); count >= 0; count--) random.pick(changes)()
  if (!isTrigger) return written({ customer }, random)
  const { customFields: _, ...contacts } = customer
  const email = `${random.below(50)}@example.com`
  const emailMailing = { customParameters: parameters }
  return written({ customer: { email, ...contacts }, emailMailing }, random)
}

/** A good envelope with some of its bytes gone, changed, doubled or moved. */
function mutated(random: Random): HostileBody {
  const { notation, bytes } = written(goodEnvelope(random), random)
  let result = bytes
  for (let count = 1 + random.below(4); count > 0; count--) {
    const at = random.below(result.length + 1)
    const to = Math.min(result.length, at + random.below(40))
    const head = result.subarray(0, at)
    const tail = result.subarray(to)
    const changes = [
      () => [head, tail],
      () => [result.subarray(0, to), result.subarray(at, to), tail],
      () => [head, Buffer.from([random.below(256)]), tail],
      () => [head, Buffer.from(random.pick(['<', '>', '&', '"', '{', ']', ',', '\\', '\0'])), tail],
      () => [head],
      () => [tail],
      () => [head, result.subarray(at, to).reverse(), tail],
    ]
    result = Buffer.concat(random.pick(changes)())
  }
  return { notation, bytes: result }
}

/** Known and unknown names, nested and repeated without any sense. */
function randomTree(random: Random): HostileBody {
  const tree = (depth: number): Value => {
    if (depth === 0 || random.chance(0.3)) {
      return random.pick([spitefulText(random), random.below(1e6), true, null, -0.5, 2 ** 53])
    }
    const members = Array.from({ length: random.below(5) }, () => tree(depth - 1))
    if (random.chance(0.2)) return members
    return Object.fromEntries(members.map((member) => [random.pick(NAMES), member]))
  }
  return written(random.chance(0.5) ? { customer: tree(4) } : tree(5), random)
}

function brokenUtf8(random: Random): HostileBody {
  const { notation, bytes } = written(goodEnvelope(random), random)
  const wrong = random.pick([
    [0xff],
    [0xc0, 0x80],
    [0xc1, 0xbf],
    [0xed, 0xa0, 0x80],
    [0xf4, 0x90, 0x80, 0x80],
    [0xe2, 0x82],
    [0x80],
  ])
  const at = random.below(bytes.length)
  const spoiled = Buffer.concat([bytes.subarray(0, at), Buffer.from(wrong), bytes.subarray(at)])
  const otherwise = Buffer.from(bytes.toString('utf8'), 'utf16le')
  return { notation, bytes: random.chance(0.8) ? spoiled : otherwise }
}

function trickOfXml(random: Random): HostileBody {
  const depth = random.pick([29, 30, 31, 32, 33, 5_000])
  const email = `${random.below(50)}@example.com`
  const good = `<operation><customer><email>${email}</email></customer></operation>`
  const inCustomer = (inside: string) => `<operation><customer>${inside}</customer></operation>`
  const laughs = Array.from(
    { length: 10 },
    (_, level) => `<!ENTITY l${level + 1} "${`&l${level};`.repeat(10)}">`,
  )
  const tricks = [
    `<!DOCTYPE operation>${good}`,
    `<!DOCTYPE o [<!ENTITY l0 "lol">${laughs.join('')}]>${inCustomer('<email>&l9;</email>')}`,
    `<!DOCTYPE o [<!ENTITY x SYSTEM "file:///etc/passwd">]>${inCustomer('<email>&x;</email>')}`,
    `<!DOCTYPE o SYSTEM "http://127.0.0.1:1/x.dtd">${good}`,
    `<!DOCTYPE o [<!ENTITY % p SYSTEM "http://127.0.0.1:1/x"> %p;]>${good}`,
    inCustomer('<email>&unknown;</email>'),
    inCustomer('<email>&#0;</email>'),
    inCustomer('<email>&#xd800;</email>'),
    inCustomer('<email>&#x110000;</email>'),
    inCustomer('<firstName>&#1;</firstName>'),
    inCustomer('&#60;email>a@example.com&#60;/email>'),
    `${'<a>'.repeat(depth)}${'</a>'.repeat(depth)}`,
    inCustomer(`${'<ids>'.repeat(depth)}${'</ids>'.repeat(depth)}`),
    inCustomer('<email>a@example.com</email>'.repeat(random.pick([2, 9_000, 11_000]))),
    `<operation>${'<customer/>'.repeat(2)}</operation>`,
    `<operation ${Array.from({ length: 200 }, (_, n) => `a${n}="${n}"`).join(' ')}/>`,
    `<operation a="1" a="2"/>`,
    `<operation xmlns="urn:x" xmlns:x="urn:y"><x:customer/></operation>`,
    `<${'n'.repeat(5_000)}/>`,
    inCustomer(`<${'n'.repeat(5_000)}/>`),
    inCustomer('<email clear="maybe"/>'),
    inCustomer('<email clear="true">a@example.com</email>'),
    inCustomer('<ids clear="true"/><subscriptions clear="true"/>'),
    inCustomer('<email><![CDATA[a@example.com]]]]><![CDATA[>]]></email>'),
    `<?xml version="1.1"?>${good}`,
    `<?xml version="1.0" encoding="utf-16"?>${good}`,
    `<?xml version="1.0" encoding="windows-1251"?>${good}`,
    `<?xml version="1.0" standalone="no"?><?pi ${'x'.repeat(500)}?><!-- -- -->${good}`,
    `\ufeff${good}`,
    ` ${'\n'.repeat(2_000)}${good}`,
    `${good}${good}`,
    `${good}trailing`,
    good.slice(0, random.below(good.length)),
    inCustomer(`mixed<email>${email}</email>`),
    '<operation/>',
    '<',
    '',
  ]
  return { notation: 'xml', bytes: Buffer.from(random.pick(tricks)) }
}

function trickOfJson(random: Random): HostileBody {
  const depth = random.pick([30, 31, 32, 33, 5_000])
  const email = `"${random.below(50)}@example.com"`
  const tricks = [
    `{"customer":{"email":${email},"email":${email}}}`,
    `{"customer":${'{"ids":'.repeat(depth)}1${'}'.repeat(depth)}}`,
    `${'['.repeat(depth)}${']'.repeat(depth)}`,
    `{"customer":{"customFields":{"interests":[${'"a",'.repeat(random.pick([99, 11_000]))}"b"]}}}`,
    `{"__proto__":{"isAdmin":true},"customer":{"email":${email}}}`,
    `{"customer":{"__proto__":{"email":${email}},"constructor":{"prototype":{}}}}`,
    `{"customer":{"email":"\\u0000@example.com"}}`,
    `{"customer":{"email":"\\ud800@example.com"}}`,
    `{"customer":{"firstName":"\\u0001\\u001f","email":${email}}}`,
    `{"customer":{"mobilePhone":79161234567,"ids":{"webSiteUserId":9007199254740993}}}`,
    `{"customer":{"ids":{"webSiteUserId":1e999,"crmId":-1E-999}}}`,
    `{"customer":{"ids":{"webSiteUserId":${'9'.repeat(5_000)}}}}`,
    `{"customer":{"ids":{"customerId":"${'9'.repeat(19)}"}}}`,
    `{"customer":null}`,
    `{"customer":[{"email":${email}}]}`,
    `{"customer":{"email":[${email}],"ids":[],"subscriptions":{}}}`,
    `{"customer":{"email":{"a":${email}},"subscriptions":[null,1,"x",[],{}]}}`,
    `{"customer":{"subscriptions":${JSON.stringify(Array(150).fill({ isSubscribed: true }))}}}`,
    `{"operation":{"customer":{"email":${email}}}}`,
    `{"":{"":""}}`,
    `{"customer":{"email":${email}},}`,
    `{"customer":{"email":${email}}} x`,
    `{'customer':{}}`,
    `{"customer":{"email":"unterminated`,
    `{"customer":{"email":01}}`,
    `{"customer":{"email":"\\x41"}}`,
    `{"customer":{"email":"\ttab"}}`,
    ...['null', 'true', '1', '"text"', '[]', '', '\ufeff{}', '{', '/**/{}', 'NaN'],
  ]
  return { notation: 'json', bytes: Buffer.from(random.pick(tricks)) }
}

/** Around the limit of a body, and far over it. */
function large(random: Random): HostileBody {
  const size = random.pick([MAX_BODY_BYTES - 200, MAX_BODY_BYTES, MAX_BODY_BYTES + 1, 3_000_000])
  const open = '<operation><customer><email>a@example.com</email><firstName>'
  const close = '</firstName></customer></operation>'
  const filler = random.pick(['x', ' ', '&amp;', '<a/>', '\u0001', '&#0;'])
  const length = Math.max(0, size - open.length - close.length)
  const inside = filler.repeat(Math.floor(length / filler.length))
  return { notation: 'xml', bytes: Buffer.from(open + inside + close) }
}

function goodEnvelope(random: Random): Value {
  const number = random.below(50)
  const customer = { ids: { webSiteUserId: `user ${number}` }, email: `${number}@example.com` }
  const parameters = { orderNumber: 'A-1', total: '49.90', items: '<ul><li>Tea</li></ul>' }
  return random.chance(0.5)
    ? { customer, emailMailing: { customParameters: parameters } }
    : {
        customer: {
          ...customer,
          firstName: 'Анна',
          birthDate: '1990-04-12',
          subscriptions: [{ pointOfContact: 'Email', topic: 'news', isSubscribed: true }],
          customFields: { loyaltyLevel: number, interests: ['tea', '🦊'], isVip: false },
        },
      }
}

function written(value: Value, random: Random): HostileBody {
  return random.chance(0.5)
    ? { notation: 'json', bytes: Buffer.from(JSON.stringify(value)) }
    : { notation: 'xml', bytes: Buffer.from(xmlOf('operation', value)) }
}

/** Writes whatever it is given, well-formed or not: names are not checked. */
function xmlOf(name: string, value: Value): string {
  if (value === null) return `<${name} clear="true"/>`
  if (Array.isArray(value)) {
    const item = name === 'subscriptions' ? 'subscription' : 'value'
    return `<${name}>${value.map((one) => xmlOf(item, one)).join('')}</${name}>`
  }
  if (typeof value === 'object') {
    const inside = Object.entries(value).map(([child, one]) => xmlOf(child, one))
    return `<${name}>${inside.join('')}</${name}>`
  }
  const text = String(value).replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)
  return `<${name}>${text}</${name}>`
}
