import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { branch, leaf } from './build-node.ts'
import type { ReadOutcome } from './node.ts'
import { randomTree, seeded } from './random-trees.ts'
import { readXml } from './read-xml.ts'
import { writeXml } from './write-xml.ts'

const read = (xml: string) => readXml(Buffer.from(xml))

function rootOf(outcome: ReadOutcome) {
  if (outcome.kind === 'unreadable') assert.fail(JSON.stringify(outcome.problem))
  return outcome.root
}

function problemOf(outcome: ReadOutcome) {
  if (outcome.kind !== 'unreadable') assert.fail(`expected a refusal, got ${outcome.kind}`)
  return outcome.problem
}

function assertRefused(xml: string, message: RegExp) {
  assert.match(problemOf(read(xml)).message, message, xml.slice(0, 200))
}

describe('an envelope', () => {
  test('becomes a tree of elements', () => {
    const outcome = read(`<?xml version="1.0" encoding="UTF-8"?>
      <!-- made by a site -->
      <operation>
        <customer>
          <ids><webSiteUserId>198412</webSiteUserId></ids>
          <email>anna@example.com</email><?skip me?>
        </customer>
        <emailMailing><customParameters>
          <items><![CDATA[<b>Tea & cups</b>]]> and &lt;more&gt;</items>
        </customParameters></emailMailing>
      </operation>
    `)
    assert.deepEqual(outcome, {
      kind: 'read',
      root: branch('operation', [
        branch('customer', [
          branch('ids', [leaf('webSiteUserId', '198412')]),
          leaf('email', 'anna@example.com'),
        ]),
        branch('emailMailing', [
          branch('customParameters', [leaf('items', '<b>Tea & cups</b> and <more>')]),
        ]),
      ]),
    })
  })

  test('keeps the white space of values and drops that between elements', () => {
    const outcome = read('<a>\n  <b> x <!-- y --> z\t</b>\r\n  <c>  </c>\n</a>')
    assert.deepEqual(rootOf(outcome), branch('a', [leaf('b', ' x  z\t'), leaf('c', '  ')]))
  })

  test('may begin with a byte order mark', () => {
    assert.deepEqual(rootOf(read('\ufeff<?xml version="1.0"?><a/>')), leaf('a', ''))
  })

  test('keeps repeated elements, in order', () => {
    const root = branch('a', [leaf('b', '1'), leaf('c', '2'), leaf('b', '3')])
    assert.deepEqual(rootOf(read('<a><b>1</b><c>2</c><b>3</b></a>')), root)
  })

  test('takes the predefined entities and character references', () => {
    const xml = '<a>&amp;&lt;&gt;&quot;&apos;&#65;&#x1F600;&#xD;</a>'
    assert.equal(rootOf(read(xml)).text, '&<>"\'A😀\r')
  })

  test('is harmless with names that mean something to JavaScript', () => {
    const xml = '<a __proto__="1" constructor="2"><__proto__>x</__proto__></a>'
    assert.deepEqual(rootOf(read(xml)), branch('a', [leaf('__proto__', 'x')]))
  })

  test('of another XML 1.x is read as 1.0', () => {
    assert.equal(rootOf(read('<?xml version="1.1"?><a>\u0085x</a>')).text, '\u0085x')
    assertRefused('<?xml version="1.1"?><a>&#1;</a>', /names no character/)
  })
})

describe('attributes and namespaces', () => {
  test('are ignored, and of a prefixed name the local part counts', () => {
    const xml = `<ns:operation xmlns:ns="urn:x" xmlns="urn:y" xmlns:xsi="urn:z" version="2">
      <customer xsi:type="ns:Customer" ns:clear="perhaps"><ns:email>a</ns:email></customer></ns:operation>`
    const root = branch('operation', [branch('customer', [leaf('email', 'a')])])
    assert.deepEqual(rootOf(read(xml)), root)
  })

  test('an unbound prefix is ignored too', () => {
    assert.equal(rootOf(read('<soap:operation/>')).name, 'operation')
  })

  test('clear marks an element', () => {
    for (const value of ['true', '1']) {
      assert.equal(rootOf(read(`<a clear="${value}"/>`)).isCleared, true)
    }
    for (const value of ['false', '0']) {
      assert.equal(rootOf(read(`<a clear='${value}'/>`)).isCleared, false)
    }
    for (const value of ['', 'yes', 'TRUE', ' true']) {
      assertRefused(`<a clear="${value}"/>`, /"clear" is neither/)
    }
  })

  test('malformed names are refused', () => {
    for (const name of [':a', 'a:', 'a:b:c']) assertRefused(`<${name}/>`, /malformed name/)
  })
})

describe('a refusal', () => {
  test('says where, in lines and columns from 1', () => {
    const problem = problemOf(read('<operation>\r\n  <customer>\n    <имя>😀</b>\n'))
    assert.deepEqual(problem, {
      message: 'A closing tag does not match the open element.',
      line: 3,
      column: 14,
    })
    assert.deepEqual(problemOf(read('')), {
      message: 'There is no root element.',
      line: 1,
      column: 1,
    })
  })

  test('of a DOCTYPE points at its beginning', () => {
    const bomb = '<!DOCTYPE a [<!ENTITY b "xx"><!ENTITY c "&b;&b;">]>'
    assert.deepEqual(problemOf(read(`<?xml version="1.0"?>\n ${bomb}<a>&c;</a>`)), {
      message: 'A DOCTYPE is not allowed.',
      line: 2,
      column: 2,
    })
    assertRefused('<a/><!DOCTYPE a>', /DOCTYPE/)
    assertRefused('<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', /DOCTYPE/)
  })

  test('meets what is not well-formed', () => {
    assertRefused('<a>&nbsp;</a>', /none of amp/)
    assertRefused('<a>& b;</a>', /ampersand/)
    assertRefused('<a>&;</a>', /ampersand/)
    assertRefused('<a>&#1;</a>', /names no character/)
    assertRefused('<a>&#xFFFE;</a>', /names no character/)
    assertRefused('<a>&#x;</a>', /names no character/)
    assertRefused('<a>\u0001</a>', /not allowed at this place/)
    assertRefused('<a', /ends too early|no root/)
    assertRefused('<a><b></a></b>', /does not match/)
    assertRefused('<a></a></b>', /does not match/)
    assertRefused('<a>', /ends inside/)
    assertRefused('<a/><b/>', /second root/)
    assertRefused('<a/>text', /outside the root/)
    assertRefused('text', /outside the root/)
    assertRefused('{"customer":{}}', /outside the root/)
    assertRefused('<a b="1" b="2"/>', /repeated/)
    assertRefused('<a b/>', /./)
    assertRefused('<a b=c/>', /not quoted/)
    assertRefused('<a>]]></a>', /not allowed in text/)
    assertRefused('<a><!-- -- --></a>', /comment/)
    assertRefused(' <?xml version="1.0"?><a/>', /./)
  })

  test('meets text beside elements', () => {
    assertRefused('<a>x<b/></a>', /both text and elements/)
    assertRefused('<a><b/>x</a>', /both text and elements/)
    assertRefused('<a><b/>\u00a0</a>', /both text and elements/)
    assertRefused('<a><b/><![CDATA[x]]></a>', /both text and elements/)
    assert.equal(problemOf(read('<a>\n<b/>\n  x\n</a>')).line, 4)
  })

  test('meets another encoding', () => {
    for (const name of ['utf-16', 'windows-1251', 'us-ascii', 'ISO-8859-1']) {
      assertRefused(`<?xml version="1.0" encoding="${name}"?><a/>`, /other than UTF-8/)
    }
    assert.equal(read('<?xml version="1.0" encoding="utf-8"?><a/>').kind, 'read')
  })

  test('meets broken UTF-8', () => {
    const surrogate = [0xed, 0xa0, 0xbd]
    for (const broken of [[0xff], [0xc0, 0x80], [0xd0], surrogate, [0xf4, 0x90, 0x80, 0x80]]) {
      const bytes = Buffer.concat([Buffer.from('<a>\nй'), Buffer.from(broken), Buffer.from('</a>')])
      assert.deepEqual(problemOf(readXml(bytes)), {
        message: 'The body is not valid UTF-8.',
        line: 2,
        column: 2,
      })
    }
    assert.equal(readXml(Buffer.from('\ufeff<a/>', 'utf16le')).kind, 'unreadable')
    assert.equal(readXml(Buffer.from('<a/>', 'utf16le')).kind, 'unreadable')
  })

  test('never quotes the sender', () => {
    const name = 'secret'.repeat(1000)
    for (const xml of [`<${name}>`, `<a></${name}>`, `<a ${name}="1" ${name}="2"/>`]) {
      assert.ok(problemOf(read(xml)).message.length < 100)
    }
  })
})

describe('limits', () => {
  test('32 levels and no more', () => {
    const nested = (depth: number) => '<a>'.repeat(depth) + '</a>'.repeat(depth)
    assert.equal(read(nested(32)).kind, 'read')
    assertRefused(nested(33), /deeper than 32/)
  })

  test('10,000 elements and no more', () => {
    const wide = (count: number) => `<a>${'<b/>'.repeat(count - 1)}</a>`
    assert.equal(rootOf(read(wide(10_000))).children.length, 9_999)
    assertRefused(wide(10_001), /more than 10000 elements/)
  })

  test('10,000 attributes and no more', () => {
    const many = Array.from({ length: 10_001 }, (_, i) => ` a${i}=""`).join('')
    assertRefused(`<a${many}/>`, /more than 10000 attributes/)
  })
})

describe('a forbidden character', () => {
  test('is a flaw of the value and not of the document', () => {
    for (const written of ['&#0;', '&#x0;', '&#x000;', '&#xD83D;', '&#57343;', '\0']) {
      const outcome = read(
        `<operation><customer><email>a${written}b</email></customer></operation>`,
      )
      assert.equal(outcome.kind, 'forbiddenCharacter', JSON.stringify(written))
      assert.ok(outcome.kind === 'forbiddenCharacter')
      assert.equal(outcome.path, '/customer/email')
      assert.deepEqual(outcome.flaws, [{ kind: 'forbiddenCharacter', path: '/customer/email' }])
      assert.equal(rootOf(outcome).children[0]?.children[0]?.text.includes('\0'), false)
    }
  })

  test('is reported for every value, and once', () => {
    const outcome = read('<o><a>&#0;&#0;</a><b><c><![CDATA[\0]]>\0</c></b></o>')
    assert.ok(outcome.kind === 'forbiddenCharacter')
    const paths = outcome.flaws.map((flaw) => flaw.path)
    assert.deepEqual(paths, ['/a', '/b/c'])
  })

  test('does not hide that the rest is unreadable', () => {
    assertRefused('<o><a>&#0;</a>', /ends inside/)
  })

  test('has a bounded report', () => {
    const name = 'n'.repeat(5_000)
    const outcome = read(`<o><${name}>${'<b>&#0;</b><c>&#0;</c>'.repeat(200)}</${name}></o>`)
    assert.ok(outcome.kind === 'forbiddenCharacter')
    assert.equal(outcome.flaws.length, 20)
    assert.ok(outcome.path.length < 200)
  })
})

test('no mutation of an envelope makes the reader throw', () => {
  const choose = seeded(7)
  const pieces = ['<', '>', '&', ';', '/', '"', '<!--', ']]>', '<![CDATA[', '<?', '&#0;', '\0', ':']
  for (let i = 0; i < 3_000; i++) {
    const bytes = Buffer.from(writeXml(randomTree(choose, 'operation', false)))
    const at = choose(bytes.length)
    const piece = Buffer.from(pieces[choose(pieces.length)] ?? '')
    const cut = at + choose(3)
    const mutated = Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(cut)])
    if (choose(2) === 0) mutated[choose(mutated.length)] = choose(256)
    const outcome = readXml(mutated)
    if (outcome.kind === 'unreadable') {
      assert.ok(outcome.problem.line >= 1 && outcome.problem.column >= 1)
    }
  }
})
