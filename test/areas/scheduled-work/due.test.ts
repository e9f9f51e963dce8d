/** Entries of scheduled work whose time has come. */
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { claim } from '../../../src/areas/scheduled-work/due.ts'
import { serviceContext } from '../../../src/jobs/service-context.ts'
import { addAgents, addExecutions } from '../../setup/agents.ts'
import { type Api, describeApi } from '../../setup/api.ts'
import { clock, testApp } from '../../setup/app.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { queueDueOf, startDueOf, waitingEntries, withoutPsa, withPsa } from '../../setup/due.ts'
import { addPsaTickets } from '../../setup/psa.ts'
import { performRuns } from '../../setup/runs.ts'
import { addScheduledWork } from '../../setup/scheduled-work.ts'
import { type Msp, world } from '../../setup/world.ts'
import { executionsOf, installQueues, queued } from '../agents/runnable.ts'

beforeAll(installQueues)

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS

const ago = (ms: number): Date => new Date(clock.now().getTime() - ms)

const NOTE = { type: 'ticket.add_note', params: { text: 'We are on it.', visibility: 'INTERNAL' } }

/** A tenant with ticket 4711, and agent 1, which adds a note to tickets. */
async function dueMsp(agent: object = {}): Promise<Msp> {
  onTestFinished(() => clock.reset())
  const msp = await world()
  await addAgents(msp, [
    { id: 1, name: 'Notes', autonomy_type: 'CHAINED_ACTIONS', actions: [NOTE], ...agent },
  ])
  await addPsaTickets(msp, [{ ticket_id: '4711', number: 'T-4711' }])
  return msp
}

/** A worker claims the next entry that waits, whether it was queued or not, and does nothing more. */
async function claimNext({ database, tenant_id, environment }: Msp) {
  const { services } = (await testApp()).app
  const where = { tenant_id, environment, status: 'PENDING' } as const
  const entry = await database.prisma.scheduledWork.findFirst({ where, orderBy: { id: 'asc' } })
  const ctx = serviceContext(services, 'scheduled-work.start', 'req_claim', { tenant_id, environment })
  return entry && (await claim(ctx, entry))
}

type Entry = Partial<Parameters<typeof addScheduledWork>[1][number]>

const addDue = (msp: Msp, entry: Entry = {}) =>
  addScheduledWork(msp, [{ workflow_id: 1, scheduled_for: ago(SECOND_MS), ...entry }])

const entriesOf = async (api: Api, msp: Msp) =>
  (await api.call(msp.key, 'scheduled_work', { sort: 'scheduled_for' })).data

/** The only entry of the tenant. */
const entryOf = async (api: Api, msp: Msp) => (await entriesOf(api, msp))[0]

describeApi('a due entry', (api) => {
  it('starts its execution, which has its ticket and its instructions', async () => {
    const msp = await dueMsp()
    await addDue(msp, { additional_custom_instructions: 'Be brief.', ticket_number: 'old' })
    await startDueOf(msp)
    const entry = await entryOf(api, msp)
    expect(entry).toMatchObject({
      status: 'COMPLETED',
      attempt: 1,
      execution_id: expect.any(String),
      revision: 1,
      executed_at: expect.any(String),
      execution_message: 'The execution was accepted.',
      execution_temporal_run_id: null,
    })
    expect(await queued(msp)).toEqual([entry.execution_id])
    const { execution_id } = entry
    expect((await api.call(msp.key, 'execution', { execution_id })).data).toMatchObject({
      status: 'NEW',
      trigger: 'SCHEDULED_WORK',
      agent_id: 1,
      entity_id: '4711',
      entity_number: 'T-4711',
      additional_custom_instructions: 'Be brief.',
      supervised: false,
    })
    expect(await activitiesOf(msp)).toMatchObject([
      { action: 'execution.started', actor_type: 'SYSTEM', actor_id: 'scheduled-work.start' },
    ])
    await performRuns(msp)
    const { data: runs } = await api.call(msp.key, 'execution_runs', { execution_id })
    expect(await entryOf(api, msp)).toMatchObject({ execution_temporal_run_id: runs[0].temporal_run_id })
    expect((await api.call(msp.key, 'execution', { execution_id })).data.status).toBe('COMPLETED')
  })

  it('starts at its time, not before, and once', async () => {
    const msp = await dueMsp()
    await addDue(msp, { scheduled_for: ago(-MINUTE_MS) })
    await startDueOf(msp)
    expect(await entryOf(api, msp)).toMatchObject({ status: 'PENDING', attempt: 0 })
    clock.advance(MINUTE_MS)
    await startDueOf(msp)
    await startDueOf(msp)
    expect(await entryOf(api, msp)).toMatchObject({ status: 'COMPLETED', attempt: 1 })
    expect(await executionsOf(msp)).toHaveLength(1)
  })

  it('is supervised if its agent is', async () => {
    const msp = await dueMsp({ supervised: true, supervisor_technician_ids: [3] })
    await addDue(msp)
    await startDueOf(msp)
    expect(await executionsOf(msp)).toMatchObject([{ supervised: true, supervisor_technician_ids: [3] }])
  })

  it('reaches an execution of its agent that is live on the ticket, and starts none', async () => {
    const msp = await dueMsp()
    await addExecutions(msp, [
      {
        execution_id: 'exe_live',
        agent_id: 1,
        status: 'WAITING_FOR_APPROVAL',
        entity_id: '4711',
        run_count: 1,
      },
    ])
    const run = {
      execution_id: 'exe_live',
      sequence: 1,
      temporal_run_id: 'run_live',
      status: 'PAUSED' as const,
    }
    const { tenant_id, environment } = msp
    await msp.database.prisma.executionRun.create({
      data: {
        tenant_id,
        environment,
        ...run,
        supervised: false,
        started_at: clock.now(),
        ended_at: clock.now(),
      },
    })
    await addDue(msp, { additional_custom_instructions: 'Be brief.' })
    await startDueOf(msp)
    expect(await entryOf(api, msp)).toMatchObject({
      status: 'COMPLETED',
      execution_id: 'exe_live',
      execution_temporal_run_id: 'run_live',
      execution_message:
        'An execution of the agent was live on the ticket already. It keeps the instructions that it has.',
    })
    expect(await executionsOf(msp)).toHaveLength(1)
  })

  it.each<[what: string, agent: object, entry: Entry, message: string]>([
    ['whose agent is paused', { state: 'PAUSED' }, {}, 'The agent is PAUSED: only an ACTIVE one starts.'],
    [
      'whose agent is archived',
      { state: 'ARCHIVED' },
      {},
      'The agent is ARCHIVED: only an ACTIVE one starts.',
    ],
    ['whose agent runs otherwise', { trigger_type: 'SCHEDULED' }, {}, 'The agent is not TRIGGERED any more.'],
    [
      'whose agent works on time entries',
      { entity_type: 'TIME_ENTRY' },
      {},
      'The agent does not work on tickets any more.',
    ],
    ['whose ticket is gone', {}, { ticket_id: '1' }, 'The ticket is gone from the PSA.'],
  ])('%s fails at once, and says why', async (_what, agent, entry, execution_message) => {
    const msp = await dueMsp(agent)
    await addDue(msp, entry)
    await startDueOf(msp)
    const nothing = { executed_at: null, execution_id: null, execution_temporal_run_id: null }
    expect(await entryOf(api, msp)).toMatchObject({
      status: 'FAILED',
      attempt: 1,
      execution_message,
      ...nothing,
    })
    expect([await executionsOf(msp), await queued(msp)]).toEqual([[], []])
  })

  it.each([
    [{ status: 'PAUSED' as const }, 'Agents do not run while the subscription is not active.'],
    [{ credits_included: 0, overage_allowed: false }, 'The credits of the billing period are used up.'],
  ])('fails if the subscription does not let agents run: %j', async (terms, execution_message) => {
    const msp = await dueMsp()
    await msp.database.prisma.subscription.updateMany({ where: { tenant_id: msp.tenant_id }, data: terms })
    await addDue(msp)
    await startDueOf(msp)
    expect(await entryOf(api, msp)).toMatchObject({ status: 'FAILED', attempt: 1, execution_message })
    expect([await executionsOf(msp), await queued(msp)]).toEqual([[], []])
  })

  it('is tried three times while the PSA is away, with a pause in between', async () => {
    const msp = await dueMsp()
    await addDue(msp)
    const services = await withoutPsa('ticket')
    const waits = { status: 'PENDING', execution_message: 'The PSA did not answer. It is tried again.' }
    for (const [attempt, pause] of [
      [1, MINUTE_MS],
      [2, 5 * MINUTE_MS],
    ] as const) {
      await startDueOf(msp, { services })
      await startDueOf(msp, { services })
      expect(await entryOf(api, msp)).toMatchObject({ ...waits, attempt })
      clock.advance(pause + SECOND_MS)
    }
    await startDueOf(msp, { services })
    expect(await entryOf(api, msp)).toMatchObject({
      status: 'FAILED',
      attempt: 3,
      execution_message: 'The PSA did not answer, 3 times.',
    })
    expect([await executionsOf(msp), await queued(msp)]).toEqual([[], []])
  })

  it('starts when the PSA is back, or is cancelled before', async () => {
    const msp = await dueMsp()
    await addDue(msp)
    await addDue(msp, { ticket_id: '4712', scheduled_for: ago(0) })
    await startDueOf(msp, { services: await withoutPsa('ticket') })
    const [first, second] = await entriesOf(api, msp)
    expect([first.status, second.status]).toEqual(['PENDING', 'PENDING'])
    const cancelled = await api.call(msp.key, 'cancel_scheduled_work', { entry_id: second.id })
    expect(cancelled.data.status).toBe('CANCELLED')
    clock.advance(MINUTE_MS + SECOND_MS)
    await startDueOf(msp)
    expect(await entriesOf(api, msp)).toMatchObject([
      { status: 'COMPLETED', attempt: 2 },
      { status: 'CANCELLED', attempt: 1 },
    ])
  })

  it('that is put off while it is in the queue starts at its new time, and once', async () => {
    const msp = await dueMsp()
    await addDue(msp)
    await queueDueOf(msp)
    const { id } = await entryOf(api, msp)
    const later = new Date(clock.now().getTime() + 2 * MINUTE_MS).toISOString()
    await api.call(msp.key, 'reschedule_work', { entry_id: id, input: { scheduled_for: later } })
    await startDueOf(msp)
    expect(await entryOf(api, msp)).toMatchObject({ status: 'PENDING', attempt: 0, scheduled_for: later })
    clock.advance(2 * MINUTE_MS)
    await startDueOf(msp)
    expect(await entryOf(api, msp)).toMatchObject({ status: 'COMPLETED', attempt: 1 })
  })

  it('that is cancelled while it is in the queue starts nothing', async () => {
    const msp = await dueMsp()
    await addDue(msp)
    await queueDueOf(msp)
    const { id } = await entryOf(api, msp)
    await api.call(msp.key, 'cancel_scheduled_work', { entry_id: id })
    await startDueOf(msp)
    expect(await entryOf(api, msp)).toMatchObject({ status: 'CANCELLED', attempt: 0 })
    expect(await executionsOf(msp)).toEqual([])
  })

  it('is queued once, and again only if its job was lost', async () => {
    const msp = await dueMsp()
    await addDue(msp, { scheduled_for: ago(60 * 24 * 60 * MINUTE_MS) })
    await queueDueOf(msp)
    clock.advance(59 * MINUTE_MS)
    await queueDueOf(msp)
    expect(await waitingEntries(msp)).toHaveLength(1)
    await msp.database.prisma.$executeRaw`delete from pgboss.job where name = 'scheduled-work.start'
      and data -> 'tenancy' ->> 'tenant_id' = ${msp.tenant_id}`
    clock.advance(MINUTE_MS)
    await startDueOf(msp)
    expect(await entryOf(api, msp)).toMatchObject({ status: 'COMPLETED', attempt: 1 })
  })

  it('that a worker is starting is neither cancelled nor changed', async () => {
    const msp = await dueMsp()
    await addDue(msp)
    await claimNext(msp)
    const { id } = await entryOf(api, msp)
    const args = { entry_id: id }
    const refusals = [
      await api.call(msp.key, 'cancel_scheduled_work', args),
      await api.call(msp.key, 'reschedule_work', { ...args, input: { additional_custom_instructions: 'x' } }),
    ]
    expect(refusals.map(({ error }) => [error?.code, error?.details.current_status])).toEqual([
      ['scheduled_work_not_cancellable', 'PROCESSING'],
      ['scheduled_work_not_editable', 'PROCESSING'],
    ])
  })
})

describe('the claim of a due entry', () => {
  const statesOf = ({ database, tenant_id }: Msp) =>
    database.prisma.scheduledWork.findMany({
      where: { tenant_id },
      orderBy: { scheduled_for: 'asc' },
      select: { status: true, attempt: true },
    })

  it('is released when its worker is lost, and after the last attempt it has failed', async () => {
    const msp = await dueMsp()
    await addDue(msp)
    for (const attempt of [1, 2, 3]) {
      const { tenant_id, database } = msp
      expect(await claimNext(msp)).toMatchObject({ attempt })
      expect(await claimNext(msp)).toBeNull()
      clock.advance(24 * SECOND_MS)
      await startDueOf(msp, { services: await withoutPsa('ticket') })
      expect(await statesOf(msp)).toEqual([{ status: 'PROCESSING', attempt }])
      clock.advance(2 * SECOND_MS)
      // Nothing is claimed by this one, which only releases.
      const at = clock.now()
      await database.prisma.tenant.update({ where: { id: tenant_id }, data: { suspended_at: at } })
      await startDueOf(msp)
      await database.prisma.tenant.update({ where: { id: tenant_id }, data: { suspended_at: null } })
      expect(await statesOf(msp)).toEqual([{ status: attempt < 3 ? 'PENDING' : 'FAILED', attempt }])
    }
    expect(await executionsOf(msp)).toEqual([])
  })

  it('is released though its agent was queued for the same minute again', async () => {
    const msp = await dueMsp()
    const scheduled_for = ago(SECOND_MS)
    for (const attempt of [1, 1]) {
      await addDue(msp, { scheduled_for })
      expect(await claimNext(msp)).toMatchObject({ attempt })
    }
    clock.advance(26 * SECOND_MS)
    await startDueOf(msp)
    expect(await statesOf(msp)).toEqual([
      { status: 'COMPLETED', attempt: 2 },
      { status: 'COMPLETED', attempt: 2 },
    ])
    expect(await executionsOf(msp)).toHaveLength(1)
  })

  it('that was lost starts nothing: another worker has started the entry', async () => {
    const msp = await dueMsp()
    await addDue(msp)
    const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const services = await withPsa((local) => ({
      ticket: async (id) => {
        asked.resolve()
        await answer.promise
        return await local.ticket(id)
      },
    }))
    const slow = startDueOf(msp, { services })
    await asked.promise
    clock.advance(26 * SECOND_MS)
    await startDueOf(msp)
    answer.resolve()
    await slow
    expect(await statesOf(msp)).toEqual([{ status: 'COMPLETED', attempt: 2 }])
    expect([(await executionsOf(msp)).length, (await queued(msp)).length]).toEqual([1, 1])
  })

  it('is not made of an entry that another engine was starting', async () => {
    const msp = await dueMsp()
    await addDue(msp, { status: 'PROCESSING', attempt: 1 })
    await startDueOf(msp)
    expect(await statesOf(msp)).toEqual([{ status: 'PROCESSING', attempt: 1 }])
  })

  it('waits while the tenant is suspended', async () => {
    const msp = await dueMsp()
    await addDue(msp)
    const suspend = (suspended_at: Date | null) =>
      msp.database.prisma.tenant.update({ where: { id: msp.tenant_id }, data: { suspended_at } })
    await suspend(clock.now())
    await startDueOf(msp)
    expect(await statesOf(msp)).toEqual([{ status: 'PENDING', attempt: 0 }])
    await suspend(null)
    await queueDueOf(msp)
    await suspend(clock.now())
    await startDueOf(msp)
    expect(await statesOf(msp)).toEqual([{ status: 'PENDING', attempt: 0 }])
    await suspend(null)
    await startDueOf(msp)
    expect(await statesOf(msp)).toEqual([{ status: 'COMPLETED', attempt: 1 }])
  })

  it('comes to what has been due for longest first, whatever the order in which it was queued', async () => {
    const msp = await dueMsp()
    const minutes = [5, 50, 1, 30, 10]
    await addPsaTickets(
      msp,
      minutes.map((minute) => ({ ticket_id: `t${minute}` })),
    )
    for (const minute of minutes)
      await addDue(msp, { ticket_id: `t${minute}`, scheduled_for: ago(minute * MINUTE_MS) })
    await startDueOf(msp)
    expect((await executionsOf(msp)).map(({ entity_id }) => entity_id)).toEqual([
      't50',
      't30',
      't10',
      't5',
      't1',
    ])
  })
})
