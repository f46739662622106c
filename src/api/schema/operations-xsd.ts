import { REQUEST_TYPES } from './request-xsd.ts'
import { RESULT_TYPES } from './result-xsd.ts'

/**
 * The XML Schema (1.0) of both envelopes. What a project declares (identifier kinds, custom fields,
 * parameters of mailings) is open in it. It is meant to refuse nothing that the service accepts; the
 * rules that take more than the shape of a document are the service's alone.
 */
export const OPERATIONS_XSD = `<?xml version="1.0" encoding="utf-8"?>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" elementFormDefault="unqualified" version="3">
  <xs:annotation>
    <xs:documentation xml:lang="en">
      The body of POST /v3/operations/{mode} is an operation, its answer a result. The service ignores
      namespaces and unknown attributes; this schema is for documents without a namespace.
    </xs:documentation>
  </xs:annotation>
  <xs:element name="operation" type="Operation"/>
  <xs:element name="result" type="Result"/>
${REQUEST_TYPES}
${RESULT_TYPES}
</xs:schema>
`
