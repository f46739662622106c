/** Somebody nobody else in this test file is. */
export interface Person {
  webSiteUserId: string
  crmId: string
  cardNumber: string
  email: string
  mobilePhone: string
  deviceUuid: string
}

let count = 0

export function aPerson(name = 'anna'): Person {
  count += 1
  const digits = String(count).padStart(7, '0')
  return {
    webSiteUserId: `site-${count}`,
    crmId: `crm-${count}`,
    cardNumber: `card-${count}`,
    email: `${name}.${count}@example.com`,
    mobilePhone: `7916${digits}`,
    deviceUuid: `5ad03466-a2d3-4b3e-9ebc-0ef3a${digits}`,
  }
}
