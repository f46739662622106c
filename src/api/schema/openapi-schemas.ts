import {
  CHANNELS,
  MESSAGE_STATUSES,
  PROCESSING_STATUSES,
  RESULT_STATUSES,
  TRANSACTION_STATES,
} from './wire-words.ts'

/** Every schema serves both notations: the `xml` members say how its arrays and root are written. */
export function schemas(): Record<string, object> {
  return {
    ...requestSchemas(),
    ...resultSchemas(),
    TransactionId: {
      type: 'string',
      ...{ minLength: 1, maxLength: 255 },
      description: 'Printable characters; a UUID is recommended.',
    },
  }
}

function requestSchemas(): Record<string, object> {
  return {
    Operation: {
      ...closedObject({
        customer: ref('Customer'),
        emailMailing: ref('Mailing'),
        smsMailing: ref('Mailing'),
        viberMailing: ref('Mailing'),
      }),
      required: ['customer'],
      // Two of three are one too many, and so are three.
      not: {
        anyOf: [
          { required: ['emailMailing', 'smsMailing'] },
          { required: ['emailMailing', 'viberMailing'] },
          { required: ['smsMailing', 'viberMailing'] },
        ],
      },
      xml: { name: 'operation' },
    },
    Mailing: closedObject({
      customParameters: {
        type: 'object',
        description: 'One member for each parameter of the mailing.',
        additionalProperties: { type: [...SCALARS, 'array'] },
      },
    }),
    Customer: customerSchema(),
    Subscription: {
      ...closedObject({
        pointOfContact: text('Email, Sms or Viber in any case; missing: all channels.'),
        topic: text('Missing: the whole channel.'),
        isSubscribed: { enum: [true, false, 'true', 'false'] },
      }),
      required: ['isSubscribed'],
      xml: { name: 'subscription' },
    },
  }
}

function customerSchema(): object {
  return {
    ...closedObject({
      authenticationTicket: {
        ...text('Names the customer, without a secret key.'),
        maxLength: 8192,
      },
      ids: {
        type: 'object',
        description: 'One member for each identifier kind of the project, and `customerId`.',
        additionalProperties: { type: ['string', 'integer', 'null'], maxLength: 1000 },
      },
      email: { ...clearable(), maxLength: 254 },
      mobilePhone: { type: ['string', 'integer', 'null'] },
      lastName: { ...clearable(), maxLength: 100 },
      firstName: { ...clearable(), maxLength: 100 },
      birthDate: { ...clearable(), pattern: '^([0-9]{4}-[0-9]{2}-[0-9]{2})?$' },
      password: { ...clearable(), maxLength: 1000 },
      subscriptions: wrappedArray('Subscription'),
      customFields: {
        type: 'object',
        description: 'One member for each custom field of the project; an array for a list.',
        additionalProperties: { type: [...SCALARS, 'array'] },
      },
    }),
    description:
      'A missing or empty value leaves the field alone. Null, in XML `clear="true"` on the element, ' +
      'clears it.',
  }
}

function resultSchemas(): Record<string, object> {
  return {
    Result: {
      ...closedObject({
        status: words(RESULT_STATUSES),
        customer: ref('ResultCustomer'),
        message: ref('Message'),
        validationMessages: wrappedArray('ValidationMessage'),
        errorMessage: text('What went wrong, for a person.'),
        errorId: { ...text('Also in the log of the service.'), format: 'uuid' },
        httpStatusCode: { ...text('A string, as every value.'), pattern: '^[45][0-9]{2}$' },
        transaction: ref('Transaction'),
      }),
      required: ['status'],
      xml: { name: 'result' },
    },
    ResultCustomer: {
      ...closedObject({
        processingStatus: words(PROCESSING_STATUSES),
        ids: { type: 'object', additionalProperties: { type: 'string' } },
      }),
      required: ['processingStatus'],
    },
    ValidationMessage: {
      ...closedObject({
        message: text('What is wrong, for a person.'),
        location: text('A path such as /customer/email.'),
      }),
      required: ['message'],
      xml: { name: 'validationMessage' },
    },
    ...messageSchemas(),
    Transaction: {
      ...closedObject({
        id: { type: 'string' },
        operation: { type: 'string' },
        registeredAt: { type: 'string', format: 'date-time' },
        state: words(TRANSACTION_STATES),
        errorMessage: text('Why it failed.'),
        messages: wrappedArray('Message'),
      }),
      required: ['id', 'operation', 'registeredAt', 'state'],
    },
  }
}

function messageSchemas(): Record<string, object> {
  return {
    Message: {
      ...closedObject({
        id: { type: 'string' },
        channel: words(CHANNELS),
        mailing: { type: 'string' },
        status: words(MESSAGE_STATUSES),
        history: wrappedArray('StatusEntry'),
      }),
      required: ['id', 'channel', 'mailing', 'status'],
      xml: { name: 'message' },
    },
    StatusEntry: {
      ...closedObject({
        status: words(MESSAGE_STATUSES),
        at: { type: 'string', format: 'date-time' },
        reason: { type: 'string' },
      }),
      required: ['status', 'at'],
      xml: { name: 'entry' },
    },
  }
}

const SCALARS = ['string', 'number', 'boolean', 'null']

function closedObject(properties: Record<string, object>): object {
  return { type: 'object', properties, additionalProperties: false }
}

function wrappedArray(itemName: string): object {
  return { type: 'array', items: ref(itemName), xml: { wrapped: true } }
}

function ref(name: string): object {
  return { $ref: `#/components/schemas/${name}` }
}

function words(values: readonly string[]): object {
  return { type: 'string', enum: values }
}

function text(description: string): object {
  return { type: 'string', description }
}

function clearable(): object {
  return { type: ['string', 'null'] }
}
