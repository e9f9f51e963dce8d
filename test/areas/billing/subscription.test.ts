import { describe, expect, it } from 'vitest'
import { checkSubscription, readTerms } from '../../../src/areas/billing/index.ts'
import { DEFAULT_PLAN } from '../../../src/areas/billing/rules.ts'
import type { Prisma } from '../../../src/db/generated/client/client.ts'
import { Stopwatch } from '../../../src/lib/stopwatch.ts'
import { describeApi } from '../../setup/api.ts'
import { clock, ENVIRONMENT } from '../../setup/app.ts'
import { countStatements } from '../../setup/statements.ts'
import { days, type Msp, world } from '../../setup/world.ts'
import { addAgents, addCredits, addExecutions } from '../performance/rows.ts'

type Terms = Prisma.SubscriptionUpdateManyMutationInput

const set = ({ database, tenant_id }: Msp, data: Terms) =>
  database.prisma.subscription.updateMany({ where: { tenant_id }, data })

const ago = (ms: number) => new Date(clock.now().getTime() - ms)

/** An agent that used these credits an hour ago: half of them by an execution, half in a chat. */
async function use(msp: Msp, credits: number, at = ago(3_600_000)): Promise<void> {
  await addAgents(msp, [{ id: 1 }, { id: 2, autonomy_type: 'CONVERSATIONAL' }])
  await addExecutions(msp, [{ agent_id: 1, credits_consumed: credits / 2, created_at: at }])
  await addCredits(msp, [{ agent_id: 2, at, credits: credits / 2 }])
}

describeApi('the subscription', (api) => {
  const read = (msp: Msp) => api.call(msp.admin, 'billing_subscription')

  it('answers every field, with the credits of its billing period', async () => {
    const msp = await world()
    const first_period_start = ago(days(10))
    await set(msp, { plan_name: 'Growth', credits_included: 50, seats: 12, first_period_start })
    await use(msp, 20.5)
    const { status, data } = await read(msp)
    const { current_period_end, ...rest } = data
    expect([status, rest]).toEqual([
      200,
      {
        status: 'ACTIVE',
        plan_name: 'Growth',
        current_period_start: first_period_start.toISOString(),
        trial_ends_at: null,
        cancel_at_period_end: false,
        credits_included: 50,
        credits_used: 20.5,
        credits_remaining: 29.5,
        overage_allowed: true,
        overage_credits_used: 0,
        seats: 12,
      },
    ])
    const length = Date.parse(current_period_end) - first_period_start.getTime()
    expect([28, 29, 30, 31]).toContain(length / days(1))
  })

  it('counts no credits of earlier periods, and those beyond the included ones', async () => {
    const msp = await world()
    const first_period_start = ago(days(1))
    await set(msp, { first_period_start, credits_included: 5 })
    await use(msp, 8)
    const at = new Date(first_period_start.getTime() - 1)
    await addCredits(msp, [{ id: 'before', agent_id: 2, at, credits: 100 }])
    expect((await read(msp)).data).toMatchObject({
      credits_used: 8,
      credits_remaining: 0,
      overage_credits_used: 3,
    })
  })

  it('of a tenant that stored none is the default plan, which is the model’s', async () => {
    const msp = await world()
    const { prisma } = msp.database
    const stored = await prisma.subscription.findFirst({ where: { tenant_id: msp.tenant_id } })
    expect(stored).toMatchObject(DEFAULT_PLAN)
    const before = (await read(msp)).data
    await prisma.subscription.deleteMany({ where: { tenant_id: msp.tenant_id } })
    expect((await read(msp)).data).toEqual(before)
    expect(before).toMatchObject({ ...DEFAULT_PLAN, credits_used: 0, credits_remaining: 1000 })
  })

  it('ends by itself: a trial, and one that was cancelled', async () => {
    const msp = await world()
    const end = new Date(clock.now().getTime() + days(2))
    await set(msp, { status: 'TRIALING', trial_ends_at: end })
    const ending = [(await read(msp)).data.status]
    clock.advance(days(2))
    ending.push((await read(msp)).data.status)
    await set(msp, { status: 'ACTIVE', ends_at: new Date(clock.now().getTime() + days(1)) })
    ending.push((await read(msp)).data.status)
    expect((await read(msp)).data.cancel_at_period_end).toBe(true)
    clock.advance(days(1))
    ending.push((await read(msp)).data.status)
    expect(ending).toEqual(['TRIALING', 'EXPIRED', 'ACTIVE', 'CANCELLED'])
  })

  it('counts the credits of agents that the caller does not see, and is read by ADMINs', async () => {
    const msp = await world()
    await use(msp, 4)
    await set(msp, { first_period_start: ago(days(1)) })
    const acting = await msp.newKey({ acting_user_id: msp.admin.id, scopes: ['billing:read'] })
    for (const caller of [msp.owner, msp.admin, msp.key, acting])
      expect((await api.call(caller, 'billing_subscription')).data.credits_used).toBe(4)
    for (const caller of [msp.user, msp.viewer])
      expect((await api.call(caller, 'billing_subscription')).error?.code).toBe('forbidden')
  })

  it('is read in two statements, whatever was used', async () => {
    const msp = await world()
    await use(msp, 4)
    await read(msp)
    const plain = await countStatements(msp.database, () => api.call(msp.admin, 'settings'))
    expect(await countStatements(msp.database, () => read(msp))).toBe(plain + 1)
  })
})

describe('a run', () => {
  const check = async ({ tenant_id, database }: Msp) => {
    const ctx = {
      viewer: { tenant_id, environment: ENVIRONMENT },
      services: { database },
      transaction: null,
      db_time: new Stopwatch(),
      now: clock.now(),
    }
    await checkSubscription(ctx, await readTerms(ctx))
  }

  it.each(['PAUSED', 'CANCELLED', 'EXPIRED'] as const)('of a %s subscription is refused', async (status) => {
    const msp = await world()
    await set(msp, { status })
    await expect(check(msp)).rejects.toMatchObject({
      code: 'subscription_inactive',
      status: 409,
      details: { current_state: status, current_period_end: expect.any(Date) },
    })
  })

  it('is refused from the moment on at which the included credits are used up', async () => {
    const msp = await world()
    await set(msp, { credits_included: 10, overage_allowed: false, first_period_start: ago(days(1)) })
    await use(msp, 9.998)
    await check(msp)
    await addCredits(msp, [{ id: 'last', agent_id: 2, at: ago(60_000), credits: 0.002 }])
    await expect(check(msp)).rejects.toMatchObject({
      code: 'credits_exhausted',
      status: 409,
      details: { current_state: 'ACTIVE' },
    })
    await set(msp, { overage_allowed: true })
    await check(msp)
  })

  it('has new credits in the next billing period', async () => {
    const msp = await world()
    await set(msp, { credits_included: 1, overage_allowed: false, first_period_start: ago(days(1)) })
    await use(msp, 2)
    await expect(check(msp)).rejects.toMatchObject({ code: 'credits_exhausted' })
    clock.advance(days(32))
    try {
      await check(msp)
    } finally {
      clock.reset()
    }
  })

  it('costs one statement if credits beyond the included ones are allowed', async () => {
    const msp = await world()
    expect(await countStatements(msp.database, () => check(msp))).toBe(1)
  })
})
