import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Channel } from '#projects'
import { seededRandom } from '../../test/support/random.ts'
import { rounds } from '../../test/support/settings.ts'
import type { Subscription } from './customer.ts'
import { answerFor, isSubscribed, strictest, subscribe } from './subscriptions.ts'

const news = { name: 'news', title: 'News', isSubscribedByDefault: true }
const offers = { name: 'offers', title: 'Offers', isSubscribedByDefault: false }

/** `Email/news+`: yes to that. A missing half is all of them, `-` is no. */
function record(text: string): Subscription {
  const [channel = '', topic = ''] = text.slice(0, -1).split('/')
  return {
    channel: (channel || null) as Channel | null,
    topic: topic || null,
    isSubscribed: text.endsWith('+'),
  }
}

const records = (text: string) => text.split(' ').filter(Boolean).map(record)

function spelled(subscriptions: Subscription[]): string {
  return subscriptions
    .map(
      ({ channel, topic, isSubscribed: yes }) =>
        `${channel ?? ''}/${topic ?? ''}${yes ? '+' : '-'}`,
    )
    .sort()
    .join(' ')
}

describe('the most specific record decides', () => {
  const cases: [string, boolean][] = [
    ['/-', false],
    ['/- Email/+', true],
    ['/- Email/+ /news-', false],
    ['/- Email/+ /news- Email/news+', true],
    ['Sms/news- Sms/-', true],
    ['/offers-', true],
  ]
  for (const [held, expected] of cases) {
    test(`"${held}" means ${expected} for news by Email`, () => {
      assert.equal(isSubscribed(records(held), 'Email', news), expected)
    })
  }

  test('without a record the default of the topic decides', () => {
    assert.equal(isSubscribed([], 'Email', news), true)
    assert.equal(isSubscribed([], 'Email', offers), false)
    assert.equal(isSubscribed(records('Sms/offers+'), 'Email', offers), false)
    assert.equal(isSubscribed(records('/+'), 'Email', offers), true)
  })
})

describe('writing', () => {
  const cases: [string, string, string, string][] = [
    ['everything', 'Email/news+ /news+ Email/+ Sms/-', '/-', '/-'],
    ['a channel', 'Email/news+ /news+ Sms/news+', 'Email/-', '/news+ Email/- Sms/news+'],
    ['a topic', 'Email/news+ Email/offers+ Email/+', '/news-', '/news- Email/+ Email/offers+'],
    ['one of both', '/+ Email/+ /news+', 'Email/news-', '/+ /news+ Email/+ Email/news-'],
  ]
  for (const [what, held, change, expected] of cases) {
    test(`${what} removes the narrower records under it and no other`, () => {
      const result = subscribe(records(held), record(change))
      assert.equal(spelled(result.subscriptions), expected)
      assert.equal(result.isChanged, true)
      const kept = new Set(result.subscriptions)
      assert.equal(result.removed.length, records(held).length + 1 - kept.size)
    })
  }

  test('what is there already is no change', () => {
    assert.equal(subscribe(records('/- Email/+'), record('Email/+')).isChanged, false)
  })

  test('the opposite takes the place of the old answer', () => {
    const { subscriptions, removed, isChanged } = subscribe(records('Email/+'), record('Email/-'))
    assert.equal(spelled(subscriptions), 'Email/-')
    assert.deepEqual(removed, [])
    assert.equal(isChanged, true)
  })

  test('the same again is a change when it removes narrower ones', () => {
    const { removed, isChanged } = subscribe(records('/- Email/+'), record('/-'))
    assert.equal(spelled(removed), 'Email/+')
    assert.equal(isChanged, true)
  })
})

describe('of two customers who are one', () => {
  const cases: [string, string, string][] = [
    ['', '', ''],
    ['Email/+', '', 'Email/+'],
    ['Email/+', 'Email/-', 'Email/-'],
    ['/-', 'Email/+', '/- Email/-'],
    ['/news+', 'Email/-', '/news+ Email/- Email/news-'],
    ['Email/news+', '/-', '/- Email/news-'],
  ]
  for (const [one, other, expected] of cases) {
    test(`"${one}" and "${other}" make "${expected}", either way round`, () => {
      assert.equal(spelled(strictest(records(one), records(other))), expected)
      assert.equal(spelled(strictest(records(other), records(one))), expected)
    })
  }

  test('every question gets a no if either said no, and keeps a yes that neither refused', () => {
    const random = seededRandom(7)
    const channels = [null, 'Email', 'Sms', 'Viber'] as const
    const topics = [null, 'news', 'offers']
    const scopes = channels.flatMap((channel) => topics.map((topic) => ({ channel, topic })))
    const some = () =>
      scopes
        .filter(() => random.chance(0.3))
        .map((s) => ({ ...s, isSubscribed: random.chance(0.5) }))
    for (let round = 0; round < rounds(2_000); round++) {
      const [one, other] = [some(), some()]
      const both = strictest(one, other)
      for (const scope of scopes) {
        const answers = [answerFor(one, scope), answerFor(other, scope)]
        const expected = answers.includes(false) ? false : answers.includes(true) ? true : null
        const shown = `${spelled(one)} | ${spelled(other)} | ${JSON.stringify(scope)}`
        assert.equal(answerFor(both, scope), expected, shown)
      }
    }
  })
})
