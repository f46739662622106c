/** Past this many a list of the possible words no longer helps anybody. */
const MAX_LISTED = 12

/** What to say beside a word that is not one of `known`. */
export function suggestionFor(word: string, known: Iterable<string>): string | undefined {
  const candidates = [...known]
  const near = nearest(word, candidates)
  if (near !== undefined) return `Did you mean \`${near}\`?`
  if (candidates.length === 0 || candidates.length > MAX_LISTED) return undefined
  return `Known: ${candidates.join(', ')}.`
}

/**
 * The candidate most like the word: a few letters away, or else one that the word abbreviates.
 * Letter case is not counted as a difference.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase()
  const limit = Math.max(1, Math.floor(wanted.length / 3))
  let best: { candidate: string; distance: number } | undefined
  let longer: string | undefined
  for (const candidate of candidates) {
    const folded = candidate.toLowerCase()
    const distance = editDistance(wanted, folded, best === undefined ? limit : best.distance - 1)
    if (distance !== undefined) best = { candidate, distance }
    if (wanted.length >= 3 && folded.startsWith(wanted)) longer ??= candidate
  }
  return best?.candidate ?? longer
}

/**
 * Letters to insert, remove, replace or swap with their neighbour to turn one word into the other;
 * undefined when there are more than `limit`.
 */
export function editDistance(from: string, to: string, limit: number): number | undefined {
  if (Math.abs(from.length - to.length) > limit) return undefined
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1]
      const isSwap =
        row > 1 &&
        column > 1 &&
        from[row - 1] === to[column - 2] &&
        from[row - 2] === to[column - 1]
      current[column] = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
        isSwap ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    beforeLast = last
    last = current
  }
  const distance = at(last, to.length)
  return distance > limit ? undefined : distance
}

function at(row: number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY
}
