import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest'
import type { ExecutionStatus } from '../../../src/db/generated/client/client.ts'
import type { Sql } from '../../../src/db/sql.ts'
import { type Api, apis, describeApi, outcome } from '../../setup/api.ts'
import { startApp, testApp } from '../../setup/app.ts'
import { countStatements, statementsOf } from '../../setup/statements.ts'
import { until } from '../../setup/until.ts'
import type { Caller, Msp } from '../../setup/world.ts'
import { sharedRuns } from './runs.ts'

const READ = /^select .* from execution e\b/s

const setStatus = (msp: Msp, execution_id: string, status: ExecutionStatus) =>
  msp.database.prisma.execution.updateMany({
    where: { tenant_id: msp.tenant_id, execution_id },
    data: { status },
  })

const waitFor = (api: Api, caller: Caller, execution_id: string, wait_seconds: number) =>
  api.call(caller, 'execution', { execution_id, wait_seconds })

let statements: MockInstance<Sql['rows']>
beforeEach(async () => {
  statements = vi.spyOn((await testApp()).database.sql, 'rows')
})
afterEach(() => statements.mockRestore())

/** The number of reads of the tenant's executions that have been answered. */
const answeredReads = ({ tenant_id }: Msp): number =>
  statements.mock.calls.filter(
    ([{ text }, [tenant]], index) =>
      tenant === tenant_id && READ.test(text) && statements.mock.settledResults[index]?.type === 'fulfilled',
  ).length

/** Resolves once `many` calls, the first of the tenant, know the status whose change they wait for. */
const areWaiting = (msp: Msp, many = 1) => until(() => answeredReads(msp) >= many)

/** Of a wait of a minute: the answer came before its end. */
const EARLY_MS = 40_000
/** For tests of such a wait, so that one which does not end early says so. */
const LONG = { timeout: 90_000 }

async function timed<Result>(work: Promise<Result>): Promise<{ result: Result; ms: number }> {
  const started = performance.now()
  const result = await work
  return { result, ms: performance.now() - started }
}

describeApi('waiting for an execution', (api) => {
  it.each([
    ['NEW', 'RUNNING'],
    ['RUNNING', 'WAITING_FOR_APPROVAL'],
  ] as const)('ends when its status changes from %s to %s', LONG, async (before, after) => {
    const msp = await sharedRuns()
    await setStatus(msp, 'a1', before)
    let ended = false
    const waiting = timed(waitFor(api, msp.user, 'a1', 60)).finally(() => {
      ended = true
    })
    await areWaiting(msp)
    expect(ended).toBe(false)
    await setStatus(msp, 'a1', after)
    const { result, ms } = await waiting
    expect(result.data.status).toBe(after)
    expect(ms).toBeLessThan(EARLY_MS)
  })

  it('ends with the time, and tells the execution as it is', async () => {
    const msp = await sharedRuns()
    await setStatus(msp, 'a1', 'RUNNING')
    const { result, ms } = await timed(waitFor(api, msp.user, 'a1', 1))
    expect([result.status, result.data.status]).toEqual([200, 'RUNNING'])
    expect(ms).toBeGreaterThan(990)
  })

  it.each(['WAITING_FOR_APPROVAL', 'WAITING_FOR_INPUT', 'COMPLETED', 'FAILED', 'SKIPPED'] as const)(
    'does not begin if it is %s',
    LONG,
    async (status) => {
      const msp = await sharedRuns()
      await setStatus(msp, 'a1', status)
      const { result, ms } = await timed(waitFor(api, msp.user, 'a1', 60))
      expect(result.data.status).toBe(status)
      expect(ms).toBeLessThan(EARLY_MS)
    },
  )

  it('ends with 404 for a caller who no longer sees the agent', LONG, async () => {
    const msp = await sharedRuns()
    await setStatus(msp, 'c1', 'RUNNING')
    const waiting = waitFor(api, msp.user, 'c1', 60)
    await areWaiting(msp)
    await msp.database.prisma.agentShare.deleteMany({ where: { tenant_id: msp.tenant_id } })
    await setStatus(msp, 'c1', 'COMPLETED')
    expect(outcome(await waiting)).toEqual([404, 'execution_not_found'])
  })

  it.each([-1, 61, 0.5])('refuses %j seconds', async (wait_seconds) => {
    const msp = await sharedRuns()
    expect(outcome(await waitFor(api, msp.user, 'a1', wait_seconds))).toEqual([
      422,
      'request_validation_failed',
    ])
  })

  it('with 0 seconds, or without any, is one statement beside the credential', async () => {
    const msp = await sharedRuns()
    await setStatus(msp, 'a1', 'RUNNING')
    const read = (args: object) =>
      countStatements(msp.database, () => api.call(msp.user, 'execution', { execution_id: 'a1', ...args }))
    await read({})
    expect([await read({}), await read({ wait_seconds: 0 })]).toEqual([2, 2])
  })
})

describe('many who wait', () => {
  const [rest] = apis.filter(({ name }) => name === 'rest') as [Api]

  it(
    'ask nothing while nothing changes, hold no connection, and share the read of a change',
    LONG,
    async () => {
      const msp = await sharedRuns()
      await setStatus(msp, 'a1', 'RUNNING')
      await setStatus(msp, 'a2', 'RUNNING')
      let ended = 0
      const many = Array.from({ length: 20 }, (_, n) =>
        waitFor(rest, msp.key, n % 2 ? 'a1' : 'a2', 60).finally(() => {
          ended++
        }),
      )
      await areWaiting(msp, 20)
      expect((await rest.call(msp.key, 'settings')).status).toBe(200)
      const readsIn = async (work: () => Promise<unknown>): Promise<number> => {
        const sent = await statementsOf(msp.database, work, /from live_event/)
        return sent.filter(({ values: [tenant_id] }) => tenant_id === msp.tenant_id).length
      }
      // At first it looks until the transactions have ended that were going on anywhere on the server.
      await until(async () => (await readsIn(() => pause(200))) === 0)
      expect(await readsIn(() => pause(1000))).toBeLessThanOrEqual(1)
      expect(ended).toBe(0)
      const changed = await readsIn(async () => {
        await setStatus(msp, 'a1', 'COMPLETED')
        await until(() => ended === 10)
      })
      expect(changed).toBeLessThanOrEqual(3)
      await setStatus(msp, 'a2', 'COMPLETED')
      const statuses = (await Promise.all(many)).map(({ data }) => data.status)
      expect(statuses).toEqual(statuses.map(() => 'COMPLETED'))
    },
  )

  it('go on waiting through a change of something else', LONG, async () => {
    const msp = await sharedRuns()
    await setStatus(msp, 'a1', 'RUNNING')
    const waiting = waitFor(rest, msp.key, 'a1', 60)
    await areWaiting(msp)
    const again = await statementsOf(
      msp.database,
      async () => {
        await msp.database.prisma.execution.updateMany({
          where: { tenant_id: msp.tenant_id, execution_id: 'a1' },
          data: { message_for_dashboard: 'Half of it is done.' },
        })
        await setStatus(msp, 'a2', 'RUNNING')
        await until(async () => (await testApp()).app.services.change_feed.followers(msp) === 1)
      },
      READ,
    )
    expect(again.length).toBeLessThanOrEqual(2)
    await setStatus(msp, 'a1', 'COMPLETED')
    expect((await waiting).data).toMatchObject({
      status: 'COMPLETED',
      message_for_dashboard: 'Half of it is done.',
    })
  })
})

describe('a service of its own', () => {
  const ask = (base: string, { token }: Caller, seconds: number, init: RequestInit = {}) =>
    fetch(`${base}/public-api/executions/a1?wait_seconds=${seconds}`, {
      headers: { authorization: `Bearer ${token}` },
      ...init,
    })

  it('gives a call that waits more time than others', LONG, async () => {
    const msp = await sharedRuns()
    await setStatus(msp, 'a1', 'RUNNING')
    const { app, base } = await startApp(msp.database, { REQUEST_TIMEOUT_MS: '3000' })
    try {
      const query = '{ execution(execution_id: "a1", wait_seconds: 4) { status } }'
      const headers = { authorization: `Bearer ${msp.user.token}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ query })
      const [rest, graphql] = await Promise.all([
        timed(ask(base, msp.user, 4)),
        timed(fetch(`${base}/graphql`, { method: 'POST', headers, body })),
      ])
      expect([rest.result.status, rest.ms > 3990]).toEqual([200, true])
      expect([(await graphql.result.json()).data, graphql.ms > 3990]).toEqual([
        { execution: { status: 'RUNNING' } },
        true,
      ])
    } finally {
      await app.close(0)
    }
  })

  it('answers whoever waits when it stops', LONG, async () => {
    const msp = await sharedRuns()
    await setStatus(msp, 'a1', 'RUNNING')
    const { app, base } = await startApp(msp.database)
    const waiting = timed(ask(base, msp.user, 60))
    await areWaiting(msp)
    await app.close(30_000)
    const { result, ms } = await waiting
    expect(result.status).toBe(200)
    expect(ms).toBeLessThan(EARLY_MS)
  })

  it('stops waiting for a client that has gone', LONG, async () => {
    const msp = await sharedRuns()
    await setStatus(msp, 'a1', 'RUNNING')
    const { app, base } = await startApp(msp.database)
    const gone = new AbortController()
    const waiting = ask(base, msp.user, 60, { signal: gone.signal }).catch(() => null)
    await areWaiting(msp)
    gone.abort()
    await waiting
    await until(() => app.services.change_feed.followers(msp) === 0)
    await app.close(0)
  })
})
