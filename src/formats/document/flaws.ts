import type { DocumentNode, Flaw, ReadOutcome } from './node.ts'

/** Enough to mend a request by; more would only make the answer long. */
const MAX_FLAWS = 20

/** Names come from the sender and may be of any length; a path must not be. */
const MAX_NAME_IN_PATH = 100

/** Notes a flaw of the last node of the trail, which leads to it from the root. */
export function noteFlaw(
  flaws: NotedFlaw[],
  kind: Flaw['kind'],
  trail: readonly DocumentNode[],
): void {
  const node = trail.at(-1)
  const last = flaws.at(-1)
  // A million bad characters in one value are one flaw, and its path is made once.
  if (flaws.length >= MAX_FLAWS || (last?.kind === kind && last.node === node)) return
  flaws.push({ kind, path: pathOf(trail), node })
}

export interface NotedFlaw extends Flaw {
  node: DocumentNode | undefined
}

export function outcomeOf(root: DocumentNode, noted: NotedFlaw[]): ReadOutcome {
  const flaws = noted.map(({ kind, path }) => ({ kind, path }))
  const first = flaws[0]
  if (first === undefined) return { kind: 'read', root }
  scrub(root)
  return { kind: first.kind, path: first.path, flaws, root }
}

function pathOf(trail: readonly DocumentNode[]): string {
  let path = ''
  for (let i = 1; i < trail.length; i++) {
    const parent = trail[i - 1]
    const name = trail[i]?.name ?? ''
    path += `/${parent?.isList ? parent.children.length : presentable(name)}`
  }
  return path === '' ? '/' : path
}

function presentable(name: string): string {
  const short = name.length > MAX_NAME_IN_PATH ? `${name.slice(0, MAX_NAME_IN_PATH)}...` : name
  return withoutForbidden(short)
}

/** The tree of a flawed document goes on to other checks, some of which reach the database. */
function scrub(node: DocumentNode): void {
  node.name = withoutForbidden(node.name)
  node.text = withoutForbidden(node.text)
  for (const child of node.children) scrub(child)
}

function withoutForbidden(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd')
}
