import { describe, expect, it, onTestFinished } from 'vitest'
import type { Prisma } from '../../../src/db/generated/client/client.ts'
import { apis } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { TIMES, times } from '../../setup/at-once.ts'
import { reachThresholdsOf } from '../../setup/due.ts'
import { entitiesSeen, raised } from '../../setup/raised.ts'
import { countStatements } from '../../setup/statements.ts'
import { days, type Msp, world } from '../../setup/world.ts'
import { addAgents, addExecutions } from '../performance/rows.ts'

const [api] = apis

const set = ({ database, tenant_id }: Msp, data: Prisma.SubscriptionUpdateManyMutationInput) =>
  database.prisma.subscription.updateMany({ where: { tenant_id }, data })

const use = ({ database, tenant_id, environment }: Msp, id: string, credits: number) =>
  database.prisma.modelQuestion.create({ data: { tenant_id, environment, id, at: clock.now(), credits } })

/** A tenant whose billing period began ten days ago and includes 100 credits. */
async function subscribed(): Promise<Msp> {
  const msp = await world()
  await set(msp, { credits_included: 100, first_period_start: new Date(clock.now().getTime() - days(10)) })
  return msp
}

const thresholdsTold = async (msp: Msp) =>
  (await raised(msp, 'billing.threshold_reached')).map(
    ({ data }) => (data as { threshold_pct: number }).threshold_pct,
  )

describe('a threshold of the billing alerts', () => {
  it('is told of once when the credits of all agents and questions reach it', async () => {
    const msp = await subscribed()
    await addAgents(msp, [{ id: 1 }])
    const created_at = new Date(clock.now().getTime() - days(2))
    await addExecutions(msp, [{ agent_id: 1, credits_consumed: 70, created_at }])
    await use(msp, 'a', 9.9999)
    await reachThresholdsOf(msp)
    expect(await raised(msp, 'billing.threshold_reached')).toEqual([])
    await use(msp, 'b', 0.0001)
    for (let turn = 0; turn < 2; turn++) await reachThresholdsOf(msp)
    const { data: subscription } = (await api?.call(msp.admin, 'billing_subscription')) ?? {}
    expect(await raised(msp, 'billing.threshold_reached')).toEqual([
      {
        type: 'billing.threshold_reached',
        entity_id: 'subscription',
        agent_id: null,
        data: {
          threshold_pct: 80,
          credits_used: 80,
          credits_included: 100,
          period_start: subscription.current_period_start,
          period_end: subscription.current_period_end,
        },
      },
    ])
    expect(await entitiesSeen(msp, 'billing.threshold_reached', msp.user)).toEqual([])
  })

  it('is told of with others that are reached at once, and with those that are chosen later', async () => {
    const msp = await subscribed()
    await use(msp, 'a', 130)
    await reachThresholdsOf(msp)
    expect(await thresholdsTold(msp)).toEqual([80, 100])
    await api?.call(msp.admin, 'update_billing_alerts', { input: { thresholds_pct: [50, 80, 150] } })
    await reachThresholdsOf(msp)
    expect(await thresholdsTold(msp)).toEqual([80, 100, 50])
  })

  it('is told of again in the next billing period, and late for the one before', async () => {
    const msp = await subscribed()
    onTestFinished(() => clock.reset())
    await set(msp, { first_period_start: new Date(clock.now().getTime() - days(1)) })
    await use(msp, 'a', 85)
    await reachThresholdsOf(msp)
    const { data } = (await api?.call(msp.admin, 'billing_subscription')) ?? {}
    const end = Date.parse(data.current_period_end)
    clock.advance(end - 60_000 - clock.now().getTime())
    await use(msp, 'b', 20)
    clock.advance(120_000)
    await use(msp, 'c', 90)
    for (let turn = 0; turn < 2; turn++) await reachThresholdsOf(msp)
    const told = (await raised(msp, 'billing.threshold_reached')).map(({ data }) => data)
    expect(told).toMatchObject([
      { threshold_pct: 80, credits_used: 85, period_start: data.current_period_start },
      { threshold_pct: 100, credits_used: 105, period_start: data.current_period_start },
      { threshold_pct: 80, credits_used: 90, period_start: data.current_period_end },
    ])
  })

  it('costs two statements for a tenant once all are told of', async () => {
    const msp = await subscribed()
    await use(msp, 'a', 130)
    await reachThresholdsOf(msp)
    // The third statement finds the tenants.
    expect(await countStatements(msp.database, () => reachThresholdsOf(msp))).toBe(3)
  })

  it.runIf(process.env.DATABASE_URL)(`is told of once by ${TIMES} workers at once`, async () => {
    const msp = await subscribed()
    await use(msp, 'a', 85)
    await times(() => reachThresholdsOf(msp))
    expect(await thresholdsTold(msp)).toEqual([80])
  })
})
