/** Events whose workers are killed at random: none is lost, and none starts an agent twice. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { type ReceivedEvent, receiveEvents } from '../../src/areas/callbacks/index.ts'
import { JOBS } from '../../src/composition/jobs.ts'
import { installJobs } from '../../src/jobs/install.ts'
import { addAgents } from '../setup/agents.ts'
import { startApp } from '../setup/app.ts'
import { cloneUrl, openTestDatabase } from '../setup/database.ts'
import { addPsaTickets } from '../setup/psa.ts'
import { until } from '../setup/until.ts'
import { world } from '../setup/world.ts'
import { startWorkers } from './workers.ts'

/** 60, or as many as `TEST_EVENTS` says. */
const EVENTS = Number(process.env.TEST_EVENTS ?? 60)
const TICKETS = Math.ceil(EVENTS / 3)
const KILLS = Math.max(1, Math.round(EVENTS / 2500))
const ENDED_MS = 60_000 + 100 * EVENTS
const AT_ONCE = 20

const shuffled = <Item>(items: readonly Item[]): Item[] =>
  items
    .map((item) => ({ item, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)

/** The creation of the ticket, which is sent twice, and a change. */
function eventsOf(entity_id: string): ReceivedEvent[] {
  const event = { entity_type: 'TICKET', entity_id, psa_changed_at: null } as const
  const created = { ...event, event_id: `c${entity_id}`, source: 'WEBHOOK', action: 'CREATED' } as const
  return [created, created, { ...created, event_id: `u${entity_id}`, action: 'UPDATED' }]
}

test.runIf(process.env.DATABASE_URL)(
  'of events that come twice and out of order, while workers are killed, each ticket starts its agent once',
  { timeout: ENDED_MS + 60_000 },
  async () => {
    const url = (await cloneUrl()) ?? ''
    const database = await openTestDatabase(url)
    await installJobs(database, 'test', JOBS)
    const { app } = await startApp(database)
    const workers = startWorkers(url, 'runs')
    onTestFinished(async () => {
      workers.kill()
      await app.close(1000)
      await database.close()
    })
    const msp = await world(database)
    const where = { tenant_id: msp.tenant_id }
    const { callback, execution, settings } = database.prisma
    await settings.updateMany({ where, data: { sleep_before_callback_processing_seconds: 0 } })
    const callback_settings = { change_types: ['TICKET_CREATED'] }
    await addAgents(msp, [{ id: 1, autonomy_type: 'CHAINED_ACTIONS', actions: [], callback_settings }])
    const tickets = Array.from({ length: TICKETS }, (_, n) => String(n))
    await addPsaTickets(
      msp,
      tickets.map((ticket_id) => ({ ticket_id })),
    )
    const events = shuffled(tickets.flatMap(eventsOf))
    for (let index = 0; index < events.length; index += AT_ONCE)
      await receiveEvents(app.services, msp, events.slice(index, index + AT_ONCE))
    const ended = () => callback.count({ where: { ...where, status: { in: ['PROCESSED', 'FILTERED_OUT'] } } })
    const received = 2 * TICKETS
    for (let kill = 1; kill <= KILLS; kill++) {
      await until(async () => (await ended()) >= (received * kill) / (KILLS + 2), ENDED_MS)
      await sleep(Math.random() * 100)
      workers.replaceOne()
    }
    await until(async () => (await ended()) === received, ENDED_MS)
    expect(await callback.count({ where })).toBe(received)
    const runs = await execution.groupBy({ by: ['entity_id'], where, _count: true })
    expect(runs.map(({ _count }) => _count)).toEqual(Array(TICKETS).fill(1))
    const started = await callback.count({ where: { ...where, matches: { some: { result: 'MATCHED' } } } })
    const counted = await database.prisma.ticketsReceived.aggregate({ where, _sum: { count: true } })
    expect([started, counted._sum.count]).toEqual([TICKETS, TICKETS])
  },
)
