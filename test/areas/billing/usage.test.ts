import { expect, it } from 'vitest'
import { describeApi } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { countStatements } from '../../setup/statements.ts'
import { type Msp, world } from '../../setup/world.ts'
import { addAgents, addCredits, addExecutions, at, share, tenancy } from '../performance/rows.ts'

const MARCH = { from: '2026-03-01T00:00:00Z', to: '2026-04-01T00:00:00Z' }

const setZone = ({ database, ...msp }: Msp, timezone: string) =>
  database.prisma.settings.updateMany({ where: tenancy({ database, ...msp }), data: { timezone } })

/** Three agents: two that the USER sees, of which one chats, and another one. */
async function threeAgents(): Promise<Msp> {
  const msp = await world()
  await addAgents(msp, [
    { id: 1, name: 'Triage', created_by_user_id: msp.user.id },
    { id: 2, name: 'Chat', autonomy_type: 'CONVERSATIONAL' },
    { id: 3, name: 'Alerts', autonomy_type: 'CHAINED_ACTIONS', state: 'ARCHIVED' },
  ])
  await share(msp, 2, msp.user)
  await addExecutions(msp, [
    { agent_id: 1, credits_consumed: 0.1, created_at: at('03-01T00:00:00') },
    { agent_id: 1, credits_consumed: 0.2, created_at: at('03-01T23:59:59.999') },
    { agent_id: 3, credits_consumed: 4, created_at: at('03-02T00:00:00') },
    { agent_id: 1, credits_consumed: 50, created_at: at('03-03T00:00:00') },
    { agent_id: 1, credits_consumed: 60, created_at: at('02-28T23:59:59.999') },
  ])
  await addCredits(msp, [
    { agent_id: 2, at: at('03-02T10:00:00'), credits: 0.25 },
    { agent_id: 2, at: at('03-02T10:00:01'), credits: 0.5 },
  ])
  return msp
}

const TWO_DAYS = { from: '2026-03-01', to: '2026-03-03' }

describeApi('billing usage', (api) => {
  const usage = (msp: Msp, args: object = {}, caller = msp.admin) =>
    api.call(caller, 'billing_usage', { ...TWO_DAYS, ...args })

  it('has the sums of every bucket', async () => {
    const msp = await threeAgents()
    const { status, data, warnings } = await usage(msp)
    expect([status, data, warnings]).toEqual([
      200,
      {
        window: { from: '2026-03-01T00:00:00.000Z', to: '2026-03-03T00:00:00.000Z', timezone: 'UTC' },
        granularity: 'DAY',
        total_credits: 5.05,
        buckets: [
          {
            start: '2026-03-01T00:00:00.000Z',
            end: '2026-03-02T00:00:00.000Z',
            credits: 0.3,
            executions: 2,
            chat_messages: 0,
            groups: null,
          },
          {
            start: '2026-03-02T00:00:00.000Z',
            end: '2026-03-03T00:00:00.000Z',
            credits: 4.75,
            executions: 1,
            chat_messages: 2,
            groups: null,
          },
        ],
      },
      [],
    ])
  })

  it('has the questions to the model that no agent asked, for who sees all agents and asks for all', async () => {
    const msp = await threeAgents()
    await msp.database.prisma.modelQuestion.createMany({
      data: ['02-28T23:59:59.999', '03-02T12:00:00', '03-02T12:00:01', '03-03T00:00:00'].map((text) => ({
        ...tenancy(msp),
        id: text,
        at: at(text),
        credits: 1,
      })),
    })
    const creditsOf = async (args: object, caller = msp.admin) =>
      (await usage(msp, args, caller)).data.buckets.map((bucket: { credits: number }) => bucket.credits)
    expect(await creditsOf({})).toEqual([0.3, 6.75])
    expect(await creditsOf({ group_by: 'AGENT' })).toEqual([0.3, 6.75])
    expect(await creditsOf({ agent_id: 3 })).toEqual([0, 4])
    expect(await creditsOf({ autonomy_type: 'CONVERSATIONAL' })).toEqual([0, 0.75])
    expect(await creditsOf({}, msp.user)).toEqual([0.3, 0.75])
    const { data } = await usage(msp, { group_by: 'AUTONOMY_TYPE' })
    expect(data.buckets[1].groups).toContainEqual({ key: 'SERVICE', label: 'The service', credits: 2 })
    expect(data.buckets[0].groups).toHaveLength(1)
  })

  it('is divided by agent and by kind', async () => {
    const msp = await threeAgents()
    const groups = async (group_by: string) =>
      (await usage(msp, { group_by })).data.buckets.map((bucket: { groups: unknown }) => bucket.groups)
    expect(await groups('AGENT')).toEqual([
      [{ key: '1', label: 'Triage', credits: 0.3 }],
      [
        { key: '3', label: 'Alerts', credits: 4 },
        { key: '2', label: 'Chat', credits: 0.75 },
      ],
    ])
    expect(await groups('AUTONOMY_TYPE')).toEqual([
      [{ key: 'AGENTIC', label: 'AGENTIC', credits: 0.3 }],
      [
        { key: 'CHAINED_ACTIONS', label: 'CHAINED_ACTIONS', credits: 4 },
        { key: 'CONVERSATIONAL', label: 'CONVERSATIONAL', credits: 0.75 },
      ],
    ])
  })

  it('is of the agents that the caller sees, of one, or of one kind', async () => {
    const msp = await threeAgents()
    const total = async (args: object, caller = msp.admin) =>
      (await usage(msp, args, caller)).data.total_credits
    expect(await total({}, msp.user)).toBe(1.05)
    expect(await total({}, msp.viewer)).toBe(0)
    expect(await total({ agent_id: 1 })).toBe(0.3)
    expect(await total({ agent_id: 3 }, msp.user)).toBe(0)
    expect(await total({ agent_id: 4 })).toBe(0)
    expect(await total({ autonomy_type: 'CONVERSATIONAL' })).toBe(0.75)
    expect(await total({ autonomy_type: 'AGENTIC', agent_id: 2 })).toBe(0)
    expect(await total({ agent_id: 2, group_by: 'AGENT' }, msp.user)).toBe(0.75)
  })

  it('has days, weeks and months of the tenant’s zone', async () => {
    const msp = await world()
    await setZone(msp, 'Europe/London')
    await addAgents(msp, [{ id: 1 }])
    await addExecutions(msp, [
      { agent_id: 1, credits_consumed: 1, created_at: at('03-31T22:59:59.999') },
      { agent_id: 1, credits_consumed: 2, created_at: at('03-31T23:00:00') },
    ])
    const window = { from: '2026-03-01T00:00:00Z', to: '2026-04-30T23:00:00Z' }
    const { data } = await usage(msp, { ...window, granularity: 'MONTH' })
    expect(data.window.timezone).toBe('Europe/London')
    expect(data.buckets).toMatchObject([
      { start: '2026-03-01T00:00:00.000Z', end: '2026-03-31T23:00:00.000Z', credits: 1, executions: 1 },
      { start: '2026-03-31T23:00:00.000Z', end: '2026-04-30T23:00:00.000Z', credits: 2, executions: 1 },
    ])
    const weeks = await usage(msp, { ...window, granularity: 'WEEK' })
    expect(weeks.data.buckets).toHaveLength(10)
    const credits = weeks.data.buckets.map((bucket: { credits: number }) => bucket.credits)
    expect(credits.filter((sum: number) => sum > 0)).toEqual([3])
  })

  it('is of this month up to now, if no window is given', async () => {
    const msp = await world()
    await setZone(msp, 'America/New_York')
    clock.advance(at('11-03T02:30:00').getTime() - clock.now().getTime())
    const { data } = await api.call(await msp.newKey(), 'billing_usage')
    expect(data.window).toMatchObject({ from: '2026-11-01T04:00:00.000Z', timezone: 'America/New_York' })
    expect(data.buckets.map(({ start }: { start: string }) => start)).toEqual([
      '2026-11-01T04:00:00.000Z',
      '2026-11-02T05:00:00.000Z',
    ])
  })

  it.each([
    [{ from: '2026-03-02', to: '2026-03-02' }, 'invalid_window'],
    [{ from: '2026-03-02', to: '2026-03-01' }, 'invalid_window'],
    [{ from: '2026-01-01', to: '2026-01-08T00:00:00.001Z', granularity: 'HOUR' }, 'window_too_large'],
    [{ from: '2025-01-01', to: '2026-02-05T00:00:00.001Z' }, 'window_too_large'],
    [{ from: '0001-01-01', to: '9999-12-31', granularity: 'MONTH' }, 'window_too_large'],
  ])('refuses %j: %s', async (args, code) => {
    const { status, error } = await usage(await world(), args)
    expect([status, error?.code]).toEqual([400, code])
  })

  it('takes the longest windows, and says if they are older than what is kept', async () => {
    const msp = await world()
    const hours = await usage(msp, { from: '2026-01-01', to: '2026-01-08', granularity: 'HOUR' })
    expect(hours.data.buckets).toHaveLength(168)
    const old = await usage(msp, { from: '2020-01-01', to: '2021-02-04' })
    expect([old.data.buckets.length, old.data.total_credits]).toEqual([400, 0])
    expect(old.warnings).toEqual([expect.stringMatching(/^window_retention: /)])
  })

  it.each([
    [{ granularity: 'DECADE' }, 'granularity', 'enum'],
    [{ group_by: 'TENANT' }, 'group_by', 'enum'],
    [{ agent_id: 0 }, 'agent_id', 'range'],
    [{ agent_id: 2 ** 31 }, 'agent_id', 'range'],
    [{ from: 'yesterday' }, 'from', 'format'],
  ])('refuses %j with 422', async (args, field, code) => {
    const { status, error } = await usage(await world(), args)
    expect([status, error?.code]).toEqual([422, 'request_validation_failed'])
    expect(error?.details.field_errors).toMatchObject([{ field, location: 'query', code }])
  })

  it('costs two statements, whatever the number of buckets and groups', async () => {
    const msp = await threeAgents()
    for (const args of [MARCH, { ...MARCH, group_by: 'AGENT' }, { granularity: 'HOUR' }]) {
      await usage(msp, args)
      const plain = await countStatements(msp.database, () => api.call(msp.admin, 'settings'))
      expect(await countStatements(msp.database, () => usage(msp, args))).toBe(plain + 1)
    }
  })
})
