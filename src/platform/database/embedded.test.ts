import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, lstat, mkdir, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { Database } from './database.ts'
import { type EmbeddedDatabase, findEmbedded, startEmbedded } from './embedded.ts'

const isRoot = process.getuid?.() === 0

/** Most tests go on with the data of the one before, as starts of a service do. */
let folder: { path: string } & AsyncDisposable
let dataDir: string
before(async () => {
  folder = await temporaryFolder()
  dataDir = join(folder.path, 'data')
})
after(() => folder[Symbol.asyncDispose]())

test('an empty data directory becomes a durable database that only a socket leads to', async () => {
  await using server = await start()
  const settings = await query(
    server,
    `select current_setting('fsync') as fsync, current_setting('listen_addresses') as listens,
            current_setting('server_encoding') as encoding, lower('ÄÖ') as lowered,
            current_setting('synchronous_commit') as commits`,
  )
  const expected = { fsync: 'on', listens: '', encoding: 'UTF8', lowered: 'äö', commits: 'on' }
  assert.deepEqual(settings, [expected])
  const { mode } = await lstat(String(server.connection.host))
  assert.equal(mode & 0o777, 0o700)
  await query(server, 'create table kept (id int)')
})

test('what was written is there after a restart, and no process was left in between', async () => {
  const server = await start()
  const { pid } = server
  await query(server, 'insert into kept values (1)')
  await server[Symbol.asyncDispose]()
  assert.equal(isAlive(pid), false)
  await using again = await start()
  assert.deepEqual(await query(again, 'select id from kept'), [{ id: 1 }])
})

test('a server that is killed is started again', async () => {
  const lines: string[] = []
  const exits: string[] = []
  await using server = await startEmbedded({
    dataDir,
    log: (line) => lines.push(line),
    onExit: (reason) => exits.push(reason),
  })
  for (const round of [1, 2]) {
    const { pid } = server
    process.kill(pid, 'SIGKILL')
    await until(() => server.pid !== pid && answers(server))
    assert.equal(exits.length, round)
  }
  assert.deepEqual(await query(server, 'select id from kept'), [{ id: 1 }])
  assert.ok(lines.some((line) => /starting it again in 100 ms/.test(line)))
})

test('disposing of a server that is being started again stops it', async () => {
  const server = await start()
  process.kill(server.pid, 'SIGKILL')
  await sleep(120)
  await server[Symbol.asyncDispose]()
  assert.equal(isAlive(server.pid), false)
})

test('the server ends when its owner is killed, and the next start just works', async () => {
  for (let round = 0; round < 3; round++) {
    const owner = await startOwner(dataDir)
    owner.process.kill('SIGKILL')
    await using server = await start()
    assert.deepEqual(await query(server, 'select id from kept'), [{ id: 1 }])
    assert.equal(isAlive(owner.postmasterPid), false)
  }
})

test('a data directory in use is refused and its user not disturbed', async () => {
  await using server = await start()
  const second = await startOwner(dataDir).catch((error: Error) => error)
  assert.match(String(second), /another process is using the database/)
  assert.deepEqual(await query(server, 'select id from kept'), [{ id: 1 }])
})

test('a database that runs can be found by its data directory, and one that does not cannot', async () => {
  assert.equal(await findEmbedded(join(folder.path, 'nowhere')), null)
  const server = await start()
  assert.deepEqual(await findEmbedded(dataDir), server.connection)
  await server[Symbol.asyncDispose]()
  assert.equal(await findEmbedded(dataDir), null)
})

test('a lock file that names a process which is not a server is no obstacle', async () => {
  const lock = join(dataDir, 'postgres', 'data', 'postmaster.pid')
  const server = await start()
  const text = await readFile(lock, 'utf8')
  await server[Symbol.asyncDispose]()
  await using stranger = await startStranger((await lstat(join(dataDir, 'postgres', 'data'))).uid)
  await writeFile(lock, text.replace(/^\d+/, String(stranger.pid)))
  await using again = await start()
  assert.deepEqual(await query(again, 'select id from kept'), [{ id: 1 }])
})

test('remains of a first start that was cut short are no obstacle', async () => {
  await using own = await temporaryFolder()
  const home = join(own.path, 'postgres')
  await mkdir(join(home, 'data.new-0123456789ab'), { recursive: true, mode: 0o755 })
  await mkdir(join(home, 'program-17.0.0', 'bin'), { recursive: true, mode: 0o755 })
  await using _server = await startEmbedded({ dataDir: own.path, log: () => {} })
  const names = await readdir(home)
  assert.ok(names.includes('data'))
  assert.ok(!names.includes('program-17.0.0'))
})

test('two first starts at once make one database, which one of them gets', async () => {
  await using own = await temporaryFolder()
  const outcomes = await Promise.allSettled([startOwner(own.path), startOwner(own.path)])
  const started = outcomes.filter((outcome) => outcome.status === 'fulfilled')
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  assert.equal(started.length, 1)
  assert.match(String(refused[0]?.reason), /another process is using the database/)
  for (const { value } of started) await value.stop()
})

test('a long path gets a short socket elsewhere', async () => {
  await using own = await temporaryFolder()
  const long = join(own.path, 'd'.repeat(120))
  await using server = await startEmbedded({ dataDir: long, log: () => {} })
  const host = String(server.connection.host)
  assert.ok(host.length < 80)
  await query(server, 'select 1')
  await server[Symbol.asyncDispose]()
  await rm(host, { recursive: true })
})

test('data of another major version is refused with the way out', async () => {
  await using own = await temporaryFolder()
  const data = join(own.path, 'postgres', 'data')
  await mkdir(data, { recursive: true, mode: 0o755 })
  await writeFile(join(data, 'PG_VERSION'), '15\n')
  await assert.rejects(startEmbedded({ dataDir: own.path, log: () => {} }), /PostgreSQL 15/)
})

test('a closed data directory of root leads to a folder outside', { skip: !isRoot }, async () => {
  await using own = await temporaryFolder()
  await chmod(own.path, 0o700)
  const lines: string[] = []
  const server = await startEmbedded({ dataDir: own.path, log: (line) => lines.push(line) })
  const outside = await readlink(join(own.path, 'postgres'))
  try {
    assert.match(lines[0] ?? '', new RegExp(`the database is in ${outside}`))
    await query(server, 'create table kept (id int)')
    await server[Symbol.asyncDispose]()
    await using again = await startEmbedded({ dataDir: own.path, log: () => {} })
    assert.deepEqual(await query(again, 'select id from kept'), [])
  } finally {
    await server[Symbol.asyncDispose]()
    await rm(outside, { recursive: true })
  }
  await assert.rejects(startEmbedded({ dataDir: own.path, log: () => {} }), /does not exist/)
})

function start(): Promise<EmbeddedDatabase> {
  return startEmbedded({ dataDir, log: () => {} })
}

interface Owner {
  process: ChildProcess
  postmasterPid: number
  stop(): Promise<void>
}

/** Another process that starts the database and holds it until it is killed. */
async function startOwner(path: string): Promise<Owner> {
  const script = `import { startEmbedded } from ${JSON.stringify(import.meta.resolve('./embedded.ts'))}
    const options = { dataDir: ${JSON.stringify(path)}, log: () => {} }
    const server = await startEmbedded(options).catch((error) => { console.log(error.message); process.exit(1) })
    console.log(server.pid)
    process.on('SIGTERM', () => server[Symbol.asyncDispose]())`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  const stop = async () => {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  if (!/^\d+$/.test(line)) {
    await once(child, 'exit')
    throw new Error(line)
  }
  return { process: child, postmasterPid: Number(line), stop }
}

/** A process of the server's account that has nothing to do with it. */
async function startStranger(uid: number): Promise<{ pid: number } & AsyncDisposable> {
  const child = spawn('sleep', ['60'], { cwd: '/', ...(isRoot ? { uid } : {}) })
  await once(child, 'spawn')
  return {
    pid: child.pid ?? 0,
    [Symbol.asyncDispose]: async () => {
      child.kill()
      await once(child, 'exit')
    },
  }
}

async function query(server: EmbeddedDatabase, text: string): Promise<object[]> {
  await using database = new Database({
    connection: server.connection,
    maxConnections: 1,
    onIdleError: () => {},
  })
  return database.query({ text })
}

async function answers(server: EmbeddedDatabase): Promise<boolean> {
  return query(server, 'select 1').then(
    () => true,
    () => false,
  )
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20_000
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error('it did not come true in time')
    await sleep(20)
  }
}
