import { sqlStateOf } from '#platform/database'

/** A bug of ours that one of the operations of a batch brought to light. */
export class WorkFault extends Error {
  override name = 'WorkFault'
}

/** SQLSTATE classes that speak of the data sent, not of the state of the server. */
const DATA_CLASSES = new Set(['22', '23', '42', '54'])

/**
 * Whether one of the operations is to blame, so that trying again as a whole would fail again. A
 * database that is away, full or shutting down is nobody's fault, and is waited for.
 */
export function isFaultOfData(fault: unknown): boolean {
  return fault instanceof WorkFault || DATA_CLASSES.has(sqlStateOf(fault)?.slice(0, 2) ?? '')
}
