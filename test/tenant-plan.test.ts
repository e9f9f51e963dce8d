/** The subscription of a tenant, as the operator sets it and its people read it. */
import { expect, it } from 'vitest'
import { readArguments, WrongArguments } from '../src/commands/tenant/arguments.ts'
import { run } from '../src/commands/tenant/run.ts'
import { addAgents } from './setup/agents.ts'
import { describeApi } from './setup/api.ts'
import { clock, ENVIRONMENT, KEY_PEPPER } from './setup/app.ts'
import { activitiesOf } from './setup/audit-log.ts'
import { days, type Msp, world } from './setup/world.ts'

async function setPlan({ tenant_id, database }: Pick<Msp, 'tenant_id' | 'database'>, ...args: string[]) {
  const asked = readArguments(['set-plan', '--tenant', tenant_id, ...args])
  if (!asked) throw new Error('The command asked for help')
  const place = { database, environment: ENVIRONMENT, key_peppers: [KEY_PEPPER] as const }
  return (await run(place, asked)).result as Record<string, unknown>
}

describeApi('a plan that the operator sets', (api) => {
  const read = async (msp: Msp) => (await api.call(msp.owner, 'billing_subscription')).data

  it('is what billing reads; what is not named stays', async () => {
    const msp = await world()
    const start = new Date(clock.now().getTime() - days(3)).toISOString()
    const terms = ['--plan', 'Growth', '--credits', '2500', '--overage', 'no', '--seats', '15']
    expect(await setPlan(msp, ...terms, '--period-start', start)).toMatchObject({ changed: true, seats: 15 })
    const growth = {
      status: 'ACTIVE',
      plan_name: 'Growth',
      credits_included: 2500,
      overage_allowed: false,
      seats: 15,
      current_period_start: start,
      trial_ends_at: null,
      cancel_at_period_end: false,
    }
    expect(await read(msp)).toMatchObject(growth)
    await setPlan(msp, '--status', 'PAST_DUE', '--seats', 'any')
    expect(await read(msp)).toMatchObject({ ...growth, status: 'PAST_DUE', seats: null })
    const [first, second, ...others] = await activitiesOf(msp)
    expect(others).toEqual([])
    expect(first).toMatchObject({
      action: 'subscription.changed',
      actor_type: 'SYSTEM',
      actor_name: 'Operator',
    })
    expect(second?.before).toMatchObject({ status: 'ACTIVE', seats: 15 })
    expect(second?.after).toMatchObject({ status: 'PAST_DUE', seats: null, plan_name: 'Growth' })
  })

  it('that is set already changes nothing', async () => {
    const msp = await world()
    expect(await setPlan(msp)).toMatchObject({ changed: false, plan_name: 'Standard' })
    expect(await setPlan(msp, '--credits', '7')).toMatchObject({ changed: true })
    expect(await setPlan(msp, '--credits', '7')).toMatchObject({ changed: false })
    expect(await activitiesOf(msp)).toHaveLength(1)
  })

  it('is made for a tenant without one', async () => {
    const msp = await world()
    await msp.database.prisma.subscription.deleteMany({ where: { tenant_id: msp.tenant_id } })
    await setPlan(msp, '--credits', '7')
    expect(await read(msp)).toMatchObject({ credits_included: 7, plan_name: 'Standard', status: 'ACTIVE' })
  })

  it('stops the runs of agents while it is PAUSED', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1, trigger_type: 'ON_DEMAND', entity_type: 'NONE' }])
    const dryRun = () => api.call(msp.owner, 'run_agent_now', { agent_id: 1, input: { dry_run: true } })
    await setPlan(msp, '--status', 'PAUSED')
    expect((await dryRun()).error?.code).toBe('subscription_inactive')
    await setPlan(msp, '--status', 'ACTIVE')
    expect((await dryRun()).status).toBe(200)
  })

  it('has a trial, which ends by itself', async () => {
    const msp = await world()
    const [start, end] = [-3, -1].map((day) => new Date(clock.now().getTime() + days(day)).toISOString())
    await setPlan(msp, '--status', 'TRIALING', '--period-start', `${start}`, '--trial-ends', `${end}`)
    expect(await read(msp)).toMatchObject({ status: 'EXPIRED', current_period_end: end, trial_ends_at: end })
    await setPlan(msp, '--status', 'ACTIVE', '--trial-ends', 'none')
    expect(await read(msp)).toMatchObject({ status: 'ACTIVE', trial_ends_at: null })
  })

  it('is cancelled to the end of its billing period, which a second time does not move, and goes on again', async () => {
    const msp = await world()
    await setPlan(msp, '--cancel', 'yes')
    const cancelled = await read(msp)
    expect(cancelled).toMatchObject({ status: 'ACTIVE', cancel_at_period_end: true })
    const stored = await setPlan(msp, '--cancel', 'yes')
    expect(stored).toMatchObject({ changed: false, ends_at: new Date(cancelled.current_period_end) })
    await setPlan(msp, '--cancel', 'no')
    expect(await read(msp)).toMatchObject({ cancel_at_period_end: false })
  })

  it('is cancelled at once, with the billing period that it has', async () => {
    const msp = await world()
    const { current_period_end } = await read(msp)
    await setPlan(msp, '--status', 'CANCELLED', '--cancel', 'yes')
    expect(await read(msp)).toMatchObject({
      status: 'CANCELLED',
      cancel_at_period_end: true,
      current_period_end,
    })
  })
})

it('refuses what no subscription can be, and stores nothing', async () => {
  const msp = await world()
  await expect(setPlan(msp, '--status', 'TRIALING')).rejects.toThrow('A trial has an end.')
  await expect(setPlan(msp, '--status', 'EXPIRED')).rejects.toThrow('A trial has an end.')
  await expect(setPlan(msp, '--status', 'CANCELLED')).rejects.toThrow('A cancelled subscription has an end.')
  const trial = ['--status', 'TRIALING', '--trial-ends', '2020-01-01']
  await expect(setPlan(msp, ...trial)).rejects.toThrow('A trial ends after it begins.')
  await expect(setPlan({ ...msp, tenant_id: 'nobody' })).rejects.toThrow('There is no tenant nobody.')
  expect(await activitiesOf(msp)).toEqual([])
})

it.each([
  [['--status', 'FREE'], '--status: must be one of TRIALING, ACTIVE, PAST_DUE, PAUSED, CANCELLED, EXPIRED'],
  [['--credits', '1.5'], '--credits: must be a whole number'],
  [['--credits', '9999999999'], '--credits: must be 0 to 2147483647'],
  [['--credits'], '--credits: needs a value'],
  [['--seats', '0'], '--seats: must be 1 to 2147483647'],
  [['--seats', 'many'], '--seats: must be a whole number'],
  [['--overage', 'maybe'], '--overage: must be yes or no'],
  [['--trial-ends', '2026-02-30'], '--trial-ends: must be an RFC 3339 date-time or date'],
  [['--period-start', 'none'], '--period-start: must be an RFC 3339 date-time or date'],
  [['--plan', ' '], '--plan: must be 1 to 120 characters'],
])('%j is refused: %s', (args, reason) => {
  const read = () => readArguments(['set-plan', '--tenant', 'acme', ...args])
  expect(read).toThrow(WrongArguments)
  expect(read).toThrow(reason)
})
