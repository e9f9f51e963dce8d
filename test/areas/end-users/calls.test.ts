/** Thirty reads a minute for each user. */
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { sweepTicketReads } from '../../../src/access/credentials/end-user-calls.ts'
import { type Answer, outcome } from '../../setup/api.ts'
import { clock, type Running, startApp } from '../../setup/app.ts'
import { times } from '../../setup/at-once.ts'
import { testDatabase } from '../../setup/database.ts'
import { tab } from './tab.ts'

afterEach(() => clock.reset())

const limited = (answers: readonly { status: number }[]) =>
  answers.filter(({ status }) => status === 429).length

describe('of the reads of one user in any minute', () => {
  it('the thirty-first is 429, until the first is a minute old', async () => {
    const { token, ask } = await tab()
    const sent = await token()
    clock.freeze()
    const started = clock.now().getTime()
    const at = (ms: number) => {
      clock.frozen_at = new Date(started + ms)
    }
    for (let call = 0; call < 30; call++) {
      at(call * 1000)
      expect((await ask(sent)).status).toBe(200)
    }
    at(30_500)
    const refused: Answer = await ask(sent)
    expect(outcome(refused)).toEqual([429, 'rate_limited'])
    expect(refused.headers.get('retry-after')).toBe('30')
    expect(refused.error?.details).toMatchObject({
      name: 'end_user_tickets',
      limit: 30,
      window_seconds: 60,
      scope: 'USER',
      retry_after_seconds: 30,
    })
    expect(refused.headers.get('ratelimit')).toMatch(/"end-user-tickets";r=0;t=30/)
    at(59_999)
    expect((await ask(sent)).status).toBe(429)
    at(60_000)
    expect((await ask(sent)).status).toBe(200)
    expect((await ask(sent)).status).toBe(429)
    at(61_000)
    expect((await ask(sent)).status).toBe(200)
  })

  it('those of others do not count, nor those of a user of the same id elsewhere', async () => {
    const { token, ask } = await tab()
    const oid = randomUUID()
    const mine = await token({ oid })
    expect(limited(await times(() => ask(mine), 30))).toBe(0)
    expect((await ask(mine)).status).toBe(429)
    expect((await ask(await token({ oid: randomUUID() }))).status).toBe(200)
    const elsewhere = await tab()
    expect((await elsewhere.ask(await elsewhere.token({ oid }))).status).toBe(200)
  })

  it('the limit comes before anything about the app, the company or the contact', async () => {
    const { token, ask } = await tab({ installed: false })
    const sent = await token()
    const answers = await times(() => ask(sent), 31)
    const codes = answers.map((answer) => answer.error?.code).sort()
    expect(codes).toEqual([...Array(30).fill('channel_not_found'), 'rate_limited'])
  })

  it('one of a clock that was set back counts as made now', async () => {
    const { token, ask } = await tab()
    const sent = await token()
    await times(() => ask(sent), 30)
    clock.turn(-3_600_000)
    const refused = await ask(sent)
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, 60])
  })

  it('a token that is not good counts for nobody', async () => {
    const { token, ask } = await tab()
    const oid = randomUUID()
    const wrong = await token({ oid, aud: 'other' })
    for (let call = 0; call < 31; call++) expect((await ask(wrong)).status).toBe(401)
    expect((await ask(await token({ oid }))).status).toBe(200)
  })
})

it('the logs of users who have not called for a minute are swept', async () => {
  const { msp, tid, token, ask } = await tab()
  await ask(await token())
  const { prisma, sql } = msp.database
  const count = () => prisma.chatTabCalls.count({ where: { workplace_tenant_id: tid } })
  const [log] = await prisma.chatTabCalls.findMany({ where: { workplace_tenant_id: tid } })
  const last = log?.last_at.getTime() ?? 0
  await sweepTicketReads(sql, new Date(last + 59_999), msp.environment)
  expect(await count()).toBe(1)
  await sweepTicketReads(sql, new Date(last + 60_000), msp.environment)
  expect(await count()).toBe(0)
})

describe.runIf(process.env.DATABASE_URL)('Two processes on one database', async () => {
  const running: Running[] = []
  afterAll(async () => {
    for (const { app } of running) await app.close(0)
  })

  it('let exactly thirty of forty reads through that come at once', async () => {
    for (let i = 0; i < 2; i++) running.push(await startApp(await testDatabase()))
    for (let turn = 0; turn < 3; turn++) {
      const { token } = await tab()
      const authorization = `Bearer ${await token()}`
      const answers = await times(
        (index) =>
          fetch(`${running[index % 2]?.base}/public-api/end-user/tickets`, { headers: { authorization } }),
        40,
      )
      expect([limited(answers), answers.filter(({ status }) => status === 200).length]).toEqual([10, 30])
    }
  })
})
