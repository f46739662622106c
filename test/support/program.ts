import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { eventually } from './eventually.ts'

/** `bin/posthouse`, as a person or an init system runs it. */
export interface Program extends AsyncDisposable {
  pid: number
  output(): string
  /** Waits for a piece of output. Rejects when the program ends without it. */
  says(expected: RegExp): Promise<string[]>
  signal(name: NodeJS.Signals): void
  /** How it ended: an exit code or the name of a signal. */
  ended(): Promise<number | string>
}

const POSTHOUSE = fileURLToPath(new URL('../../bin/posthouse', import.meta.url))
/** The promise to operators is ten seconds; a start may take longer. */
const END_TIMEOUT_MS = 10_000

export function runProgram(args: string[], env: Record<string, string> = {}): Program {
  const inherited = Object.entries(process.env).filter(
    // A developer's own settings must not change a test, nor the runner's mark on its children.
    ([name]) => !name.startsWith('POSTHOUSE_') && name !== 'NODE_TEST_CONTEXT',
  )
  const child = spawn(POSTHOUSE, args, {
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const exited = once(child, 'exit')
  return {
    pid: child.pid ?? 0,
    output: () => output,
    says: (expected) =>
      eventually(`${args.join(' ')} says ${expected}`, () => {
        const found = expected.exec(output)
        if (found === null && hasEnded(child)) throw new Error(`it ended and wrote:\n${output}`)
        return found
      }),
    signal: (name) => child.kill(name),
    async ended() {
      await eventually(`the end of ${args.join(' ')}`, () => hasEnded(child), END_TIMEOUT_MS)
      return child.exitCode ?? child.signalCode ?? 'nothing'
    },
    async [Symbol.asyncDispose]() {
      if (!hasEnded(child)) child.kill('SIGKILL')
      await exited
    },
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

/** The command lines of running processes that name a folder. */
export async function processesIn(folder: string): Promise<string[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  const lines = pids.map(async (pid) => {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    return `${pid} ${line.replaceAll('\0', ' ')}`
  })
  return (await Promise.all(lines)).filter((line) => line.includes(folder))
}
