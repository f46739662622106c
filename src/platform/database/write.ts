import type { Statement } from './sql.ts'

/** A statement that only writes, to be sent alone or as a part of a larger one. */
export interface Write {
  name: string
  text: string
  values: unknown[]
}

/**
 * Many writes as one statement: each becomes a part of one `with`. They see the same snapshot and run
 * in no particular order, so none may depend on another. A statement costs about 0.1 ms on top of its
 * rows, which is most of the time of a small batch.
 */
export function combine(writes: Write[]): Statement {
  const names = writes.map((write) => write.name).join('+')
  const values = writes.flatMap((write) => write.values)
  const known = combined.get(names)
  if (known !== undefined) return { ...known, values }
  let offset = 0
  const parts = writes.map((write) => {
    const text = write.text.replace(/\$(\d+)/g, (_, number) => `$${Number(number) + offset}`)
    offset += write.values.length
    return `"${write.name}" as (${text})`
  })
  // PostgreSQL cuts names at 63 characters, so the combination is numbered, not spelled out.
  const made = { name: `combined-${combined.size}`, text: `with ${parts.join(',\n')}\nselect` }
  combined.set(names, made)
  return { ...made, values }
}

/** The texts follow from the names, of which there are few. */
const combined = new Map<string, { name: string; text: string }>()
