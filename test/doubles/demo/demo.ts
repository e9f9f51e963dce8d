/**
 * `npm run demo:psa`: a double of ConnectWise PSA with a page of its own, connected to a service of its own. A ticket that is
 * written in the browser becomes a run. It goes on until Ctrl-C, and leaves nothing behind.
 */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { runCommand } from '../../../src/commands/command.ts'
import { type DemoService, withService } from '../../../src/commands/demo/service.ts'
import { write } from '../../../src/commands/demo/words.ts'
import { type Desk, startDesk } from './desk.ts'
import { type Seen, startPage } from './page.ts'

/** A run of it needs no model: it adds a note to every new ticket, and takes it up. */
const AGENT = {
  name: 'Welcome',
  description: 'Answers every new ticket with a note.',
  autonomy_type: 'CHAINED_ACTIONS',
  trigger_type: 'TRIGGERED',
  entity_type: 'TICKET',
  agent_settings: { supervised: false, max_tool_calls: 10, max_minutes: 5 },
  callback_settings: { change_types: ['TICKET_CREATED'] },
  actions: [
    { type: 'ticket.read', params: {} },
    {
      type: 'ticket.add_note',
      params: { text: 'Thank you: we have your ticket, and a technician is with it.', visibility: 'PUBLIC' },
    },
  ],
  integrations: {
    grants: [{ system: 'CONNECTWISE_PSA', permission_groups: ['TICKETS'], access: 'WRITE' }],
  },
}

/** A port that is free now: the service has to be told its own address before it listens. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

const callsOf =
  ({ base, technician }: DemoService, signal: AbortSignal) =>
  // biome-ignore lint/suspicious/noExplicitAny: each caller reads what the operation answers with.
  async (method: string, path: string, body?: unknown): Promise<any> => {
    const response = await fetch(`${base}/public-api${path}`, {
      method,
      signal,
      headers: { authorization: `Bearer ${technician}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const { data, error } = (await response.json()) as { data?: unknown; error?: unknown }
    if (!response.ok) throw new Error(`${method} ${path} was refused: ${JSON.stringify(error)}`)
    return data
  }

/** Connects the desk, and makes the agent that answers its tickets. */
async function connect(desk: Desk, call: ReturnType<typeof callsOf>): Promise<number> {
  // Every company is in scope, that of the desk too.
  await call('PUT', '/company-filters', { filters: [] })
  await call('PUT', '/integrations/connectwise-psa/connection', desk.draft)
  await call('PUT', '/settings', { sleep_before_callback_processing_seconds: 0 })
  const { id } = await call('POST', '/agents', AGENT)
  await call('POST', `/agents/${id}/activate`)
  return id
}

await runCommand(async () => {
  write('Starting the service on a database of its own, with the demo MSP: some seconds …')
  const port = await freePort()
  const desk = await startDesk()
  const own = `http://127.0.0.1:${port}`
  await withService(
    async (service, signal) => {
      const call = callsOf(service, signal)
      const agent_id = await connect(desk, call)
      const byKey = callsOf({ ...service, technician: service.key }, signal)
      const page = await startPage(desk, async (): Promise<Seen> => {
        const [callbacks, executions] = await Promise.all([
          byKey('GET', '/callbacks?entity_type=TICKET&page_size=50'),
          byKey('GET', `/executions?agent_id=${agent_id}&page_size=50`),
        ])
        return { callbacks, executions }
      })
      await desk.isWatched(signal)
      write(`Write a ticket at ${page.url} and watch it become a run. Ctrl-C ends it.`)
      write(`The service: ${service.base}/graphql, with the API key ${service.key}`)
      await new Promise((done) => signal.addEventListener('abort', done, { once: true }))
      await page.close()
    },
    { PORT: String(port), PUBLIC_URL: own, ALLOW_PRIVATE_ADDRESSES: 'true' },
  ).finally(desk.close)
})
