import { isUnavailable, sqlStateOf, UnknownCommit } from '#platform/database'

/**
 * SQLSTATE classes that speak of the data sent. Not 42 (a column or a right is missing) nor a missing
 * value: our statements do not depend on the data, so those are about the schema, which an operator mends.
 */
const DATA_CLASSES = new Set(['22', '23', '54'])
const NOT_NULL_VIOLATION = '23502'

/**
 * Whether one of the operations is to blame, so that trying again as a whole would fail again. A database
 * that is away, full, stopping or of another version is nobody's fault, and is waited for.
 */
export function isFaultOfData(fault: unknown): boolean {
  const state = sqlStateOf(fault)
  if (state !== undefined)
    return DATA_CLASSES.has(state.slice(0, 2)) && state !== NOT_NULL_VIOLATION
  return !(fault instanceof UnknownCommit) && !isUnavailable(fault)
}
