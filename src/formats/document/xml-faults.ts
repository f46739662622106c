/**
 * What a caller is told for each fault that saxes finds, by the beginning of its message. The parser's
 * own words stay inside: they quote the sender's text at any length and change with its version.
 */
const MESSAGES: readonly (readonly [fault: string, message: string])[] = [
  ['disallowed character in tag name', 'A tag has a malformed name.'],
  ['disallowed character in closing tag', 'A closing tag is malformed.'],
  ['disallowed character in attribute name', 'An attribute has a malformed name.'],
  ['disallowed character in entity name', 'An ampersand begins no entity; write it as &amp;.'],
  ['empty entity name', 'An ampersand begins no entity; write it as &amp;.'],
  ['undefined entity', 'An entity is none of amp, lt, gt, quot and apos.'],
  ['malformed character entity', 'A character reference names no character that XML allows.'],
  ['disallowed character', 'A character is not allowed at this place.'],
  ['the string "]]>"', 'The characters "]]>" are not allowed in text.'],
  ['unexpected close tag', 'A closing tag does not match the open element.'],
  ['unmatched closing tag', 'A closing tag does not match the open element.'],
  ['weird empty close tag', 'A closing tag has no name.'],
  ['unclosed tag', 'The document ends inside an element.'],
  ['unexpected end', 'The document ends too early.'],
  ['text data outside', 'There is text outside the root element.'],
  ['document must contain', 'There is no root element.'],
  ['documents may contain', 'There is a second root element.'],
  ['duplicate attribute', 'An attribute is repeated.'],
  ['attribute without value', 'An attribute has no value.'],
  ['unquoted attribute value', 'The value of an attribute is not quoted.'],
  ['no whitespace between', 'There is no space between two attributes.'],
  ['forward-slash in opening', 'A slash in a tag is not followed by ">".'],
  ['malformed comment', 'A comment is malformed.'],
  ['processing instruction', 'A processing instruction is malformed.'],
  ['inappropriately located', 'A DOCTYPE is not allowed.'],
]

export function messageOfFault(fault: string): string {
  for (const [beginning, message] of MESSAGES) {
    if (fault.startsWith(beginning)) return message
  }
  return 'The XML is not well-formed.'
}
