/**
 * The types of the request. A choice of two sequences says that a mailing element may come before the
 * customer or after it, but only once; the unordered xs:all cannot say that of three names.
 */
export const REQUEST_TYPES = `
  <xs:complexType name="Operation">
    <xs:choice>
      <xs:sequence>
        <xs:element name="customer" type="Customer"/>
        <xs:group ref="mailing" minOccurs="0"/>
      </xs:sequence>
      <xs:sequence>
        <xs:group ref="mailing"/>
        <xs:element name="customer" type="Customer"/>
      </xs:sequence>
    </xs:choice>
    <xs:attributeGroup ref="notClearable"/>
  </xs:complexType>

  <xs:group name="mailing">
    <xs:choice>
      <xs:element name="emailMailing" type="Mailing"/>
      <xs:element name="smsMailing" type="Mailing"/>
      <xs:element name="viberMailing" type="Mailing"/>
    </xs:choice>
  </xs:group>

  <xs:complexType name="Mailing">
    <xs:sequence>
      <xs:element name="customParameters" type="Declared" minOccurs="0"/>
    </xs:sequence>
    <xs:attributeGroup ref="notClearable"/>
  </xs:complexType>

  <xs:complexType name="Customer">
    <xs:all>
      <xs:element name="authenticationTicket" type="Ticket" minOccurs="0"/>
      <xs:element name="ids" type="Declared" minOccurs="0"/>
      <xs:element name="email" type="Email" minOccurs="0"/>
      <xs:element name="mobilePhone" type="MobilePhone" minOccurs="0"/>
      <xs:element name="lastName" type="PersonName" minOccurs="0"/>
      <xs:element name="firstName" type="PersonName" minOccurs="0"/>
      <xs:element name="birthDate" type="BirthDate" minOccurs="0"/>
      <xs:element name="password" type="Password" minOccurs="0"/>
      <xs:element name="subscriptions" type="Subscriptions" minOccurs="0"/>
      <xs:element name="customFields" type="Declared" minOccurs="0"/>
    </xs:all>
    <xs:attributeGroup ref="notClearable"/>
  </xs:complexType>

  <xs:complexType name="Declared">
    <xs:annotation>
      <xs:documentation xml:lang="en">Holds one element for each value, named as the project declares it.</xs:documentation>
    </xs:annotation>
    <xs:sequence>
      <xs:any minOccurs="0" maxOccurs="unbounded" namespace="##any" processContents="skip"/>
    </xs:sequence>
    <xs:attributeGroup ref="notClearable"/>
  </xs:complexType>

  <xs:complexType name="Subscriptions">
    <xs:sequence>
      <xs:element name="subscription" type="Subscription" minOccurs="0" maxOccurs="unbounded"/>
    </xs:sequence>
    <xs:attributeGroup ref="notClearable"/>
  </xs:complexType>

  <xs:complexType name="Subscription">
    <xs:all>
      <xs:element name="pointOfContact" type="PointOfContact" minOccurs="0"/>
      <xs:element name="topic" type="Topic" minOccurs="0"/>
      <xs:element name="isSubscribed" type="IsSubscribed"/>
    </xs:all>
    <xs:attributeGroup ref="notClearable"/>
  </xs:complexType>
${textElement('Ticket', 'ticketText', 'notClearable')}
${textElement('Email', 'emailText', 'clearable')}
${textElement('MobilePhone', 'mobilePhoneText', 'clearable')}
${textElement('PersonName', 'nameText', 'clearable')}
${textElement('BirthDate', 'birthDateText', 'clearable')}
${textElement('Password', 'passwordText', 'clearable')}
${textElement('PointOfContact', 'pointOfContactText', 'notClearable')}
${textElement('Topic', 'topicText', 'notClearable')}
${textElement('IsSubscribed', 'isSubscribedText', 'notClearable')}

  <xs:attributeGroup name="clearable">
    <xs:attribute name="clear">
      <xs:annotation>
        <xs:documentation xml:lang="en">True clears the value. An empty element leaves it as it is.</xs:documentation>
      </xs:annotation>
      <xs:simpleType>
        <xs:restriction base="xs:string"><xs:pattern value="true|1|false|0"/></xs:restriction>
      </xs:simpleType>
    </xs:attribute>
    <xs:anyAttribute namespace="##any" processContents="skip"/>
  </xs:attributeGroup>

  <xs:attributeGroup name="notClearable">
    <xs:attribute name="clear">
      <xs:simpleType>
        <xs:restriction base="xs:string"><xs:pattern value="false|0"/></xs:restriction>
      </xs:simpleType>
    </xs:attribute>
    <xs:anyAttribute namespace="##any" processContents="skip"/>
  </xs:attributeGroup>
${textType('ticketText', 'xs:token', '<xs:maxLength value="8192"/>')}
${textType('emailText', 'xs:token', '<xs:maxLength value="254"/><xs:pattern value="(.+@.+)?"/>')}
${textType('mobilePhoneText', 'xs:token', '<xs:pattern value="\\+?[0-9\\s\\p{Z}()./\\-]*"/>')}
${textType('nameText', 'xs:token', '<xs:maxLength value="100"/>')}
${textType('passwordText', 'xs:string', '<xs:maxLength value="1000"/>')}
${textType('topicText', 'xs:token', '<xs:maxLength value="1000"/>')}
${textType('isSubscribedText', 'xs:token', '<xs:pattern value="true|false"/>')}
${textType('pointOfContactText', 'xs:token', `<xs:pattern value="${inAnyCase('Email')}|${inAnyCase('Sms')}|${inAnyCase('Viber')}|"/>`)}
${textType('emptyText', 'xs:token', '<xs:maxLength value="0"/>')}
${textType('dateText', 'xs:date', '<xs:pattern value="[0-9]{4}-[0-9]{2}-[0-9]{2}"/>')}

  <xs:simpleType name="birthDateText">
    <xs:union memberTypes="dateText emptyText"/>
  </xs:simpleType>`

function textElement(name: string, text: string, attributes: 'clearable' | 'notClearable'): string {
  return `
  <xs:complexType name="${name}">
    <xs:simpleContent>
      <xs:extension base="${text}"><xs:attributeGroup ref="${attributes}"/></xs:extension>
    </xs:simpleContent>
  </xs:complexType>`
}

function textType(name: string, base: string, facets: string): string {
  return `
  <xs:simpleType name="${name}">
    <xs:restriction base="${base}">${facets}</xs:restriction>
  </xs:simpleType>`
}

/** Patterns of XML Schema know no flag for it. */
function inAnyCase(word: string): string {
  return word.replace(/[a-z]/gi, (letter) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`)
}
