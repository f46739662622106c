import { type ChildProcess, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'

export interface Started extends AsyncDisposable {
  child: ChildProcess
  port: number
}

/** Starts one of our programs and waits for a line that ends with the port it listens on. */
export async function startProgram(
  file: string,
  args: string[],
  environment: Record<string, string> = {},
): Promise<Started> {
  // Our own programs start as an operator starts them, with the settings of the runtime that are there.
  const [command, first] = file.endsWith('.ts') ? [process.execPath, [file]] : [file, []]
  const child = spawn(command, [...first, ...args], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })
  for await (const line of lines) {
    const port = /ready on (?:http:\/\/.*:)?(\d+)/.exec(line)?.[1]
    if (port === undefined) continue
    return { child, port: Number(port), [Symbol.asyncDispose]: () => stop(child) }
  }
  throw new Error(`${file} ended before it was ready`)
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
}

/** Runs a program to its end and returns the JSON of its last line. */
export async function runProgram<T>(file: string, args: string[]): Promise<T> {
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text
  })
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (code !== 0) throw new Error(`${file} ended with code ${code}`)
  return JSON.parse(output.trim().split('\n').at(-1) ?? '') as T
}

export async function rssMbOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024
}
