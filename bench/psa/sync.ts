/**
 * A double of ConnectWise PSA is synced, and tells of tickets. BENCH_DATABASE_URL is a PostgreSQL server in which a database is
 * made for it; without it the service has an embedded database.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { activateAgent, type Call, withConnectedService } from '../../test/doubles/connected-service.ts'
import { startConnectwise } from '../../test/doubles/connectwise/server.ts'
import { table, two } from '../markdown.ts'

const COMPANIES = 10_000
const CONTACTS = 50_000
const TICKETS = 100

const stamp = (): string => `${new Date().toISOString().slice(0, 19)}Z`

type Double = Awaited<ReturnType<typeof startConnectwise>>

function fill(double: Double): void {
  const _info = { dateEntered: stamp(), lastUpdated: stamp() }
  const company = (index: number) => ({ id: index + 2, name: `Company ${index + 2}` })
  double.add(
    '/company/companies',
    Array.from({ length: COMPANIES }, (_, index) => ({ ...company(index), _info, deletedFlag: false })),
  )
  double.add(
    '/company/contacts',
    Array.from({ length: CONTACTS }, (_, index) => ({
      id: index + 1,
      _info,
      firstName: 'Contact',
      lastName: String(index + 1),
      company: company(index % COMPANIES),
      inactiveFlag: false,
      communicationItems: [
        { communicationType: 'Email', value: `contact-${index + 1}@company.example`, defaultFlag: true },
      ],
    })),
  )
}

async function ended(call: Call, sync_id: string) {
  for (;;) {
    const sync = await call('GET', `/integrations/connectwise-psa/syncs/${sync_id}`)
    if (sync.finished_at !== null) return sync
    await sleep(200)
  }
}

interface Sync {
  status: string
  seconds: number
  read: number
  megabytes: number
}

async function syncOnce(base: string, call: Call): Promise<Sync> {
  const started = performance.now()
  const { id } = await call('POST', '/integrations/connectwise-psa/sync', { is_full: true })
  const { status, stages } = await ended(call, id)
  const metrics = await (await fetch(`${base}/metrics`)).text()
  return {
    status,
    seconds: (performance.now() - started) / 1000,
    read: stages.reduce((sum: number, { read }: { read: number }) => sum + read, 0),
    megabytes: Number(/^process_resident_memory_bytes (\S+)/m.exec(metrics)?.[1]) / 1e6,
  }
}

/** Milliseconds from the request of the PSA to the tool call of the run that it starts. */
async function untilToolCall(double: Double, call: Call, id: number): Promise<number> {
  const [hook] = double.rowsOf('/system/callbacks').filter(({ type }) => type === 'ticket')
  if (!hook) throw new Error('No webhook is registered')
  const _info = { dateEntered: stamp(), lastUpdated: stamp() }
  double.add('/service/tickets', [
    {
      id,
      summary: `Ticket ${id}`,
      board: { id: 1, name: 'Service desk' },
      status: { id: 101, name: 'New' },
      company: { id: 2, name: 'Company 2' },
      closedFlag: false,
      _info,
    },
  ])
  const { raw, headers } = double.callback({ MessageId: `m${id}`, Action: 'added', Type: 'ticket', ID: id })
  const sent_at = Date.now()
  const answer = await fetch(`${String(hook.url)}${id}&action=added`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: new Uint8Array(raw),
  })
  if (answer.status !== 202) throw new Error(`The event was answered with ${answer.status}`)
  for (;;) {
    const [execution] = await call('GET', `/executions?entity_id=${id}`)
    const [made] = execution ? await call('GET', `/executions/${execution.execution_id}/tool-calls`) : []
    if (made) return Date.parse(made.occurred_at) - sent_at
    await sleep(50)
  }
}

async function measure(variables: Record<string, string>): Promise<void> {
  const double = await startConnectwise({ now: () => new Date() })
  fill(double)
  const limits = ['connectwise_psa_requests', 'dashboard_user', 'service_key', 'tenant']
  const LIMITS = limits.map((name) => `${name}=1000000`).join(',')
  await withConnectedService(
    double.url,
    async ({ base, byAdmin, byKey }) => {
      const first = await syncOnce(base, byAdmin)
      const again = await syncOnce(base, byAdmin)
      const row = (name: string, { status, read, seconds, megabytes }: Sync) => [
        name,
        status,
        String(read),
        two(seconds),
        megabytes.toFixed(0),
      ]
      console.log(`\n${COMPANIES} companies and ${CONTACTS} contacts\n`)
      const columns = ['', 'status', 'rows read', 's', 'MB of the process']
      console.log(table(columns, [row('a first sync', first), row('the same again', again)]))
      await activateAgent(byAdmin, { name: 'Reader', actions: [{ type: 'ticket.read', params: {} }] })
      const times: number[] = []
      for (let ticket = 1; ticket <= TICKETS; ticket++) times.push(await untilToolCall(double, byKey, ticket))
      times.sort((one, other) => one - other)
      const at = (share: number) => String(times[Math.floor(times.length * share)])
      console.log(`\n${TICKETS} tickets, one after another: ms from the webhook to the first tool call\n`)
      console.log(table(['p50', 'p90', 'most'], [[at(0.5), at(0.9), String(times.at(-1))]]))
    },
    { LIMITS, ...variables },
  ).finally(double.close)
}

/** Measures them on a database of its own, or on an embedded one. */
export async function syncs(): Promise<void> {
  const server = process.env.BENCH_DATABASE_URL
  if (!server) return await measure({})
  const name = `bench_psa_${process.pid}`
  const client = new pg.Client(server)
  await client.connect()
  await client.query(`create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  try {
    await measure({ DATABASE_URL: url.href, DEMO_DATA: 'on' })
  } finally {
    await client.query(`drop database ${name} with (force)`)
    await client.end()
  }
}
