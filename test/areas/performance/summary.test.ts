import { expect, it } from 'vitest'
import { describeApi } from '../../setup/api.ts'
import { countStatements } from '../../setup/statements.ts'
import { world } from '../../setup/world.ts'
import { addAgents, addCredits, addExecutions, addTickets, at, NOTHING, share, summary } from './rows.ts'

const MARCH = { from: '2026-03-01T00:00:00Z', to: '2026-04-01T00:00:00Z' }

describeApi('the performance summary', (api) => {
  it('has every field of the contract, and counts what it says', async () => {
    const msp = await world()
    await addAgents(msp, [
      { id: 1 },
      { id: 2, entity_type: 'TIME_ENTRY', state: 'ARCHIVED' },
      { id: 3, autonomy_type: 'CONVERSATIONAL', entity_type: 'NONE' },
    ])
    const done = { agent_id: 1, status: 'COMPLETED', hours_saved: 0.5, seconds_spent: 10.5 } as const
    await addExecutions(msp, [
      {
        ...done,
        entity_id: 'a',
        resolution: 'FULL',
        credits_consumed: 0.1,
        created_at: at('03-01T00:00:00'),
      },
      { ...done, entity_id: 'a', resolution: 'PARTIAL', created_at: at('03-31T23:59:59.999') },
      {
        ...done,
        agent_id: 2,
        entity_type: 'TIME_ENTRY',
        entity_id: 'b',
        created_at: at('03-10T10:00'),
        finished_at: at('03-10T11:00'),
      },
      { agent_id: 1, status: 'FAILED', hours_saved: 9, seconds_spent: 1, created_at: at('03-15T12:00') },
      { agent_id: 1, status: 'TIMED_OUT', entity_id: 'c', created_at: at('03-16T12:00') },
      { agent_id: 1, status: 'CANCELLED', created_at: at('03-16T12:00') },
      { ...done, entity_id: 'd', created_at: at('04-01T00:00:00'), finished_at: at('04-01T00:01') },
      { ...done, entity_id: 'b', created_at: at('02-28T23:59:59.999'), finished_at: at('03-01T00:01') },
    ])
    await addCredits(msp, [
      { agent_id: 3, at: at('03-01T00:00:00'), credits: 0.2 },
      { agent_id: 3, at: at('04-01T00:00:00'), credits: 5 },
    ])
    await addTickets(msp, [
      { quarter: at('03-01T00:00:00'), count: 3 },
      { quarter: at('03-31T23:45:00'), count: 4 },
      { quarter: at('02-28T23:45:00'), count: 50 },
      { quarter: at('04-01T00:00:00'), count: 60 },
    ])
    const { status, data, warnings } = await summary(api, msp.key, MARCH)
    expect([status, data, warnings]).toEqual([
      200,
      {
        window: { from: '2026-03-01T00:00:00.000Z', to: '2026-04-01T00:00:00.000Z', timezone: 'UTC' },
        credits_consumed: 0.3,
        total_executions: 6,
        successful_executions: 3,
        failed_executions: 2,
        fully_resolved_executions: 1,
        partially_resolved_executions: 1,
        total_hours_saved: 1.5,
        total_seconds_spent: 32.5,
        total_tickets_received: 7,
        unique_tickets: 2,
        earliest_execution_at: '2026-03-01T00:01:00.000Z',
        earliest_time_entry_at: '2026-03-10T11:00:00.000Z',
      },
      [],
    ])
  })

  it('of a tenant that has nothing is zeros', async () => {
    const msp = await world()
    for (const args of [{}, MARCH, { autonomy_type: 'AGENTIC' }, { from: '0001-01-01', to: '0001-01-02' }]) {
      const { window: _window, ...totals } = (await summary(api, msp.user, args)).data
      expect(totals).toEqual(NOTHING)
    }
  })

  it('of CONVERSATIONAL agents is credits alone, and says so', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }, { id: 2, autonomy_type: 'CONVERSATIONAL' }])
    const created_at = at('03-10T10:00')
    await addExecutions(msp, [
      { agent_id: 1, entity_id: 'a', credits_consumed: 1, created_at, finished_at: created_at },
      { agent_id: 2, entity_id: 'b', seconds_spent: 9, created_at, finished_at: created_at },
    ])
    await addCredits(msp, [{ agent_id: 2, at: created_at, credits: 0.25 }])
    await addTickets(msp, [{ quarter: created_at, count: 8 }])
    const { data, warnings } = await summary(api, msp.admin, { ...MARCH, autonomy_type: 'CONVERSATIONAL' })
    expect(data).toEqual({ ...NOTHING, window: expect.anything(), credits_consumed: 0.25 })
    expect(warnings).toEqual([expect.stringMatching(/^conversational_agents: /)])
  })

  it.each([
    [{ autonomy_type: 'NONE' }, 'autonomy_type', 'enum'],
    [{ autonomy_type: 'agentic' }, 'autonomy_type', 'enum'],
    [{ from: 'yesterday' }, 'from', 'format'],
    [{ from: '2026-02-30' }, 'from', 'format'],
    [{ to: '' }, 'to', 'format'],
  ])('refuses %j with 422', async (args, field, code) => {
    const msp = await world()
    const { status, error } = await summary(api, msp.key, args)
    expect([status, error?.code]).toEqual([422, 'request_validation_failed'])
    expect(error?.details.field_errors).toMatchObject([{ field, location: 'query', code }])
  })

  it('has the first execution of agents of every kind, whichever kind is asked for', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }, { id: 2, autonomy_type: 'CHAINED_ACTIONS', entity_type: 'TIME_ENTRY' }])
    const finished_at = at('03-09T10:00')
    await addExecutions(msp, [
      { agent_id: 1, created_at: at('03-10T10:00'), finished_at: at('03-10T11:00') },
      { agent_id: 2, entity_type: 'TIME_ENTRY', created_at: finished_at, finished_at },
    ])
    const { data } = await summary(api, msp.key, { ...MARCH, autonomy_type: 'AGENTIC' })
    expect([data.total_executions, data.earliest_execution_at, data.earliest_time_entry_at]).toEqual([
      1,
      finished_at.toISOString(),
      finished_at.toISOString(),
    ])
  })

  it('counts the agents that the caller sees: all, or those created or shared', async () => {
    const msp = await world()
    await addAgents(msp, [
      { id: 1, created_by_user_id: msp.user.id },
      { id: 2, created_by_user_id: msp.admin.id },
      { id: 4, created_by_user_id: null, entity_type: 'TIME_ENTRY' },
      { id: 8, created_by_user_id: msp.owner.id, autonomy_type: 'CHAINED_ACTIONS' },
    ])
    await share(msp, 2, msp.viewer)
    await share(msp, 8, msp.user)
    const seconds = [1, 2, 4, 8]
    await addExecutions(
      msp,
      seconds.map((id) => ({
        agent_id: id,
        seconds_spent: id,
        entity_id: 'same',
        created_at: at('03-10T10:00'),
        finished_at: at(`03-${20 - id}T10:00`),
      })),
    )
    await addTickets(msp, [{ quarter: at('03-10T10:00'), count: 7 }])
    const actingUser = await msp.newKey({ acting_user_id: msp.user.id })
    const actingAdmin = await msp.newKey({ acting_user_id: msp.admin.id })
    const callers = [msp.owner, msp.admin, msp.key, actingAdmin, msp.user, actingUser, msp.viewer]
    const seen = await Promise.all(callers.map((caller) => summary(api, caller, MARCH)))
    expect(seen.map(({ data }) => data.total_seconds_spent)).toEqual([15, 15, 15, 15, 9, 9, 2])
    expect(seen.map(({ data }) => data.unique_tickets)).toEqual(callers.map(() => 1))
    expect(seen.map(({ data }) => data.total_tickets_received)).toEqual(callers.map(() => 7))
    expect(seen.map(({ data }) => data.earliest_execution_at?.slice(8, 10))).toEqual([
      '12',
      '12',
      '12',
      '12',
      '12',
      '12',
      '18',
    ])
    expect(seen.map(({ data }) => data.earliest_time_entry_at?.slice(8, 10))).toEqual([
      '16',
      '16',
      '16',
      '16',
      undefined,
      undefined,
      undefined,
    ])
    const chained = await summary(api, msp.user, { ...MARCH, autonomy_type: 'CHAINED_ACTIONS' })
    expect(chained.data.total_seconds_spent).toBe(8)
  })

  it('is of one tenant and one environment', async () => {
    const msp = await world()
    const other = await world()
    const elsewhere = { ...msp, environment: 'elsewhere' }
    for (const each of [msp, other, elsewhere]) {
      await addAgents(each, [{ id: 1 }])
      await addExecutions(each, [{ agent_id: 1, entity_id: 'a', created_at: at('03-10T10:00') }])
      await addCredits(each, [{ agent_id: 1, at: at('03-10T10:00'), credits: 1 }])
      await addTickets(each, [{ quarter: at('03-10T10:00'), count: 1 }])
    }
    const { data } = await summary(api, msp.key, MARCH)
    const { credits_consumed, total_executions, unique_tickets, total_tickets_received } = data
    expect([credits_consumed, total_executions, unique_tickets, total_tickets_received]).toEqual([1, 1, 1, 1])
  })

  it('is read with its scope and by every role', async () => {
    const msp = await world()
    for (const caller of [msp.owner, msp.admin, msp.user, msp.viewer]) {
      expect((await summary(api, caller)).status).toBe(200)
    }
    const refused = await summary(api, await msp.newKey({ scopes: ['settings:read'] }))
    expect([refused.status, refused.error?.code]).toEqual([403, 'insufficient_scope'])
  })

  it('costs one statement, and one for the zone if it is needed, however much there is', async () => {
    const msp = await world()
    await summary(api, msp.key)
    await summary(api, msp.user)
    const counts = async () => [
      await countStatements(msp.database, () => summary(api, msp.key, MARCH)),
      await countStatements(msp.database, () => summary(api, msp.user, MARCH)),
      await countStatements(msp.database, () => summary(api, msp.key)),
    ]
    const before = await counts()
    await addAgents(
      msp,
      Array.from({ length: 20 }, (_, id) => ({ id, created_by_user_id: msp.user.id })),
    )
    await addExecutions(
      msp,
      Array.from({ length: 200 }, (_, n) => ({
        agent_id: n % 20,
        created_at: at(`03-${10 + (n % 20)}T10:00`),
      })),
    )
    expect(await counts()).toEqual(before)
    expect((before[2] ?? 0) - (before[0] ?? 0)).toBe(1)
  })
})
