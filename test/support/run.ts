/**
 * Runs test files against one PostgreSQL that they share: `node test/support/run.ts [what]...`, where
 * `what` is a file, a folder, a part of a path, or an option of `node --test`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connect, startTestServer, TEMPLATE_NAME, type TestServer } from './test-server.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Foreign clients have a run of their own. */
const NOT_HERE = join('test', 'interop')
/** Tests mostly wait for the database and for each other's processes. */
const CONCURRENCY = Math.max(2, availableParallelism())

process.exitCode = await run(process.argv.slice(2))

async function run(args: string[]): Promise<number> {
  const options = args.filter((arg) => arg.startsWith('-'))
  const wanted = args.filter((arg) => !arg.startsWith('-'))
  const files = findFiles(wanted)
  if (files.length === 0) {
    process.stderr.write(`no test file matches ${wanted.join(' ')}\n`)
    return 1
  }
  await using server = await startTestServer()
  const code = await runTests(server, options, files)
  const left = await databasesLeft(server)
  if (left.length === 0) return code
  process.stderr.write(`databases that no test has disposed of: ${left.join(', ')}\n`)
  return code || 1
}

function findFiles(wanted: string[]): string[] {
  const ordinary = globSync('{src,test}/**/*.test.ts', { cwd: ROOT })
    .filter((file) => !file.startsWith(NOT_HERE))
    .sort()
  if (wanted.length === 0) return ordinary
  const found = new Set<string>()
  for (const what of wanted) {
    const path = relative(ROOT, resolve(what))
    if (statSync(what, { throwIfNoEntry: false })?.isFile()) found.add(path)
    for (const file of ordinary)
      if (file.startsWith(`${path}/`) || file.includes(what)) found.add(file)
  }
  return [...found]
}

async function runTests(server: TestServer, options: string[], files: string[]): Promise<number> {
  const args = ['--test', `--test-concurrency=${CONCURRENCY}`, ...options, ...files]
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, POSTHOUSE_TEST_SERVER: JSON.stringify(server.address) },
  })
  // The terminal signals both of us; we stay to stop the server after the tests have ended.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  const [code] = await once(child, 'exit')
  return code ?? 1
}

async function databasesLeft(server: TestServer): Promise<string[]> {
  await using control = connect(server.address, 'postgres', 1)
  const rows = await control.query<{ datname: string }>({
    text: `select datname from pg_database where datname like 'test\\_%' and datname <> $1`,
    values: [TEMPLATE_NAME],
  })
  return rows.map((row) => row.datname)
}
