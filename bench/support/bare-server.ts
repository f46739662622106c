import type { AddressInfo } from 'node:net'
import { fastify } from 'fastify'

/** The baseline: the same server and body, and an answer that costs nothing. */
const server = fastify()
server.removeAllContentTypeParsers()
server.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, next) => next(null, body))
server.post('/v3/operations/:mode', (request, reply) => {
  if (!Buffer.isBuffer(request.body)) throw new Error('no body')
  reply.header('content-type', 'application/xml; charset=utf-8')
  return reply.send(
    '<?xml version="1.0" encoding="utf-8"?>\n<result><status>Success</status></result>',
  )
})
await server.listen({ host: '127.0.0.1', port: 0 })
console.log(`ready on ${(server.server.address() as AddressInfo).port}`)
