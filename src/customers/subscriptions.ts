import type { Channel, Topic } from '#projects'
import type { Subscription } from './customer.ts'

type Scope = Pick<Subscription, 'channel' | 'topic'>

/**
 * Writes one answer. It takes the place of the narrower ones under it, so that a later refusal of
 * everything holds.
 */
export function subscribe(
  subscriptions: Subscription[],
  change: Subscription,
): { subscriptions: Subscription[]; removed: Subscription[]; isChanged: boolean } {
  const isUnder = (other: Subscription) => !isSameScope(other, change) && covers(change, other)
  const removed = subscriptions.filter(isUnder)
  const previous = subscriptions.find((other) => isSameScope(other, change))
  const kept = subscriptions.filter((other) => !isUnder(other) && other !== previous)
  return {
    subscriptions: [...kept, change],
    removed,
    isChanged: removed.length > 0 || previous?.isSubscribed !== change.isSubscribed,
  }
}

/** The customer's own answer for a channel and topic, the most specific record first, or null. */
export function answerFor(subscriptions: Subscription[], scope: Scope): boolean | null {
  const inOrder: Scope[] = [
    scope,
    { channel: null, topic: scope.topic },
    { channel: scope.channel, topic: null },
    { channel: null, topic: null },
  ]
  for (const candidate of inOrder) {
    const record = subscriptions.find((other) => isSameScope(other, candidate))
    if (record !== undefined) return record.isSubscribed
  }
  return null
}

/** Whether a mailing of this topic may be sent over this channel. */
export function isSubscribed(
  subscriptions: Subscription[],
  channel: Channel,
  topic: Topic,
): boolean {
  return answerFor(subscriptions, { channel, topic: topic.name }) ?? topic.isSubscribedByDefault
}

/**
 * For two customers who turn out to be one: every question keeps the stricter of their two answers.
 * Questions are asked from the broadest to the narrowest, and answered where a record of either says
 * something or where the records written so far would answer otherwise.
 */
export function strictest(one: Subscription[], other: Subscription[]): Subscription[] {
  const result: Subscription[] = []
  const all = [...one, ...other]
  for (const scope of questionsOf(all)) {
    const answers = [answerFor(one, scope), answerFor(other, scope)]
    if (answers.every((answer) => answer === null)) continue
    const answer = !answers.includes(false)
    const isStated = all.some((record) => isSameScope(record, scope))
    if (isStated || answerFor(result, scope) !== answer) {
      result.push({ ...scope, isSubscribed: answer })
    }
  }
  return result
}

function questionsOf(records: Subscription[]): Scope[] {
  const channels = new Set(records.map((record) => record.channel))
  const topics = new Set(records.map((record) => record.topic))
  channels.delete(null)
  topics.delete(null)
  return [
    { channel: null, topic: null },
    ...[...channels].map((channel) => ({ channel, topic: null })),
    ...[...topics].map((topic) => ({ channel: null, topic })),
    ...[...channels].flatMap((channel) => [...topics].map((topic) => ({ channel, topic }))),
  ]
}

export function isSameScope(one: Scope, other: Scope): boolean {
  return one.channel === other.channel && one.topic === other.topic
}

function covers(broad: Scope, narrow: Scope): boolean {
  return (
    (broad.channel === null || broad.channel === narrow.channel) &&
    (broad.topic === null || broad.topic === narrow.topic)
  )
}
