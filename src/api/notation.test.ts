import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { answerNotation, notationOf } from './notation.ts'

describe('the notation of a body', () => {
  const known: [string, 'xml' | 'json'][] = [
    ['application/xml', 'xml'],
    ['text/xml', 'xml'],
    ['application/json', 'json'],
    ['Application/JSON; charset=UTF-8', 'json'],
    ['application/xml;charset="utf-8"', 'xml'],
    ['application/xml; boundary=x', 'xml'],
  ]
  for (const [type, notation] of known) {
    test(`of type ${type} is ${notation}`, () => assert.equal(notationOf(type), notation))
  }

  for (const type of [
    undefined,
    '',
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/xml; charset=iso-8859-1',
    'application/json; charset=utf-16',
    'application/soap+xml',
  ]) {
    test(`of type ${type} is none we read`, () => assert.equal(notationOf(type), undefined))
  }
})

describe('the notation of an answer', () => {
  const cases: [accept: string | undefined, body: 'xml' | 'json' | undefined, 'xml' | 'json'][] = [
    [undefined, 'json', 'json'],
    [undefined, 'xml', 'xml'],
    [undefined, undefined, 'xml'],
    ['*/*', 'json', 'json'],
    ['application/json', 'xml', 'json'],
    ['application/xml', 'json', 'xml'],
    ['text/html, application/json', 'xml', 'json'],
    ['application/json;q=0.5, application/xml', 'json', 'xml'],
    ['application/json;q=0.9, application/xml;q=0.8', 'xml', 'json'],
    ['application/json;q=0', 'xml', 'xml'],
    ['text/html', 'json', 'json'],
    ['', 'json', 'json'],
  ]
  for (const [accept, body, expected] of cases) {
    test(`to Accept "${accept}" after a body in ${body} is ${expected}`, () => {
      assert.equal(answerNotation(accept, body), expected)
    })
  }
})
