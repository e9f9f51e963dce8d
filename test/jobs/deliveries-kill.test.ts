/** Events to many endpoints, of which some are dead, slow or failing, while workers are killed: none is lost, or seen by others. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { JOBS } from '../../src/composition/jobs.ts'
import { installJobs } from '../../src/jobs/install.ts'
import { addAgents, share } from '../setup/agents.ts'
import { type Api, apisAt } from '../setup/api.ts'
import { startApp } from '../setup/app.ts'
import { cloneUrl, openTestDatabase } from '../setup/database.ts'
import { addEvents } from '../setup/events.ts'
import { until } from '../setup/until.ts'
import { type Msp, world } from '../setup/world.ts'
import { type Manner, type Receiver, startReceivers } from './receivers.ts'
import { startWorkers } from './workers.ts'

/** Events of all tenants: 60, or as many as `TEST_DELIVERIES` says. */
const EVENTS = Number(process.env.TEST_DELIVERIES ?? 60)
const ENDPOINTS = EVENTS < 5000 ? 15 : 50
const TENANTS = 3
const OF_TENANT = Math.ceil(EVENTS / TENANTS)
const KILLS = Math.max(2, Math.round(EVENTS / 2500))
const WRITTEN_AT_ONCE = 20
const ENDED_MS = 120_000 + 120 * EVENTS
const PRIVATE = { ALLOW_PRIVATE_ADDRESSES: 'true' }

/** A tenth each is dead, slow and failing. */
const mannerOf = (index: number): Manner => {
  const dead: Manner = index % 20 === 0 ? 'REFUSING' : 'SILENT'
  return ([dead, 'SLOW', 'FAILING'] as const)[index % 10] ?? 'HEALTHY'
}

/** A third of the healthy endpoints belong to a user who sees one of two agents, and nothing of administrators. */
const isRestricted = (index: number): boolean => index % 5 === 3

const [FOR_ALL, OF_AGENT, FOR_ADMINS] = ['dispatch.suggested', 'execution.waiting', 'settings.updated']

interface Tenant {
  msp: Msp
  agents: { shared: number; hidden: number }
  endpoints: { id: string; receiver: Receiver; is_restricted: boolean }[]
}

/** The event of each number, of four kinds in turn. */
function eventOf(number: number, { shared, hidden }: Tenant['agents']) {
  const data = { n: number }
  return [
    { type: FOR_ALL, data },
    { type: OF_AGENT, agent_id: shared, data },
    { type: OF_AGENT, agent_id: hidden, data },
    { type: FOR_ADMINS, data },
  ][number % 4] as { type: string; data: { n: number } }
}

/** The kinds of events that a restricted user sees. */
const SEEN_BY_USER = new Set([0, 1])

test.runIf(process.env.DATABASE_URL)(
  'of events to many endpoints while workers are killed, each reaches every healthy endpoint whose owner sees it, and no other',
  { timeout: 2 * ENDED_MS },
  async () => {
    const url = (await cloneUrl()) ?? ''
    const database = await openTestDatabase(url)
    await installJobs(database, 'test', JOBS)
    const { app, base } = await startApp(database, PRIVATE)
    const workers = startWorkers(url, 'runs', PRIVATE, 2)
    const receivers = await startReceivers(Array.from({ length: ENDPOINTS }, (_, index) => mannerOf(index)))
    onTestFinished(async () => {
      workers.kill()
      receivers.close()
      await app.close(1000)
      await database.close()
    })
    const api = apisAt(async () => base)[1] as Api

    async function tenant(_: unknown, number: number): Promise<Tenant> {
      const msp = await world(database)
      const agents = { shared: 2 * number + 1, hidden: 2 * number + 2 }
      await addAgents(
        msp,
        Object.values(agents).map((id) => ({ id })),
      )
      await share(msp, agents.shared, msp.admin.id)
      const endpoints: Tenant['endpoints'] = []
      for (const [index, receiver] of receivers.all.entries()) {
        if (index % TENANTS !== number) continue
        const is_restricted = isRestricted(index)
        const owner = is_restricted ? msp.admin : msp.owner
        const input = { url: receiver.url, event_types: ['*'] }
        const { data, error } = await api.call(owner, 'create_webhook_endpoint', { input })
        expect(error).toBeNull()
        receiver.secret = data.secret
        endpoints.push({ id: data.id, receiver, is_restricted })
      }
      // An endpoint has the sight that its owner has at each attempt.
      await database.prisma.tenantUser.updateMany({ where: { id: msp.admin.id }, data: { role: 'USER' } })
      return { msp, agents, endpoints }
    }

    const tenants = await Promise.all(Array.from({ length: TENANTS }, tenant))
    const healthy = tenants.flatMap(({ endpoints }) =>
      endpoints.filter(({ receiver }) => receiver.manner === 'HEALTHY'),
    )
    let written = 0

    /** The numbers of the events, of so many, that the owner of an endpoint sees. */
    const seenOf = (is_restricted: boolean, count: number) =>
      Array.from({ length: count }, (_, number) => number).filter(
        (number) => !is_restricted || SEEN_BY_USER.has(number % 4),
      )

    /** Writes events of every tenant, up to the number. */
    async function write(upto: number): Promise<void> {
      for (let from = written; from < upto; from += WRITTEN_AT_ONCE) {
        const length = Math.min(WRITTEN_AT_ONCE, upto - from)
        const numbers = Array.from({ length }, (_, index) => from + index)
        for (const { msp, agents } of tenants)
          await addEvents(
            msp,
            numbers.map((number) => eventOf(number, agents)),
          )
      }
      written = upto
    }

    const arrived = () => healthy.reduce((sum, { receiver }) => sum + receiver.reached.size, 0)
    /** The arrivals at healthy endpoints once each has its part of so many events. */
    const arrivalsOf = (count: number) =>
      healthy.reduce((sum, { is_restricted }) => sum + seenOf(is_restricted, count).length, 0)

    await write(Math.ceil(OF_TENANT / 3))
    const first = arrivalsOf(written)
    await until(() => arrived() === first, ENDED_MS)
    // The healthy endpoints have all of these events while the slow ones have answered nothing.
    for (const { manner, reached } of receivers.all)
      if (manner === 'SLOW' || manner === 'SILENT') expect(reached.size).toBeLessThan(written)
    receivers.open()

    const writing = write(OF_TENANT)
    const all = arrivalsOf(OF_TENANT)
    for (let kill = 1; kill <= KILLS; kill++) {
      await until(() => arrived() >= first + ((all - first) * kill) / (KILLS + 1), ENDED_MS)
      await sleep(Math.random() * 100)
      workers.replaceOne()
    }
    await writing
    const { webhookDelivery, liveEvent } = database.prisma
    const endpoint_id = {
      in: tenants.flatMap(({ endpoints }) =>
        endpoints
          .filter(({ receiver }) => ['HEALTHY', 'FAILING'].includes(receiver.manner))
          .map(({ id }) => id),
      ),
    }
    await until(() => arrived() >= all, ENDED_MS)
    await until(
      async () => (await webhookDelivery.count({ where: { endpoint_id, status: 'PENDING' } })) === 0,
      ENDED_MS,
    )

    expect(receivers.all.flatMap(({ problems }) => problems)).toEqual([])
    for (const { msp, endpoints } of tenants) {
      const where = { tenant_id: msp.tenant_id, event_id: { not: null } }
      const rows = await liveEvent.findMany({ where, select: { event_id: true, data: true } })
      const ids = new Map(rows.map(({ event_id, data }) => [(data as { n?: number }).n, event_id]))
      for (const { id, receiver, is_restricted } of endpoints) {
        const expected = new Set(seenOf(is_restricted, OF_TENANT).map((number) => ids.get(number)))
        const { manner, reached } = receiver
        if (manner === 'HEALTHY' || manner === 'FAILING') {
          expect(reached).toEqual(expected)
          const delivered = { endpoint_id: id, status: 'SUCCEEDED' } as const
          expect(await webhookDelivery.count({ where: delivered })).toBe(expected.size)
        } else expect(reached.difference(expected)).toEqual(new Set())
      }
    }
  },
)
