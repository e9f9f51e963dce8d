/** Receivers of webhooks in a process of their own: the path of each says how it answers. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { ANSWER_MS, SLOW_MS, WAITS } from './manners.ts'

/** Milliseconds from the write of each event to its arrival at a healthy receiver, since they were last asked for. */
const waits: number[] = []

const server = createServer(async (request, response) => {
  const { url = '' } = request
  const body = await text(request)
  if (url === WAITS) {
    response.end(JSON.stringify(waits.splice(0)))
    return
  }
  if (url.startsWith('/silent')) return
  const is_slow = url.startsWith('/slow')
  if (!is_slow) waits.push(Date.now() - Date.parse(JSON.parse(body).timestamp))
  await sleep(is_slow ? SLOW_MS : ANSWER_MS)
  response.writeHead(204).end()
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
process.once('SIGTERM', () => process.exit(0))
