/** Webhooks of several PSAs that fail now and then, while a worker is killed: none is lost, and nothing happens twice. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { JOBS } from '../../src/composition/jobs.ts'
import { installJobs } from '../../src/jobs/install.ts'
import { addAgents } from '../setup/agents.ts'
import { type Api, apisAt } from '../setup/api.ts'
import { connectedApp, deliver, PUBLIC_URL } from '../setup/connected.ts'
import { cloneUrl, openTestDatabase } from '../setup/database.ts'
import { connectwisePsaDouble } from '../setup/psa-doubles/connectwise.ts'
import type { PsaDouble, SentRequest } from '../setup/psa-doubles/double.ts'
import { until } from '../setup/until.ts'
import { type Msp, world } from '../setup/world.ts'
import { startWorkers } from './workers.ts'

/** 300, or as many as `TEST_WEBHOOKS` says. */
const WEBHOOKS = Number(process.env.TEST_WEBHOOKS ?? 300)
const CONNECTIONS = 4
/** Each ticket has its creation, which is sent twice, and a change. */
const OF_TICKET = 3
const TICKETS = Math.ceil(WEBHOOKS / CONNECTIONS / OF_TICKET)
const FAILING = 0.1
const AT_ONCE = 20
const ENDED_MS = 180_000 + 200 * WEBHOOKS

const NOTE = { type: 'ticket.add_note', params: { text: 'We are on it.', visibility: 'INTERNAL' } }

const shuffled = <Item>(items: readonly Item[]): Item[] =>
  items
    .map((item) => ({ item, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)

interface Tenant {
  msp: Msp
  double: PsaDouble
  tickets: string[]
}

const webhooksOf = ({ msp, double }: Tenant, ticket_id: string): SentRequest[] => {
  const added = { ticket_id, action: 'ADDED', event_id: `a ${msp.tenant_id} ${ticket_id}` } as const
  const updated = { ticket_id, action: 'UPDATED', event_id: `u ${msp.tenant_id} ${ticket_id}` } as const
  return [added, added, updated].flatMap((event) => double.send(event))
}

test.runIf(process.env.DATABASE_URL)(
  'of webhooks that come twice and out of order from failing PSAs, each ticket starts its agent once, which writes no note twice',
  { timeout: ENDED_MS + 120_000 },
  async () => {
    const url = (await cloneUrl()) ?? ''
    const database = await openTestDatabase(url)
    await installJobs(database, 'test', JOBS)
    const running = await connectedApp(database)
    const workers = startWorkers(url, 'runs', { ALLOW_PRIVATE_ADDRESSES: 'true', PUBLIC_URL }, 2)
    onTestFinished(async () => {
      workers.kill()
      await running.app.close(1000)
      await database.close()
    })
    const api = apisAt(async () => running.base)[1] as Api

    async function tenant(index: number): Promise<Tenant> {
      const msp = await world(database)
      const where = { tenant_id: msp.tenant_id }
      await database.prisma.settings.updateMany({
        where,
        data: { sleep_before_callback_processing_seconds: 0 },
      })
      const callback_settings = { change_types: ['TICKET_CREATED'] }
      const agent = {
        id: index,
        autonomy_type: 'CHAINED_ACTIONS',
        actions: [NOTE],
        callback_settings,
      } as const
      await addAgents(msp, [agent])
      const double = await connectwisePsaDouble()
      onTestFinished(async () => void (await double.close()))
      // Half of them are asked for what changed too, all the time.
      const input = { ...double.draft, poll_interval_seconds: index % 2 === 0 ? 0 : 1 }
      const connected = await api.call(msp.owner, 'connect_integration', { name: double.name, input })
      expect(connected.status).toBe(200)
      return { msp, double, tickets: [] }
    }

    const tenants = await Promise.all(Array.from({ length: CONNECTIONS }, (_, index) => tenant(index + 1)))
    await until(() => tenants.every(({ double }) => double.webhooks().length === 5), ENDED_MS)
    for (const { double, tickets } of tenants) {
      for (let count = 0; count < TICKETS; count++) tickets.push(double.addTicket(`Ticket ${count}`))
      double.failing(FAILING)
    }

    /** As the PSA sends it: again, if it is asked to. */
    async function send(sent: SentRequest): Promise<void> {
      let status = 429
      await until(async () => {
        status = (await deliver(running, sent)).status
        return status !== 429
      }, ENDED_MS)
      expect(status).toBe(202)
    }

    const waiting = shuffled(tenants.flatMap((one) => one.tickets.flatMap((id) => webhooksOf(one, id))))
    const sending = Array.from({ length: AT_ONCE }, async () => {
      for (let sent = waiting.pop(); sent; sent = waiting.pop()) await send(sent)
    })
    const all = { tenant_id: { in: tenants.map(({ msp }) => msp.tenant_id) } }
    const { callback, execution } = database.prisma
    // A note whose answer was lost, or whose worker was, may have been written: a technician is asked.
    const status = { in: ['COMPLETED', 'WAITING_FOR_INPUT'] } as never
    const ended = () => execution.count({ where: { ...all, status } })
    await until(async () => (await ended()) >= (CONNECTIONS * TICKETS) / 3, ENDED_MS)
    await sleep(Math.random() * 100)
    workers.replaceOne()
    await Promise.all(sending)
    await until(async () => (await ended()) === CONNECTIONS * TICKETS, ENDED_MS)
    const open = { ...all, status: { in: ['RECEIVED', 'QUEUED', 'PROCESSING'] } as never }
    await until(async () => (await callback.count({ where: open })) === 0, ENDED_MS)
    for (const { msp, double, tickets } of tenants) {
      const where = { tenant_id: msp.tenant_id }
      const runs = await execution.groupBy({ by: ['entity_id'], where, _count: true })
      expect(new Map(runs.map(({ entity_id, _count }) => [entity_id, _count]))).toEqual(
        new Map(tickets.map((id) => [id, 1])),
      )
      const asking = await execution.findMany({ where: { ...where, status: 'WAITING_FOR_INPUT' } })
      const unknown = new Set(asking.map(({ entity_id }) => entity_id))
      for (const ticket_id of tickets) {
        const notes = double.notesOf(ticket_id).length
        expect(notes).toBeLessThanOrEqual(1)
        if (!unknown.has(ticket_id)) expect(notes).toBe(1)
      }
      // PSAs that are asked for what changed may tell of more meanwhile.
      const told = async () => {
        const { data } = await api.call(msp.key, 'callback_funnel', {})
        return { data, events: await callback.findMany({ where, select: { event_id: true } }) }
      }
      let { data, events } = await told()
      await until(async () => {
        const now = await told()
        data = now.data
        events = now.events
        return data.callbacks.in_flight === 0 && data.callbacks.received === events.length
      }, ENDED_MS)
      const ids = events.flatMap(({ event_id }) => event_id ?? [])
      expect(new Set(ids).size).toBe(ids.length)
      const { received, filtered_out, processed, failed } = data.callbacks
      expect([filtered_out + processed + failed, failed]).toEqual([received, 0])
      expect(data.workflows_triggered.finished).toBe(TICKETS - unknown.size)
    }
  },
)
