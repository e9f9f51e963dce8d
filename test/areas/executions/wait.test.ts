import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { ExecutionStatus } from '../../../src/db/generated/client/client.ts'
import { type Api, apis, describeApi, outcome } from '../../setup/api.ts'
import { startApp } from '../../setup/app.ts'
import { countStatements, statementsOf } from '../../setup/statements.ts'
import type { Caller, Msp } from '../../setup/world.ts'
import { sharedRuns } from './runs.ts'

/** The statement that looks for the statuses of the executions that are waited for. */
const LOOK = /^select execution_id, status::text as status from execution/

const setStatus = (msp: Msp, execution_id: string, status: ExecutionStatus) =>
  msp.database.prisma.execution.updateMany({
    where: { tenant_id: msp.tenant_id, execution_id },
    data: { status },
  })

const waitFor = (api: Api, caller: Caller, execution_id: string, wait_seconds: number) =>
  api.call(caller, 'execution', { execution_id, wait_seconds })

/** Resolves once the service has looked twice for the execution, which somebody waits for then. */
async function isLookedFor(msp: Msp, execution_id: string): Promise<void> {
  for (let looks = 0; looks < 2; ) {
    const sent = await statementsOf(msp.database, () => pause(100), LOOK)
    looks += sent.filter(({ values: [tenant_id, , ids] }) => {
      return tenant_id === msp.tenant_id && JSON.stringify(ids).includes(execution_id)
    }).length
  }
}

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
    await isLookedFor(msp, 'a1')
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
    'does not begin where it is %s',
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
    await isLookedFor(msp, 'c1')
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

  it('are looked for by one statement at a time, and hold no connection', LONG, async () => {
    const msp = await sharedRuns()
    await setStatus(msp, 'a1', 'RUNNING')
    await setStatus(msp, 'a2', 'RUNNING')
    let ended = 0
    const many = Array.from({ length: 20 }, (_, n) =>
      waitFor(rest, msp.key, n % 2 ? 'a1' : 'a2', 60).finally(() => {
        ended++
      }),
    )
    await isLookedFor(msp, 'a1')
    await isLookedFor(msp, 'a2')
    await pause(2000)
    expect(await countStatements(msp.database, () => pause(1000), LOOK)).toBeLessThanOrEqual(5)
    await isLookedFor(msp, 'a1')
    expect((await rest.call(msp.key, 'settings')).status).toBe(200)
    expect(ended).toBe(0)
    await setStatus(msp, 'a1', 'COMPLETED')
    await setStatus(msp, 'a2', 'COMPLETED')
    const statuses = (await Promise.all(many)).map(({ data }) => data.status)
    expect(statuses).toEqual(statuses.map(() => 'COMPLETED'))
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
    const { app, base } = await startApp(msp.database, { REQUEST_TIMEOUT_MS: '5000' })
    try {
      const query = '{ execution(execution_id: "a1", wait_seconds: 6) { status } }'
      const headers = { authorization: `Bearer ${msp.user.token}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ query })
      const [rest, graphql] = await Promise.all([
        timed(ask(base, msp.user, 6)),
        timed(fetch(`${base}/graphql`, { method: 'POST', headers, body })),
      ])
      expect([rest.result.status, rest.ms > 5990]).toEqual([200, true])
      expect([(await graphql.result.json()).data, graphql.ms > 5990]).toEqual([
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
    await isLookedFor(msp, 'a1')
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
    await isLookedFor(msp, 'a1')
    gone.abort()
    await waiting
    const looks = () => countStatements(msp.database, () => pause(800), LOOK)
    await expect.poll(looks, { timeout: 20_000 }).toBe(0)
    await app.close(0)
  })
})
