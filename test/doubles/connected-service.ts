/** A service of its own that is connected to a double of ConnectWise PSA, and is gone afterwards. */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { withService } from '../../src/commands/demo/service.ts'
import { SETTINGS } from './connectwise/server.ts'

/** A port that is free now: the service has to be told its own address before it listens. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** A REST call, which answers with `data`. */
// biome-ignore lint/suspicious/noExplicitAny: each caller reads what the operation answers with.
export type Call = (method: string, path: string, body?: unknown) => Promise<any>

export const callsOf =
  (base: string, token: string, signal: AbortSignal): Call =>
  async (method, path, body) => {
    const response = await fetch(`${base}/public-api${path}`, {
      method,
      signal,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const { data, error } = (await response.json()) as { data?: unknown; error?: unknown }
    if (!response.ok) throw new Error(`${method} ${path} was refused: ${JSON.stringify(error)}`)
    return data
  }

interface Connected {
  base: string
  /** The demo API key. */
  key: string
  byAdmin: Call
  byKey: Call
  signal: AbortSignal
}

/** Runs `work` with the service. Events are processed at once, and every company is in scope. */
export async function withConnectedService(
  site: string,
  work: (service: Connected) => Promise<void>,
  variables: Record<string, string> = {},
): Promise<void> {
  const port = String(await freePort())
  const own = { PORT: port, PUBLIC_URL: `http://127.0.0.1:${port}`, ALLOW_PRIVATE_ADDRESSES: 'true' }
  await withService(
    async ({ base, key, technician }, signal) => {
      const byAdmin = callsOf(base, technician, signal)
      await byAdmin('PUT', '/company-filters', { filters: [] })
      await byAdmin('PUT', '/settings', { sleep_before_callback_processing_seconds: 0 })
      const draft = { connectwise_psa: { ...SETTINGS, site } }
      await byAdmin('PUT', '/integrations/connectwise-psa/connection', draft)
      await work({ base, key, byAdmin, byKey: callsOf(base, key, signal), signal })
    },
    { ...own, ...variables },
  )
}

/** Makes an agent that starts on each new ticket, and runs without a model. Its id. */
export async function activateAgent(byAdmin: Call, changes: object): Promise<number> {
  const { id } = await byAdmin('POST', '/agents', {
    autonomy_type: 'CHAINED_ACTIONS',
    trigger_type: 'TRIGGERED',
    entity_type: 'TICKET',
    agent_settings: { supervised: false, max_tool_calls: 10, max_minutes: 5 },
    callback_settings: { change_types: ['TICKET_CREATED'] },
    integrations: {
      grants: [{ system: 'CONNECTWISE_PSA', permission_groups: ['TICKETS'], access: 'WRITE' }],
    },
    ...changes,
  })
  await byAdmin('POST', `/agents/${id}/activate`)
  return id
}
