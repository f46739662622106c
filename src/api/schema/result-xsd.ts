import {
  CHANNELS,
  MESSAGE_STATUSES,
  PROCESSING_STATUSES,
  RESULT_STATUSES,
  TRANSACTION_STATES,
} from './wire-words.ts'

/** The types of the answer. Which elements come with which status is told in the OpenAPI document. */
export const RESULT_TYPES = `
  <xs:complexType name="Result">
    <xs:all>
      <xs:element name="status" type="resultStatus"/>
      <xs:element name="customer" type="ResultCustomer" minOccurs="0"/>
      <xs:element name="message" type="ResultMessage" minOccurs="0"/>
      <xs:element name="validationMessages" type="ValidationMessages" minOccurs="0"/>
      <xs:element name="errorMessage" type="xs:string" minOccurs="0"/>
      <xs:element name="errorId" type="uuid" minOccurs="0"/>
      <xs:element name="httpStatusCode" type="xs:positiveInteger" minOccurs="0"/>
      <xs:element name="transaction" type="Transaction" minOccurs="0"/>
    </xs:all>
  </xs:complexType>

  <xs:complexType name="ResultCustomer">
    <xs:all>
      <xs:element name="processingStatus" type="processingStatus"/>
      <xs:element name="ids" type="Declared" minOccurs="0"/>
    </xs:all>
  </xs:complexType>

  <xs:complexType name="ResultMessage">
    <xs:all>
      <xs:element name="id" type="xs:string"/>
      <xs:element name="channel" type="channel"/>
      <xs:element name="mailing" type="xs:string"/>
      <xs:element name="status" type="messageStatus"/>
      <xs:element name="history" type="MessageHistory" minOccurs="0"/>
    </xs:all>
  </xs:complexType>

  <xs:complexType name="MessageHistory">
    <xs:sequence>
      <xs:element name="entry" minOccurs="0" maxOccurs="unbounded">
        <xs:complexType>
          <xs:all>
            <xs:element name="status" type="messageStatus"/>
            <xs:element name="at" type="xs:dateTime"/>
            <xs:element name="reason" type="xs:string" minOccurs="0"/>
          </xs:all>
        </xs:complexType>
      </xs:element>
    </xs:sequence>
  </xs:complexType>

  <xs:complexType name="ValidationMessages">
    <xs:sequence>
      <xs:element name="validationMessage" maxOccurs="unbounded">
        <xs:complexType>
          <xs:all>
            <xs:element name="message" type="xs:string"/>
            <xs:element name="location" type="xs:string" minOccurs="0"/>
          </xs:all>
        </xs:complexType>
      </xs:element>
    </xs:sequence>
  </xs:complexType>

  <xs:complexType name="Transaction">
    <xs:all>
      <xs:element name="id" type="xs:string"/>
      <xs:element name="operation" type="xs:string"/>
      <xs:element name="registeredAt" type="xs:dateTime"/>
      <xs:element name="state" type="transactionState"/>
      <xs:element name="errorMessage" type="xs:string" minOccurs="0"/>
      <xs:element name="messages" minOccurs="0">
        <xs:complexType>
          <xs:sequence>
            <xs:element name="message" type="ResultMessage" minOccurs="0" maxOccurs="unbounded"/>
          </xs:sequence>
        </xs:complexType>
      </xs:element>
    </xs:all>
  </xs:complexType>
${enumeration('resultStatus', RESULT_STATUSES)}
${enumeration('processingStatus', PROCESSING_STATUSES)}
${enumeration('messageStatus', MESSAGE_STATUSES)}
${enumeration('channel', CHANNELS)}
${enumeration('transactionState', TRANSACTION_STATES)}

  <xs:simpleType name="uuid">
    <xs:restriction base="xs:token">
      <xs:pattern value="[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"/>
    </xs:restriction>
  </xs:simpleType>`

function enumeration(name: string, values: readonly string[]): string {
  const facets = values.map((value) => `      <xs:enumeration value="${value}"/>`).join('\n')
  return `
  <xs:simpleType name="${name}">
    <xs:restriction base="xs:token">
${facets}
    </xs:restriction>
  </xs:simpleType>`
}
