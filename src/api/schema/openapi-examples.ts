import { branch, type DocumentNode, leaf, list } from '#formats/document'
import type { Examples } from './openapi-answers.ts'

/** They work as they are with the demo shop, where a fresh ticket takes the place of the cut one. */
export function exampleRequests(): Examples {
  return {
    editCustomer: branch('operation', [branch('customer', customerFields())]),
    changePassword: branch('operation', [
      branch('customer', [
        leaf('authenticationTicket', '45787465726e616c...7c|d5c8b8ca...f94b'),
        leaf('password', 'correct horse battery staple'),
      ]),
    ]),
    triggerMessage: branch('operation', [
      branch('customer', [leaf('email', 'anna@example.com')]),
      branch('emailMailing', [
        branch('customParameters', [
          leaf('orderNumber', 'A-100245'),
          leaf('total', '4590.00'),
          leaf('items', '<ul><li>Tea</li><li>Kettle</li></ul>'),
        ]),
      ]),
    ]),
  }
}

interface ExampleAnswers {
  understood: Examples
  transaction: Examples
  refusal(httpStatusCode: number): Examples
  fault(httpStatusCode: number): Examples
}

export function exampleAnswers(): ExampleAnswers {
  return {
    understood: {
      accepted: result('Success', []),
      edited: result('Success', [customerResult('Changed')]),
      triggered: result('Success', [
        customerResult('Found'),
        branch('message', messageFields('Queued')),
      ]),
      repeated: result('TransactionAlreadyProcessed', []),
      invalid: result('ValidationError', [validationMessages()]),
    },
    transaction: { done: result('Success', [transaction()]) },
    refusal: (code) => ({ refused: failure('ProtocolError', code, refusalMessage(code)) }),
    fault: (code) => ({ failed: failure('InternalServerError', code, 'Please try again later.') }),
  }
}

function customerFields(): DocumentNode[] {
  return [
    branch('ids', [leaf('webSiteUserId', '198412')]),
    leaf('email', 'anna@example.com'),
    { ...leaf('mobilePhone', ''), isCleared: true },
    leaf('firstName', 'Anna'),
    leaf('birthDate', '1990-04-12'),
    list('subscriptions', [
      branch('subscription', [
        leaf('pointOfContact', 'Email'),
        leaf('topic', 'news'),
        leaf('isSubscribed', 'true'),
      ]),
      branch('subscription', [leaf('pointOfContact', 'Sms'), leaf('isSubscribed', 'false')]),
    ]),
    branch('customFields', [leaf('favouriteCategory', 'books')]),
  ]
}

function customerResult(processingStatus: string): DocumentNode {
  return branch('customer', [
    leaf('processingStatus', processingStatus),
    branch('ids', [leaf('customerId', '1042'), leaf('webSiteUserId', '198412')]),
  ])
}

function messageFields(status: string): DocumentNode[] {
  return [
    leaf('id', '88213'),
    leaf('channel', 'Email'),
    leaf('mailing', 'order-confirmation'),
    leaf('status', status),
  ]
}

function validationMessages(): DocumentNode {
  return list('validationMessages', [
    branch('validationMessage', [
      leaf('message', 'This is not an email address.'),
      leaf('location', '/customer/email'),
    ]),
  ])
}

function transaction(): DocumentNode {
  const history = list('history', [
    branch('entry', [leaf('status', 'Queued'), leaf('at', '2026-03-01T12:00:00.000Z')]),
    branch('entry', [
      leaf('status', 'NotDelivered'),
      leaf('at', '2026-03-01T12:00:02.000Z'),
      leaf('reason', 'MailboxFull'),
    ]),
  ])
  return branch('transaction', [
    leaf('id', '3f1c2a9e-6d0b-4a55-9a51-0c6f4e3f7b21'),
    leaf('operation', 'OrderConfirmation'),
    leaf('registeredAt', '2026-03-01T12:00:00.000Z'),
    leaf('state', 'Done'),
    list('messages', [branch('message', [...messageFields('NotDelivered'), history])]),
  ])
}

function refusalMessage(code: number): string {
  switch (code) {
    case 400:
      return 'A closing tag does not match the open element. Line 4, column 12.'
    case 401:
      return 'A secret key is required.'
    case 403:
      return 'The ticket has expired.'
    case 404:
      return 'There is nothing at this address.'
    case 413:
      return 'The body is larger than 1 MiB.'
    case 415:
      return 'The body must be XML or JSON.'
    default:
      return 'Too many requests.'
  }
}

function failure(status: string, httpStatusCode: number, errorMessage: string): DocumentNode {
  return result(status, [
    leaf('errorMessage', errorMessage),
    leaf('errorId', '0d8f6f6c-52c6-4f0e-9f0a-6b7f1f0d2a11'),
    leaf('httpStatusCode', String(httpStatusCode)),
  ])
}

function result(status: string, children: DocumentNode[]): DocumentNode {
  return branch('result', [leaf('status', status), ...children])
}
