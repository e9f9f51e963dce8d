/** A PSA that is asked for what changed. */
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { queuePollsDue } from '../../../src/areas/callbacks/jobs.ts'
import type { Psa } from '../../../src/connectors/psa.ts'
import type { Services } from '../../../src/gateway/context.ts'
import { type Api, apisAt } from '../../setup/api.ts'
import { clock, type Running } from '../../setup/app.ts'
import {
  connectDouble,
  connectedApp,
  connectedDatabase,
  look,
  performDue,
  tell,
} from '../../setup/connected.ts'
import { connectwisePsaDouble } from '../../setup/psa-doubles/connectwise.ts'
import { type Msp, world } from '../../setup/world.ts'

let running: Running
let api: Api

beforeAll(async () => {
  running = await connectedApp(await connectedDatabase())
  api = apisAt(async () => running.base)[1] as Api
})
afterAll(() => running.app.close(0))

const MINUTE_MS = 60_000

async function connected() {
  onTestFinished(() => clock.reset())
  const msp = await world(running.database)
  const where = { tenant_id: msp.tenant_id }
  await msp.database.prisma.settings.updateMany({
    where,
    data: { sleep_before_callback_processing_seconds: 0 },
  })
  const double = await connectDouble(running, api, msp, connectwisePsaDouble)
  const { services } = running.app
  return { msp, double, look: () => look(services, msp), work: () => performDue(services, msp) }
}

const callbacksOf = async ({ tenant_id, database }: Msp) =>
  (
    await database.prisma.callback.findMany({
      where: { tenant_id },
      orderBy: [{ received_at: 'asc' }, { entity_id: 'asc' }],
    })
  ).map(({ entity_id, source, status, change_types }) => [entity_id, source, status, ...change_types])

const UNUSED = ['FILTERED_OUT', 'TICKET_CREATED']

describe('a poll', () => {
  it('finds what no webhook told, once, and nothing that was there before', async () => {
    const { msp, double, look } = await connected()
    clock.advance(10 * MINUTE_MS)
    const [first, second] = [double.addTicket('One'), double.addTicket('Two')]
    await look()
    const created = [
      [first, 'POLL', ...UNUSED],
      [second, 'POLL', ...UNUSED],
    ]
    expect(await callbacksOf(msp)).toEqual(created)
    for (let count = 0; count < 3; count++) {
      clock.advance(MINUTE_MS)
      await look()
    }
    expect(await callbacksOf(msp)).toEqual(created)
    double.changeTicket(first, 'Other')
    await look()
    const changed = [first, 'POLL', 'FILTERED_OUT', 'TICKET_SUMMARY_CHANGED']
    expect(await callbacksOf(msp)).toEqual([...created, changed])
  })

  it('begins when the PSA is connected, and begins anew when it is connected again', async () => {
    const { msp, double, look } = await connected()
    double.addTicket('While it was connected')
    await look()
    await api.call(msp.owner, 'disconnect_integration', { name: double.name })
    clock.advance(60 * MINUTE_MS)
    double.addTicket('While it was not')
    clock.advance(60 * MINUTE_MS)
    await api.call(msp.owner, 'connect_integration', { name: double.name, input: double.draft })
    await look()
    expect(await callbacksOf(msp)).toHaveLength(1)
  })

  it('and a webhook that tell of one change are one callback, whichever comes first', async () => {
    const { msp, double, look, work } = await connected()
    const tickets = [double.addTicket('Webhook first'), double.addTicket('Poll first')] as const
    const [first, second] = tickets
    await tell(running, double, { ticket_id: first, action: 'ADDED', event_id: `w1-${msp.tenant_id}` })
    await work()
    await look()
    const event = { ticket_id: second, action: 'ADDED', event_id: `w2-${msp.tenant_id}` } as const
    for (let count = 0; count < 2; count++) {
      await tell(running, double, event)
      await work()
    }
    expect(await callbacksOf(msp)).toEqual([
      [first, 'WEBHOOK', ...UNUSED],
      [second, 'POLL', ...UNUSED],
    ])
  })

  it('goes on where it was once a PSA is back that was away', async () => {
    const { msp, double, look } = await connected()
    clock.advance(10 * MINUTE_MS)
    const first = double.addTicket('Before')
    await look()
    double.failing(1)
    const second = double.addTicket('Meanwhile')
    clock.advance(30 * MINUTE_MS)
    await look()
    expect(await callbacksOf(msp)).toHaveLength(1)
    double.failing(0)
    clock.advance(30 * MINUTE_MS)
    await look()
    expect((await callbacksOf(msp)).map(([id]) => id)).toEqual([first, second])
  })

  it('is made every so many seconds, and not at all with 0 or without a connection', async () => {
    const { msp, double } = await connected()
    const { services } = running.app
    const { signal } = new AbortController()
    const queued = async () => {
      await queuePollsDue.run({ services, now: clock.now(), signal, log: services.log })
      const before = double.requests.length
      await performDue(services, msp)
      return double.requests.length > before
    }
    const set = (poll_interval_seconds: number) =>
      api.call(msp.owner, 'connect_integration', {
        name: double.name,
        input: { ...double.draft, poll_interval_seconds },
      })
    expect([await queued(), await queued()]).toEqual([true, false])
    clock.advance(301_000)
    expect([await queued(), await queued()]).toEqual([true, false])
    await set(0)
    clock.advance(24 * 60 * MINUTE_MS)
    expect(await queued()).toBe(false)
    await set(60)
    expect(await queued()).toBe(true)
    await api.call(msp.owner, 'disconnect_integration', { name: double.name })
    await performDue(services, msp)
    clock.advance(61_000)
    expect(await queued()).toBe(false)
  })

  it.runIf(process.env.DATABASE_URL)('is made by one of the workers that find it due at once', async () => {
    const { msp, double } = await connected()
    double.addTicket('One')
    const { services } = running.app
    const { signal } = new AbortController()
    const run = () => queuePollsDue.run({ services, now: clock.now(), signal, log: services.log })
    await Promise.all(Array.from({ length: 4 }, run))
    const jobs = await msp.database.prisma.$queryRaw<unknown[]>`
      select 1 from pgboss.job where name = 'callbacks.poll' and data -> 'tenancy' ->> 'tenant_id' = ${msp.tenant_id}`
    expect(jobs).toHaveLength(1)
    await Promise.all(Array.from({ length: 4 }, () => look(services, msp)))
    await performDue(services, msp)
    expect(await callbacksOf(msp)).toHaveLength(1)
  })
})

describe('a poll of a PSA that does not come to an end', () => {
  const NOW_PAGE = (next: (n: number) => string | null, id: (n: number) => string) => {
    let pages = 0
    const page = async () => {
      const n = pages++
      const rows = [0, 1].map((k) => ({ entity_id: `${id(n)}_${k}`, changed_at: clock.now() }))
      return { rows, next: next(n) }
    }
    return { page, pages: () => pages }
  }

  /** A look at a PSA that answers with these pages, in a service with room for so many changes an hour. */
  async function lookAt(
    msp: Msp,
    pages: Partial<Pick<Psa, 'ticketChangePage' | 'timeEntryChangePage'>>,
    polled_changes_an_hour: number,
    lines: string[] = [],
  ) {
    const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) })
    const { services } = running.app
    const psa: Services['connectors']['psa'] = (ctx) => ({
      ...services.connectors.psa(ctx),
      ...pages,
    })
    const connectors = { ...services.connectors, psa }
    const psa_bounds = { ...services.psa_bounds, polled_changes_an_hour }
    await look({ ...services, connectors, psa_bounds, log }, msp)
  }

  it('stops at the share of tickets in the hour, and goes on in the next one', async () => {
    const { msp } = await connected()
    const { page, pages } = NOW_PAGE(
      (n) => `p${n}`,
      (n) => `t${n}`,
    )
    const lines: string[] = []
    for (let looks = 0; looks < 2; looks++) {
      await lookAt(msp, { ticketChangePage: page }, 10, lines)
      expect([(await callbacksOf(msp)).length, pages()]).toEqual([5, 3])
      expect(lines.filter((line) => line.includes('too many changes'))).toHaveLength(1)
    }
    clock.advance(60 * MINUTE_MS)
    await lookAt(msp, { ticketChangePage: page }, 10)
    expect([(await callbacksOf(msp)).length, pages()]).toEqual([10, 6])
  })

  it.each([
    ['at a page that continues with itself', () => 'p', (n: number) => `t${n}`],
    ['at a page that comes again', (n: number) => `p${n}`, () => 't'],
  ])('stops %s', async (_name, next, id) => {
    const { msp } = await connected()
    const { page, pages } = NOW_PAGE(next, id)
    await lookAt(msp, { ticketChangePage: page }, 1000)
    expect(pages()).toBe(2)
  })

  it('tells of time entries too in an hour of endless tickets', async () => {
    const { msp } = await connected()
    const tickets = NOW_PAGE(
      (n) => `p${n}`,
      (n) => `t${n}`,
    )
    const entry = { rows: [{ entity_id: 'entry', changed_at: clock.now() }], next: null }
    await lookAt(msp, { ticketChangePage: tickets.page, timeEntryChangePage: async () => entry }, 4)
    expect((await callbacksOf(msp)).map(([id]) => id).toSorted()).toEqual(['entry', 't0_0', 't0_1'])
  })

  it('keeps its position at now, and tells once of a change whose time is yet to come', async () => {
    const { msp } = await connected()
    const changed_at = new Date(clock.now().getTime() + 60 * MINUTE_MS)
    const ahead = async () => ({ rows: [{ entity_id: 'ahead', changed_at }], next: null })
    for (let looks = 0; looks < 2; looks++) {
      await lookAt(msp, { ticketChangePage: ahead }, 1000)
      clock.advance(MINUTE_MS)
      expect((await callbacksOf(msp)).map(([id]) => id)).toEqual(['ahead'])
    }
    const { cursors } = await msp.database.prisma.psaPoll.findFirstOrThrow({
      where: { tenant_id: msp.tenant_id },
    })
    expect((cursors as { TICKET: { since: number } }).TICKET.since).toBeLessThanOrEqual(clock.now().getTime())
  })
})
