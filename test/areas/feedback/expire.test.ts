/** Links whose time is over. */
import { describe, expect, it } from 'vitest'
import { expireFeedbackLinks } from '../../../src/areas/feedback/jobs.ts'
import { apis, describeApi } from '../../setup/api.ts'
import { testApp } from '../../setup/app.ts'
import { addFeedback, feedbackOf } from '../../setup/feedback.ts'
import { days, type Msp, world } from '../../setup/world.ts'

/** A whole second, as the ends of all links are, and before the links of other tests end. */
const NOW = new Date('2026-11-20T09:30:00Z')
const MANY = Array.from({ length: 1500 }, (_, n) => n)

/** Looks at the links of every tenant, as one process does at the instant. */
async function expire(now = NOW): Promise<void> {
  const { services } = (await testApp()).app
  const { signal } = new AbortController()
  await expireFeedbackLinks.run({
    services: { ...services, now: () => now },
    now,
    signal,
    log: services.log,
  })
}

const idOf = ({ tenant_id }: Msp, n: number | string): string => `fb_${n}_${tenant_id}`

const made = { created_at: new Date(NOW.getTime() - days(14)) }

/** Many links whose time is over, some of them of two minutes ago. */
async function tenantOfMany(): Promise<Msp> {
  const msp = await world()
  await addFeedback(
    msp,
    MANY.map((n) => ({ ...made, id: idOf(msp, n), expires_at: new Date(NOW.getTime() - (n % 3) * 60_000) })),
  )
  return msp
}

const statuses = async (msp: Msp): Promise<Record<string, number>> => {
  const entries = await feedbackOf(msp)
  const by_status = Map.groupBy(entries, ({ status }) => status)
  return Object.fromEntries(Array.from(by_status, ([status, some]) => [status, some.length]))
}

describeApi('a link', (api) => {
  it('is EXPIRED at the very instant at which its time is over, and not before', async () => {
    const msp = await world()
    const feedback_id = idOf(msp, 1)
    await addFeedback(msp, [{ ...made, id: feedback_id, expires_at: NOW }])
    const read = () => api.call(msp.key, 'feedback_entry', { feedback_id })
    await expire(new Date(NOW.getTime() - 1))
    const before = await read()
    expect([before.data.status, before.data.revision]).toEqual(['PENDING', 1])
    await expire()
    const { data, etag } = await read()
    expect(data).toMatchObject({
      status: 'EXPIRED',
      rating: null,
      submitted_at: null,
      updated_at: NOW.toISOString(),
      revision: 1,
    })
    // Callers who know the link as PENDING know another state.
    expect(etag).not.toBe(before.etag)
    await expire()
    expect((await read()).data).toEqual(data)
  })

  it('that was answered or revoked stays as it is', async () => {
    const msp = await world()
    await addFeedback(msp, [
      { ...made, id: idOf(msp, 1), expires_at: NOW, status: 'SUBMITTED', rating: 'NEUTRAL' },
      { ...made, id: idOf(msp, 2), expires_at: NOW, status: 'REVOKED' },
      { ...made, id: idOf(msp, 3), expires_at: new Date(NOW.getTime() + 1000) },
    ])
    const before = await feedbackOf(msp)
    await expire()
    expect(await feedbackOf(msp)).toEqual(before)
    const { data } = await api.call(msp.key, 'feedback_entries', { status: ['PENDING'] })
    expect(data.map(({ id }: { id: string }) => id)).toEqual([idOf(msp, 3)])
  })
})

describe('links whose time is over', () => {
  it('are EXPIRED in one turn, however many there are, in every tenant of the environment', async () => {
    const [one, other] = [await tenantOfMany(), await world()]
    await addFeedback(other, [{ ...made, id: idOf(other, 1), expires_at: NOW }])
    const elsewhere = { ...other, environment: 'elsewhere' }
    await addFeedback(elsewhere, [{ ...made, id: idOf(other, 'elsewhere'), expires_at: NOW }])
    await expire()
    expect(await statuses(one)).toEqual({ EXPIRED: MANY.length })
    expect(await statuses(other)).toEqual({ EXPIRED: 1, PENDING: 1 })
    for (const { expires_at, updated_at, revision } of await feedbackOf(one))
      expect([updated_at, revision]).toEqual([expires_at, 1])
    expect((await apis[1]?.call(one.key, 'feedback_entries', { status: ['PENDING'] }))?.data).toEqual([])
  })
})

describe.runIf(process.env.DATABASE_URL)('at once,', () => {
  it('two processes expire each link once', async () => {
    const msp = await tenantOfMany()
    await Promise.all([expire(), expire()])
    await expire()
    expect(await statuses(msp)).toEqual({ EXPIRED: MANY.length })
  })

  it('a link that somebody answers is left out, and nobody waits for it', async () => {
    const msp = await tenantOfMany()
    const { tenant_id, environment, database } = msp
    const key = { tenant_id, environment, id: idOf(msp, 7) }
    await database.prisma.$transaction(async (tx) => {
      await tx.feedbackEntry.update({
        where: { tenant_id_environment_id: key },
        data: { status: 'SUBMITTED', rating: 'POSITIVE', submitted_at: NOW },
      })
      await expire()
    })
    await expire()
    expect(await statuses(msp)).toEqual({ SUBMITTED: 1, EXPIRED: MANY.length - 1 })
  })
})
