import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { shopEnvironment } from './shop.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const TIMEOUT_MS = 60_000

export interface CommandResult {
  code: number
  out: string
  err: string
}

/** Runs a command of the program as a process of its own, with the keys of the test's shops. */
export function posthouse(args: string[], env: Record<string, string>): Promise<CommandResult> {
  // The test runner marks its children with NODE_TEST_CONTEXT, and the program is not one of them.
  const { NODE_TEST_CONTEXT: _context, ...inherited } = process.env
  const options = { env: { ...inherited, ...shopEnvironment, ...env }, timeout: TIMEOUT_MS }
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...args], options, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), out, err })
    })
  })
}
