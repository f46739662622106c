import type { Sql } from '#platform/database'

const ANSWER_TIMEOUT_MS = 2_000

export async function isAnswering(sql: Sql): Promise<boolean> {
  try {
    await sql.query({ text: 'select 1', timeoutMs: ANSWER_TIMEOUT_MS })
    return true
  } catch {
    // That it does not answer is the answer.
    return false
  }
}
