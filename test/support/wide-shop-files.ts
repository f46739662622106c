/** A project that has every setting once, as the files of its folder. */
export const WIDE_SHOP = 'wide-shop'

const PROJECT = `
name: ${WIDE_SHOP}
title: Wide shop
defaultCountry: RU
endpoints:
  website: { title: Web site }
  app: { title: Mobile app }
  till: { title: Till, transactionMechanism: till }
  kiosk: { title: Kiosk, operations: [Edit, EditRarely] }
identifierKinds: [webSiteUserId, crmId, cardNumber]
customFields:
  size: string
  age: integer
  discount: decimal
  isVip: boolean
  petBirthday: date
  lastVisit: dateTime
  colour: { type: enum, values: [red, green] }
  interests: { type: string, list: true }
  luckyNumbers: { type: integer, list: true }
  passportNote: { type: string, personal: true }
topics:
  news: { title: News }
  offers: { title: Offers, subscribedByDefault: false }
operations:
  Edit: { kind: editCustomer }
  EditByTicket: { kind: editCustomer, authentication: ticket }
  EditByEither: { kind: editCustomer, authentication: secretKeyOrTicket }
  EditOpenly: { kind: editCustomer, authentication: none }
  EditKnown: { kind: editCustomer, whenNotFound: ignore }
  EditOrReject: { kind: editCustomer, whenNotFound: reject }
  EditSize: { kind: editCustomer, fields: [ids.webSiteUserId, firstName, customFields.size] }
  EditRarely: { kind: editCustomer, rateLimitPerMinute: 3 }
  EditOpenlyRarely:
    { kind: editCustomer, authentication: none, rateLimitPerMinute: 4, rateLimitPerAddressPerMinute: 2 }
  EditInOrder: { kind: editCustomer, authentication: ticket, rateLimitPerMinute: 20 }
  Order: { kind: triggerMessage, mailings: [order, order-sms, order-viber] }
  OrderKnown: { kind: triggerMessage, mailings: [order-sms], whenNotFound: ignore }
  Welcome: { kind: triggerMessage, mailings: [welcome] }
  WelcomeById: { kind: triggerMessage, mailings: [welcome], fields: [ids] }
  WelcomeOpenly: { kind: triggerMessage, mailings: [welcome], authentication: none }
  News: { kind: triggerMessage, mailings: [news] }
`

const ORDER = `
channel: Email
transactional: true
parameters:
  orderNumber: { type: text, required: true }
  items: html
  total: number
  isPaid: boolean
  deliveryDate: date
  gifts: list
  shop: { type: text, default: Corner }
  extras: { type: list, default: [bag, card] }
subject: Order {{ orderNumber }}
html: "<p>{{ items }}</p>"
`

const MESSAGE = 'transactional: true\ntext: Hello\nparameters: { orderNumber: text }\n'

const MAILINGS: Record<string, string> = {
  'mailings/order.yaml': ORDER,
  'mailings/order-sms.yaml': `channel: Sms\n${MESSAGE}`,
  'mailings/order-viber.yaml': `channel: Viber\n${MESSAGE}`,
  'mailings/welcome.yaml': `channel: Email\nsubject: Welcome\ntransactional: true\ntext: Hello {{ name }}\nparameters: { name: { type: text, default: friend } }\n`,
  'mailings/news.yaml': 'channel: Email\nsubject: News\ntopic: news\ntext: Hello\n',
}

/** By path. `edit` rewrites `project.yaml`. */
export function wideShopFiles(edit = (project: string) => project): Record<string, string> {
  return { ...MAILINGS, 'project.yaml': edit(PROJECT) }
}
