/** Writes whose worker is lost, and whose execution ends meanwhile: the PSA is asked whether they were made. */
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { PortUnavailable } from '../../../../src/connectors/port.ts'
import type { Psa } from '../../../../src/connectors/psa.ts'
import { ApiError } from '../../../../src/errors/errors.ts'
import type { Services } from '../../../../src/gateway/context.ts'
import { apis } from '../../../setup/api.ts'
import { clock, testApp } from '../../../setup/app.ts'
import { psaOfTenant } from '../../../setup/psa.ts'
import { performRun, performRuns, settle, sweep, takeRunJobs } from '../../../setup/runs.ts'
import type { Msp } from '../../../setup/world.ts'
import { installQueues } from '../../agents/runnable.ts'
import { chainMsp, entriesOf, executionOf, NOTE, STATUS, start } from './chain.ts'

beforeAll(installQueues)

const [api] = apis as [(typeof apis)[number]]

async function withPsa(change: (psa: Psa) => Partial<Psa>): Promise<Services> {
  const { services } = (await testApp()).app
  const psa: typeof services.connectors.psa = (ctx) => {
    const real = services.connectors.psa(ctx)
    return { ...real, ...change(real) }
  }
  return { ...services, connectors: { ...services.connectors, psa } }
}

const FOREVER = new Promise<never>(() => {})

/** An execution whose worker is lost while it makes a note, before the PSA has made it or after. */
async function withLostCall(makes: boolean) {
  const msp = await chainMsp([NOTE, STATUS], { agent_settings: { max_minutes: 1 } })
  const execution_id = await start(api, msp)
  const [job] = await takeRunJobs(msp)
  if (!job) throw new Error('No job')
  const lost = Promise.withResolvers<void>()
  const services = await withPsa((psa) => ({
    addNote: async (...args) => {
      if (makes) await psa.addNote(...args)
      lost.resolve()
      return await FOREVER
    },
  }))
  void performRun(job, { services })
  await lost.promise
  return { msp, execution_id, job }
}

type Lost = Awaited<ReturnType<typeof withLostCall>>

const suspend = ({ database, tenant_id }: Msp, suspended_at: Date | null) =>
  database.prisma.tenant.update({ where: { id: tenant_id }, data: { suspended_at } })

const ENDS: Readonly<Record<string, (lost: Lost) => Promise<unknown>>> = {
  'cancelled: CANCELLED': async ({ msp, execution_id, job }) => {
    await api.call(msp.key, 'cancel_execution', { execution_id })
    expect(await entriesOf(api, msp, execution_id)).toEqual([])
    await performRun(job, { attempt: 2 })
    await performRun(job, { attempt: 3 })
  },
  'cancelled, and its job is lost too: CANCELLED': async ({ msp, execution_id }) => {
    await api.call(msp.key, 'cancel_execution', { execution_id })
    await settle(msp)
    await sweep()
    await sweep()
    expect(await performRuns(msp)).toBe(1)
    await settle(msp)
    await sweep()
    expect(await performRuns(msp)).toBe(0)
  },
  'without a worker for longer than it may take: TIMED_OUT': async ({ job }) => {
    onTestFinished(() => clock.reset())
    clock.advance(65_000)
    await performRun(job, { attempt: 2 })
  },
  'of a tenant that is suspended: FAILED': async ({ msp, job }) => {
    await suspend(msp, clock.now())
    await performRun(job, { attempt: 2 })
    await suspend(msp, null)
  },
}

describe.each(Object.entries(ENDS))('an execution that is %s', (name, end) => {
  it.each([
    ['was made', true, 'SUCCEEDED', null],
    ['was not made', false, 'SKIPPED', 'not_made'],
  ])('says of the note that it %s', async (_what, makes, outcome, error_code) => {
    const lost = await withLostCall(makes)
    const { msp, execution_id } = lost
    await end(lost)
    expect(await entriesOf(api, msp, execution_id)).toMatchObject([
      { tool_name: 'ticket.add_note', outcome, error_code },
    ])
    expect(await psaOfTenant(msp).notesOf('4711')).toHaveLength(makes ? 1 : 0)
    expect(await psaOfTenant(msp).ticket('4711')).toMatchObject({ status: 'New' })
    expect(await executionOf(api, msp, execution_id)).toMatchObject({
      status: name.split(': ')[1],
      run_count: 1,
      credits_consumed: makes ? 1 : 0,
    })
    const left = { tenant_id: msp.tenant_id, slot: { not: null } }
    expect(await msp.database.prisma.executionWork.count({ where: left })).toBe(0)
  })
})

describe('a PSA that cannot be asked what became of a note', () => {
  async function unreachable() {
    const lost = await withLostCall(true)
    const { msp, execution_id, job } = lost
    const services = await withPsa(() => ({
      outcomeOf: () => Promise.reject(new ApiError('upstream_unavailable', { details: { upstream: 'PSA' } })),
    }))
    await api.call(msp.key, 'cancel_execution', { execution_id })
    await performRun(job, { services, attempt: 2 })
    expect(await entriesOf(api, msp, execution_id)).toEqual([])
    return { ...lost, services }
  }

  it('is asked again', async () => {
    onTestFinished(() => clock.reset())
    const { msp, execution_id } = await unreachable()
    expect(await performRuns(msp)).toBe(0)
    clock.advance(60_000)
    expect(await performRuns(msp)).toBe(1)
    expect(await entriesOf(api, msp, execution_id)).toMatchObject([{ outcome: 'SUCCEEDED' }])
  })

  it('is given up after a quarter of an hour', async () => {
    onTestFinished(() => clock.reset())
    const { msp, execution_id, services } = await unreachable()
    clock.advance(15 * 60_000)
    expect(await performRuns(msp, { services })).toBe(1)
    expect(await entriesOf(api, msp, execution_id)).toMatchObject([
      { outcome: 'FAILED', error_code: 'outcome_unknown' },
    ])
  })
})

describe('a run that is cancelled while it repeats a note', () => {
  const busy = () =>
    new ApiError('upstream_unavailable', {
      details: { upstream: 'PSA' },
      cause: new PortUnavailable('It is busy', { kind: 'LIMIT', not_made: true, retry_after_seconds: 1 }),
    })

  it('before the repetition makes it no more', async () => {
    const msp = await chainMsp([NOTE])
    const execution_id = await start(api, msp)
    let tries = 0
    const services = await withPsa(() => ({
      async addNote() {
        tries++
        await api.call(msp.key, 'cancel_execution', { execution_id })
        throw busy()
      },
    }))
    await performRuns(msp, { services })
    expect(tries).toBe(1)
    expect(await executionOf(api, msp, execution_id)).toMatchObject({ status: 'CANCELLED' })
    expect(await entriesOf(api, msp, execution_id)).toMatchObject([
      { outcome: 'SKIPPED', error_code: 'not_made' },
    ])
  })

  it('during the repetition says that the note was made, though it shows later', async () => {
    onTestFinished(() => clock.reset())
    const msp = await chainMsp([NOTE])
    const execution_id = await start(api, msp)
    const [job] = await takeRunJobs(msp)
    if (!job) throw new Error('No job')
    const reached = Promise.withResolvers<{ at: Date; key: string }>()
    let tries = 0
    const services = await withPsa(() => ({
      async addNote(_ticket_id, _note, key) {
        if (++tries === 1) throw busy()
        reached.resolve({ at: clock.now(), key })
        return await FOREVER
      },
    }))
    void performRun(job, { services })
    const { at, key } = await reached.promise
    await api.call(msp.key, 'cancel_execution', { execution_id })
    const asked: (Date | undefined)[] = []
    const late = await withPsa(() => ({
      async outcomeOf(_key, _write, ends_at) {
        asked.push(ends_at)
        return { asked_again_at: ends_at ?? at }
      },
    }))
    await performRun(job, { services: late, attempt: 2 })
    expect(asked).toHaveLength(1)
    // The time of the repetition, and not of the first attempt, a second before.
    expect(asked[0]?.getTime()).toBeGreaterThan(at.getTime() + 29_500)
    expect(await entriesOf(api, msp, execution_id)).toEqual([])
    await psaOfTenant(msp).addNote('4711', { author_name: 'Chain', is_internal: true, text: 'x' }, key)
    clock.advance(31_000)
    await performRuns(msp)
    expect(await entriesOf(api, msp, execution_id)).toMatchObject([{ outcome: 'SUCCEEDED' }])
  })
})
