import { branch, leaf, list } from './build-node.ts'
import type { DocumentNode } from './node.ts'

/** Chooses for tests: a number from 0 up to but not including `below`, the same for the same seed. */
export type Choose = (below: number) => number

export function seeded(seed: number): Choose {
  let state = BigInt(seed)
  return (below) => {
    // A linear congruential generator modulo 2^64, of which the upper bits are good.
    state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n)
    return Number(state >> 33n) % below
  }
}

const NAMES = ['customer', 'email', 'ids', '_x', 'a-b.c', 'имя', '__proto__', 'constructor']
const CHARACTERS = ['a', 'Z', '7', ' ', '\n', '\t', '\r', '&', '<', '>', '"', "'", ']]>', '\\', '/']
const RARE = ['é', 'Я', '\u2028', '\u2029', '\u00a0', '\ufeff', '\ufffd', '𝄞', '😀', '&#0;', '\x7f']

/** A tree as a reader could give it; lists, as only JSON has them, if asked for. */
export function randomTree(choose: Choose, name: string, hasLists: boolean): DocumentNode {
  return branch(name, randomChildren(choose, 3, hasLists))
}

export function randomText(choose: Choose): string {
  const alphabet = choose(3) === 0 ? RARE : CHARACTERS
  let text = ''
  for (let length = choose(12); length > 0; length--) text += alphabet[choose(alphabet.length)]
  return text
}

function randomChildren(choose: Choose, levels: number, hasLists: boolean): DocumentNode[] {
  const name = () => NAMES[choose(NAMES.length)] ?? ''
  return Array.from({ length: 1 + choose(4) }, () => randomNode(choose, name(), levels, hasLists))
}

function randomNode(choose: Choose, name: string, levels: number, hasLists: boolean): DocumentNode {
  if (levels > 0 && choose(3) === 0) {
    const children = randomChildren(choose, levels - 1, hasLists)
    if (!hasLists || choose(2) === 0) return branch(name, children)
    for (const child of children) child.name = ''
    return list(name, children)
  }
  return choose(8) === 0 ? { ...leaf(name, ''), isCleared: true } : leaf(name, randomText(choose))
}
