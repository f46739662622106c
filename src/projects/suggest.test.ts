import assert from 'node:assert/strict'
import { test } from 'node:test'
import { editDistance, nearest, suggestionFor } from './suggest.ts'

test('letters inserted, removed, replaced and swapped count one each', () => {
  assert.equal(editDistance('news', 'newss', 9), 1)
  assert.equal(editDistance('news', 'nws', 9), 1)
  assert.equal(editDistance('news', 'nows', 9), 1)
  assert.equal(editDistance('news', 'nwes', 9), 1)
  assert.equal(editDistance('kitten', 'sitting', 9), 3)
  assert.equal(editDistance('', 'abc', 9), 3)
  assert.equal(editDistance('same', 'same', 0), 0)
})

test('a distance past the limit is no distance', () => {
  assert.equal(editDistance('kitten', 'sitting', 2), undefined)
})

test('the nearest of several words is found, whatever the letter case', () => {
  assert.equal(nearest('mailling', ['channel', 'mailing', 'mailings']), 'mailing')
  assert.equal(nearest('EMAIL', ['Sms', 'Email']), 'Email')
})

test('a beginning stands for the whole word', () => {
  assert.equal(nearest('trigger', ['editCustomer', 'triggerMessage']), 'triggerMessage')
})

test('a word like no other suggests nothing but the short list of the known', () => {
  assert.equal(suggestionFor('zebra', ['Email', 'Sms']), 'Known: Email, Sms.')
  const many = Array.from({ length: 13 }, (_, number) => `word-${number}`)
  assert.equal(suggestionFor('zebra', many), undefined)
  assert.equal(suggestionFor('zebra', []), undefined)
})
