/** Answers and changes in the same moment. On PostgreSQL, where transactions are at work at once. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Api, apis, apisAt } from '../../setup/api.ts'
import { clock, startApp, testApp } from '../../setup/app.ts'
import { counted, times } from '../../setup/at-once.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { answer, feedbackMsp, feedbackOf, makeLink } from '../../setup/feedback.ts'
import { raised } from '../../setup/raised.ts'
import { installQueues } from '../agents/runnable.ts'

/** The times that each race is run: 5, or as often as `TEST_RACES` says. */
const RACES = Number(process.env.TEST_RACES ?? 5)

const api = apis[1] as Api

beforeAll(async () => {
  await installQueues()
  await testApp()
})
afterEach(() => clock.reset())

describe.runIf(process.env.DATABASE_URL)('at once,', () => {
  it('of two answers the second one replaces the first, and each is told once', {
    timeout: 120_000,
  }, async () => {
    for (let race = 0; race < RACES; race++) {
      const msp = await feedbackMsp()
      const link = await makeLink(msp)
      const answers = await Promise.all([
        answer(api, link, { rating: 'POSITIVE' }),
        answer(api, link, { rating: 'NEGATIVE', comment: 'No.' }),
      ])
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      const [entry] = await feedbackOf(msp)
      const events = await raised(msp, 'feedback.submitted')
      expect(events.map(({ data }) => (data as { rating: string }).rating).toSorted()).toEqual([
        'NEGATIVE',
        'POSITIVE',
      ])
      expect(entry).toMatchObject({ status: 'SUBMITTED', revision: 3 })
      expect([entry?.rating, entry?.comment]).toEqual(
        entry?.rating === 'POSITIVE' ? ['POSITIVE', null] : ['NEGATIVE', 'No.'],
      )
      expect(entry?.accepted_at).toHaveLength(2)
    }
  })

  it('the same answer twice is one event and one activity', { timeout: 120_000 }, async () => {
    for (let race = 0; race < RACES; race++) {
      const msp = await feedbackMsp()
      const link = await makeLink(msp)
      await times(() => answer(api, link, { rating: 'NEGATIVE' }), 2)
      expect(await raised(msp, 'feedback.submitted')).toHaveLength(1)
      expect((await activitiesOf(msp)).filter(({ action }) => action === 'feedback.submitted')).toHaveLength(
        1,
      )
    }
  })

  it('of twenty answers to two processes ten are accepted', { timeout: 120_000 }, async () => {
    const msp = await feedbackMsp()
    const link = await makeLink(msp)
    const { app, base } = await startApp(msp.database)
    try {
      const [, other] = apisAt(async () => base)
      const answers = await times((n) =>
        answer(n % 2 === 0 ? api : (other as Api), link, { rating: 'POSITIVE', comment: `${n}` }),
      )
      expect(counted(answers)).toEqual({ 200: 10, rate_limited: 10 })
      expect((await feedbackOf(msp))[0]?.accepted_at).toHaveLength(10)
    } finally {
      await app.close()
    }
  })

  it('an answer is given before the link is taken back, or not at all', { timeout: 120_000 }, async () => {
    for (let race = 0; race < RACES; race++) {
      const msp = await feedbackMsp()
      const link = await makeLink(msp)
      const { feedback_id } = link
      const [given, revoked] = await Promise.all([
        answer(api, link, { rating: 'NEGATIVE' }),
        api.call(msp.admin, 'revoke_feedback', { feedback_id }),
      ])
      const [entry] = await feedbackOf(msp)
      expect([revoked.status, entry?.status]).toEqual([200, 'REVOKED'])
      expect([200, 404]).toContain(given.status)
      expect(entry?.rating).toBe(given.status === 200 ? 'NEGATIVE' : null)
      expect(await raised(msp, 'feedback.submitted')).toHaveLength(given.status === 200 ? 1 : 0)
    }
  })

  it('a link is made once for one Idempotency-Key', { timeout: 120_000 }, async () => {
    const msp = await feedbackMsp()
    const made = await times(() =>
      api.call(
        msp.admin,
        'create_feedback_link',
        { input: { execution_id: 'exe_1' } },
        { 'idempotency-key': 'k1' },
      ),
    )
    const urls = made.flatMap(({ data }) => data?.url ?? [])
    expect(new Set(urls).size).toBe(1)
    expect(made.every(({ status }) => status === 200 || status === 409)).toBe(true)
    expect(await feedbackOf(msp)).toHaveLength(1)
  })
})
