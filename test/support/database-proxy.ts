import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { ServerAddress } from './test-server.ts'

/** Stands between a pool and PostgreSQL, to look at the bytes and to lose them. */
export interface DatabaseProxy extends AsyncDisposable {
  port: number
  /** Everything that was sent since the last `holdAnswers`, as text. */
  sent(): string
  /** Keeps the server's answers back until the returned function is called. */
  holdAnswers(): () => void
  /** Cuts every connection as soon as a client sends `text`, which may still reach the server. */
  cutAt(text: string, when: 'before' | 'after'): void
}

export async function startDatabaseProxy(address: ServerAddress): Promise<DatabaseProxy> {
  const sockets = new Set<Socket>()
  let sent = ''
  let held: (() => void)[] | null = null
  let cut: { text: string; when: 'before' | 'after' } | null = null

  const server = createServer((client) => {
    const upstream = connect(join(address.socketFolder, '.s.PGSQL.5432'))
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
    }
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
    client.on('data', (bytes) => {
      sent += bytes.toString('latin1')
      const isCut = cut !== null && bytes.toString('latin1').includes(cut.text)
      if (isCut && cut?.when === 'before') client.destroy()
      else upstream.write(bytes)
      // The answer comes when the server has done it, and goes no further than here.
      if (isCut) upstream.removeAllListeners('data').once('data', () => client.destroy())
    })
    upstream.on('data', (bytes) => {
      if (held === null) client.write(bytes)
      else held.push(() => client.write(bytes))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('the proxy has no port')

  return {
    port: bound.port,
    sent: () => sent,
    holdAnswers() {
      sent = ''
      const answers: (() => void)[] = []
      held = answers
      return () => {
        held = null
        for (const answer of answers) answer()
      }
    },
    cutAt(text, when) {
      cut = { text, when }
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
