/** Schedules of agents: what their occurrences start. */
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { MAX_TICKETS } from '../../../src/connectors/psa.ts'
import { addAgents, addExecutions } from '../../setup/agents.ts'
import { type Api, apis, describeApi } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { times } from '../../setup/at-once.ts'
import { performOccurrences, takeSchedulesOf, waitingOccurrences, withoutPsa } from '../../setup/due.ts'
import { addPsaTechnicians, addPsaTickets, psaOfTenant } from '../../setup/psa.ts'
import { type Msp, world } from '../../setup/world.ts'
import { executionsOf, installQueues, queued } from './runnable.ts'

beforeAll(installQueues)

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

const HOURLY = { cron: '0 * * * *', timezone: 'UTC', start_at: null, end_at: null }
const CLOSE = [{ type: 'ticket.set_status', params: { status: 'Closed' } }]

const body = (changes: object = {}) => ({
  input: {
    name: 'Hourly',
    autonomy_type: 'CHAINED_ACTIONS',
    trigger_type: 'SCHEDULED',
    entity_type: 'TICKET',
    agent_settings: {},
    actions: CLOSE,
    schedule: HOURLY,
    activate: true,
    ...changes,
  },
})

/** A tenant at ten minutes to a full hour. */
async function early(): Promise<Msp> {
  onTestFinished(() => clock.reset())
  const now = clock.now().getTime()
  clock.turn(HOUR_MS - (now % HOUR_MS) - 10 * MINUTE_MS)
  return await world()
}

/** Takes and performs what is due, as a worker does. */
async function work(msp: Msp): Promise<void> {
  await takeSchedulesOf(msp)
  await performOccurrences(msp)
}

const entitiesOf = async (msp: Msp) => (await executionsOf(msp)).map(({ entity_id }) => entity_id).sort()

const progressOf = ({ database, tenant_id }: Msp) =>
  database.prisma.agentSchedule.findMany({ where: { tenant_id }, orderBy: { agent_id: 'asc' } })

describeApi('a schedule', (api) => {
  const create = async (msp: Msp, changes: object = {}): Promise<number> =>
    (await api.call(msp.owner, 'create_agent', body(changes))).data.id

  const scheduled = async (msp: Msp) => (await api.call(msp.key, 'executions', { trigger: 'SCHEDULED' })).data

  it('starts the agent on every open ticket that meets its conditions, once at each occurrence', async () => {
    const msp = await early()
    await addPsaTickets(msp, [
      { ticket_id: '1', number: 'T-1', board: 'Alerts' },
      { ticket_id: '2', board: 'Alerts', closed_at: clock.now() },
      { ticket_id: '3', board: 'Desk' },
      { ticket_id: '4', board: 'alerts' },
    ])
    const rules = [{ field: 'board', operator: 'equals', value: 'Alerts' }]
    const agent_id = await create(msp, { ticket_conditions: { match: 'ALL', rules } })
    await work(msp)
    expect(await scheduled(msp)).toEqual([])
    clock.advance(10 * MINUTE_MS)
    await work(msp)
    await work(msp)
    const executions = await scheduled(msp)
    expect(executions.map(({ entity_id }: { entity_id: string }) => entity_id).sort()).toEqual(['1', '4'])
    expect(executions.find(({ entity_id }: { entity_id: string }) => entity_id === '1')).toMatchObject({
      agent_id,
      status: 'NEW',
      entity_number: 'T-1',
      supervised: false,
    })
    expect((await queued(msp)).length).toBe(2)
  })

  it('starts an agent that works on nothing once', async () => {
    const msp = await early()
    await create(msp, { autonomy_type: 'AGENTIC', entity_type: 'NONE', actions: undefined })
    await work(msp)
    for (let hour = 0; hour < 3; hour++) {
      clock.advance(HOUR_MS)
      await work(msp)
    }
    expect(await scheduled(msp)).toHaveLength(3)
    expect(await entitiesOf(msp)).toEqual([null, null, null])
  })

  it('of what was missed during downtime makes up the latest occurrence', async () => {
    const msp = await early()
    await create(msp, { autonomy_type: 'AGENTIC', entity_type: 'NONE', actions: undefined })
    clock.advance(5 * HOUR_MS)
    await work(msp)
    expect(await scheduled(msp)).toHaveLength(1)
    clock.advance(10 * MINUTE_MS)
    await work(msp)
    expect(await scheduled(msp)).toHaveLength(2)
  })

  it('starts nothing while the agent is paused, and nothing that was due then', async () => {
    const msp = await early()
    const agent_id = await create(msp, { autonomy_type: 'AGENTIC', entity_type: 'NONE', actions: undefined })
    await takeSchedulesOf(msp)
    await api.call(msp.owner, 'pause_agent', { agent_id })
    clock.advance(HOUR_MS)
    await work(msp)
    await api.call(msp.owner, 'activate_agent', { agent_id })
    await work(msp)
    expect([await scheduled(msp), (await progressOf(msp)).length]).toEqual([[], 1])
    clock.advance(HOUR_MS)
    await work(msp)
    expect(await scheduled(msp)).toHaveLength(1)
    await api.call(msp.owner, 'archive_agent', { agent_id })
    expect(await progressOf(msp)).toEqual([])
    clock.advance(HOUR_MS)
    await work(msp)
    expect(await scheduled(msp)).toHaveLength(1)
  })

  it('that is changed counts from the change on, and other changes leave it', async () => {
    const msp = await early()
    const agent_id = await create(msp)
    await takeSchedulesOf(msp)
    const [before] = await progressOf(msp)
    clock.advance(MINUTE_MS)
    await api.call(msp.owner, 'update_agent', { agent_id, input: { name: 'Other', schedule: HOURLY } })
    expect(await progressOf(msp)).toEqual([before])
    const schedule = { ...HOURLY, cron: '55 * * * *' }
    await api.call(msp.owner, 'update_agent', { agent_id, input: { schedule } })
    await takeSchedulesOf(msp)
    const [after] = await progressOf(msp)
    expect(after?.next_at?.getTime()).toBe((before?.next_at?.getTime() ?? 0) - 5 * MINUTE_MS)
  })

  it('has no occurrence after its end', async () => {
    const msp = await early()
    const end_at = new Date(clock.now().getTime() + 9 * MINUTE_MS).toISOString()
    await create(msp, { schedule: { ...HOURLY, end_at } })
    await takeSchedulesOf(msp)
    expect(await progressOf(msp)).toMatchObject([{ next_at: null }])
  })

  it('of a DRAFT starts nothing', async () => {
    const msp = await early()
    await create(msp, { activate: false })
    clock.advance(HOUR_MS)
    await work(msp)
    expect([await progressOf(msp), await scheduled(msp)]).toEqual([[], []])
  })
})

/** A tenant with agent 1 of this kind, whose next occurrence is in ten minutes. */
async function scheduledMsp(agent: object = {}): Promise<Msp> {
  const msp = await early()
  await addAgents(msp, [{ id: 1, trigger_type: 'SCHEDULED', schedule: HOURLY, ...agent }])
  await takeSchedulesOf(msp)
  return msp
}

describe('an occurrence', () => {
  it('leaves a ticket on which an execution of the agent is live', async () => {
    const msp = await scheduledMsp()
    await addPsaTickets(msp, [{ ticket_id: '1' }, { ticket_id: '2' }])
    const live = { agent_id: 1, entity_id: '1', status: 'WAITING_FOR_APPROVAL' as const }
    await addExecutions(msp, [{ execution_id: 'exe_live', ...live }])
    clock.advance(10 * MINUTE_MS)
    await work(msp)
    expect(await entitiesOf(msp)).toEqual(['1', '2'])
  })

  it('gives the agent each new time entry once', async () => {
    const msp = await scheduledMsp({
      entity_type: 'TIME_ENTRY',
      time_entry_conditions: { rules: [{ field: 'minutes', operator: 'at_least', value: 10 }] },
    })
    await addPsaTickets(msp, [{ ticket_id: '1' }])
    await addPsaTechnicians(msp, [{ psa_id: 7 }])
    const add = async (minutes: number) => {
      const draft = { technician_psa_id: 7, minutes, note: null, started_at: clock.now() }
      return (await psaOfTenant(msp).addTimeEntry('1', draft, `k${minutes}`)).time_entry_id
    }
    const first = await add(10)
    await add(5)
    clock.advance(10 * MINUTE_MS)
    await work(msp)
    expect(await entitiesOf(msp)).toEqual([first])
    const second = await add(15)
    clock.advance(HOUR_MS)
    await work(msp)
    expect(await entitiesOf(msp)).toEqual([first, second].sort())
    clock.advance(HOUR_MS)
    await work(msp)
    expect(await entitiesOf(msp)).toHaveLength(2)
  })

  it('looks through all open tickets, and takes 200 of them: those unchanged for longest', async () => {
    const rules = [{ field: 'board', operator: 'equals', value: 'Alerts' }]
    const msp = await scheduledMsp({ ticket_conditions: { rules } })
    const ticket = (number: number) => ({
      ticket_id: `t${String(number).padStart(4, '0')}`,
      board: number < MAX_TICKETS ? 'Desk' : 'Alerts',
      updated_at: new Date(clock.now().getTime() - 1_000_000 + number),
    })
    await addPsaTickets(
      msp,
      Array.from({ length: MAX_TICKETS + 203 }, (_, number) => ticket(number)),
    )
    clock.advance(10 * MINUTE_MS)
    await work(msp)
    const chosen = await entitiesOf(msp)
    expect([chosen.length, chosen[0], chosen.at(-1)]).toEqual([200, 't0200', 't0399'])
  })

  it('starts all or nothing: if the PSA goes away it is tried again', async () => {
    const rules = [{ field: 'contact', operator: 'is_empty' }]
    const msp = await scheduledMsp({ ticket_conditions: { rules } })
    await addPsaTickets(msp, [{ ticket_id: '1' }, { ticket_id: '2', contact_id: 'c' }])
    clock.advance(10 * MINUTE_MS)
    await takeSchedulesOf(msp)
    const services = await withoutPsa('contact')
    await expect(performOccurrences(msp, { services })).rejects.toMatchObject({
      code: 'upstream_unavailable',
    })
    expect([await entitiesOf(msp), await queued(msp)]).toEqual([[], []])
    await performOccurrences(msp)
    expect(await entitiesOf(msp)).toEqual(['1', '2'])
  })

  it('starts nothing of an agent that was paused since it was due', async () => {
    const msp = await scheduledMsp({ entity_type: 'NONE' })
    clock.advance(10 * MINUTE_MS)
    await takeSchedulesOf(msp)
    await msp.database.prisma.agent.updateMany({
      where: { tenant_id: msp.tenant_id },
      data: { state: 'PAUSED' },
    })
    expect(await performOccurrences(msp)).toBe(1)
    expect(await entitiesOf(msp)).toEqual([])
  })

  it('starts nothing without credits', async () => {
    const msp = await scheduledMsp({ entity_type: 'NONE' })
    const { tenant_id, database } = msp
    const terms = { credits_included: 0, overage_allowed: false }
    await database.prisma.subscription.updateMany({ where: { tenant_id }, data: terms })
    clock.advance(10 * MINUTE_MS)
    await work(msp)
    expect(await entitiesOf(msp)).toEqual([])
  })

  it('is supervised if the agent is', async () => {
    const msp = await scheduledMsp({ entity_type: 'NONE', supervised: true, supervisor_technician_ids: [4] })
    clock.advance(10 * MINUTE_MS)
    await work(msp)
    expect(await executionsOf(msp)).toMatchObject([{ supervised: true, supervisor_technician_ids: [4] }])
  })

  it('of a suspended tenant is missed', async () => {
    const msp = await scheduledMsp({ entity_type: 'NONE' })
    const suspend = (suspended_at: Date | null) =>
      msp.database.prisma.tenant.update({ where: { id: msp.tenant_id }, data: { suspended_at } })
    await suspend(clock.now())
    clock.advance(3 * HOUR_MS)
    await work(msp)
    expect(await entitiesOf(msp)).toEqual([])
    await suspend(null)
    await work(msp)
    expect(await entitiesOf(msp)).toHaveLength(1)
  })

  it('of a schedule that cannot be read is none, and keeps no other from its own', async () => {
    const msp = await early()
    await addAgents(msp, [
      { id: 1, trigger_type: 'SCHEDULED', entity_type: 'NONE', schedule: { cron: 'every day' } },
      { id: 2, trigger_type: 'SCHEDULED', entity_type: 'NONE', schedule: HOURLY },
    ])
    await takeSchedulesOf(msp)
    clock.advance(10 * MINUTE_MS)
    await work(msp)
    expect((await progressOf(msp)).map(({ next_at }) => next_at === null)).toEqual([true, false])
    expect((await executionsOf(msp)).map(({ agent_id }) => agent_id)).toEqual([2])
  })
})

describe.runIf(process.env.DATABASE_URL)('ten workers at once', () => {
  it('take each occurrence once', async () => {
    const msp = await early()
    const agents = Array.from({ length: 20 }, (_, index) => ({
      id: index + 1,
      trigger_type: 'SCHEDULED' as const,
      entity_type: 'NONE' as const,
      schedule: HOURLY,
    }))
    await addAgents(msp, agents)
    await times(() => takeSchedulesOf(msp), 10)
    expect(await waitingOccurrences(msp)).toEqual([])
    clock.advance(10 * MINUTE_MS)
    await times(() => takeSchedulesOf(msp), 10)
    const taken = (await waitingOccurrences(msp)).map(
      ({ data }) => (data.payload as { agent_id: number }).agent_id,
    )
    expect(taken.sort((a, b) => a - b)).toEqual(agents.map(({ id }) => id))
  })

  it('and a caller who pauses the agent do not wait for each other for ever', async () => {
    for (let round = 0; round < 10; round++) {
      const msp = await scheduledMsp({ entity_type: 'NONE' })
      clock.advance(10 * MINUTE_MS)
      const [answer] = await Promise.all([
        (apis[round % 2] as Api).call(msp.owner, 'pause_agent', { agent_id: 1 }),
        times(() => takeSchedulesOf(msp), 3),
      ])
      expect(answer.status).toBe(200)
      expect(await progressOf(msp)).toEqual([])
    }
  })
})
