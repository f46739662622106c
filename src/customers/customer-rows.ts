import { type HistoryRow, type Instant, isoOf } from '#history'
import type { Customer, Device, FieldValue, Identifier, Subscription } from './customer.ts'
import { fieldText } from './field-value.ts'

/** The published states of a customer's records, with the columns of the export. */

export function customerRow(customer: Customer, at: Instant): HistoryRow {
  return {
    table: 'CDP.Customers',
    at,
    state: {
      id: customer.id,
      email: customer.email,
      mobilePhone: customer.mobilePhone,
      lastName: customer.lastName,
      firstName: customer.firstName,
      birthDate: customer.birthDate,
      hasPassword: customer.passwordHash !== null,
      creationDateTimeUtc: isoOf(customer.createdAt),
      lastChangeDateTimeUtc: isoOf(customer.changedAt),
      _isDeleted: false,
    },
  }
}

/** A customer that is no longer one of its own: merged into another, or erased. */
export function goneCustomerRow(customer: Customer, at: Instant): HistoryRow {
  return {
    table: 'CDP.Customers',
    at,
    state: {
      id: customer.id,
      email: null,
      mobilePhone: null,
      lastName: null,
      firstName: null,
      birthDate: null,
      hasPassword: false,
      creationDateTimeUtc: isoOf(customer.createdAt),
      lastChangeDateTimeUtc: isoOf(at),
      _isDeleted: true,
    },
  }
}

export function identifierRow(
  identifier: Identifier,
  customerId: string,
  at: Instant,
  isDeleted = false,
): HistoryRow {
  return {
    table: 'CDP.ExternalCustomerIdsHistory',
    at,
    state: {
      id: identifier.id,
      unmergedCustomerId: customerId,
      customFieldKindInternalId: identifier.kind,
      value: isDeleted ? null : identifier.value,
      historicalCustomerId: identifier.historicalCustomerId,
      historicalCustomerCreationDateTimeUtc: isoOf(identifier.historicalCreatedAt),
      _isDeleted: isDeleted,
    },
  }
}

/** "All" is the empty text, because a key that is null falls out of most readers' grouping. */
export function subscriptionRow(
  subscription: Subscription,
  customerId: string,
  at: Instant,
  isDeleted = false,
): HistoryRow {
  return {
    table: 'CDP.CustomerSubscriptions',
    at,
    state: {
      unmergedCustomerId: customerId,
      pointOfContact: subscription.channel ?? '',
      topicSystemName: subscription.topic ?? '',
      isSubscribed: isDeleted ? null : subscription.isSubscribed,
      dateTimeUtc: isoOf(at),
      _isDeleted: isDeleted,
    },
  }
}

export function customFieldRow(field: {
  name: string
  value: FieldValue | null
  isPersonal: boolean
  customerId: string
  at: Instant
}): HistoryRow {
  const text = field.value === null ? null : fieldText(field.value)
  return {
    table: 'CDP.CustomerCustomFields',
    at: field.at,
    state: {
      unmergedCustomerId: field.customerId,
      fieldSystemName: field.name,
      value: field.isPersonal ? null : text,
      encryptedValue: field.isPersonal ? text : null,
      _isDeleted: field.value === null,
    },
  }
}

export function deviceRow(device: Device, isDeleted = false): HistoryRow {
  return {
    table: 'CDP.CustomerDevices',
    at: device.lastSeenAt,
    state: {
      deviceUUID: device.uuid,
      unmergedCustomerId: device.customerId,
      firstSeenDateTimeUtc: isoOf(device.firstSeenAt),
      lastSeenDateTimeUtc: isoOf(device.lastSeenAt),
      _isDeleted: isDeleted,
    },
  }
}

export function mergeRow(
  merge: { absorbedId: string; survivorId: string },
  at: Instant,
  isDeleted = false,
): HistoryRow {
  return {
    table: 'CDP.MergedCustomers',
    at,
    state: {
      unmergedCustomerId: merge.absorbedId,
      mergedCustomerId: merge.survivorId,
      dateTimeUtc: isoOf(at),
      _isDeleted: isDeleted,
    },
  }
}
