import { beforeAll, describe, expect, it } from 'vitest'
import { expireRequests } from '../../../src/areas/til-requests/deciding/expire.ts'
import { describeApi, outcome } from '../../setup/api.ts'
import { clock, testApp } from '../../setup/app.ts'
import { psaOfTenant } from '../../setup/psa.ts'
import { performRuns } from '../../setup/runs.ts'
import { days } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'
import { executionOf, NOTE, start } from '../executions/run/chain.ts'
import { asked, deskWorld } from './people.ts'
import { decisions, openRequest, RACES, SUPERVISED, supervisedMsp } from './supervised.ts'

beforeAll(installQueues)

const HOUR_MS = 3_600_000

/** Closes what is overdue, in every tenant of the worker's database. */
const sweep = async () => {
  const { services } = (await testApp()).app
  await expireRequests.run({
    services,
    now: clock.now(),
    signal: new AbortController().signal,
    log: services.log,
  })
}

describeApi('a request that nobody decides', (api) => {
  it('expires, and counts as not approved: the work ends without the change', async () => {
    const msp = await supervisedMsp([NOTE])
    const execution_id = await start(api, msp, '4711', SUPERVISED)
    await performRuns(msp)
    const { id } = await openRequest(api, msp, execution_id)
    clock.turn(days(3))
    await sweep()
    const { data } = await api.call(msp.key, 'til_request', { til_request_id: id })
    expect(data).toMatchObject({ status: 'EXPIRED', decided_at: null, approvals: [], revision: 1 })
    expect(data.closed_at).not.toBeNull()
    expect(outcome(await decisions(api).approve(msp.user, id))).toEqual([409, 'til_request_closed'])
    await performRuns(msp)
    const execution = await executionOf(api, msp, execution_id)
    expect(execution).toMatchObject({ status: 'COMPLETED', resolution: 'NONE' })
    expect(execution.message_for_dashboard).toMatch(/nobody decided in time/i)
    const audit = await api.call(msp.owner, 'execution_tool_calls', { execution_id })
    expect(audit.data).toContainEqual(
      expect.objectContaining({ outcome: 'DENIED', error_code: 'approval_expired', decided_by_name: null }),
    )
    expect(await psaOfTenant(msp).notesOf('4711')).toEqual([])
  })

  it('has the time that its agent gives', async () => {
    const agent_settings = { approval_minutes: 30 }
    const msp = await supervisedMsp([NOTE], { agent_settings })
    const execution_id = await start(api, msp, '4711', SUPERVISED)
    await performRuns(msp)
    const { created_at, expires_at } = await openRequest(api, msp, execution_id)
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(HOUR_MS / 2)
  })

  it('for a call of the API is closed, and one that is not overdue stays', async () => {
    const msp = await deskWorld()
    await asked(msp, { id: 'til_old', expires_at: new Date(clock.now().getTime() - 1) })
    await asked(msp, { id: 'til_new' })
    await sweep()
    const { data } = await api.call(msp.key, 'til_requests')
    expect(data.map(({ id, status }: { id: string; status: string }) => [id, status])).toEqual([
      ['til_new', 'PENDING'],
      ['til_old', 'EXPIRED'],
    ])
  })

  it('is closed however many there are before it', async () => {
    const msp = await deskWorld()
    const expires_at = new Date(clock.now().getTime() - 1)
    const ids = Array.from({ length: 101 }, (_, index) => `til_${index}`)
    for (const id of ids) await asked(msp, { id, expires_at })
    await sweep()
    const { data } = await api.call(msp.key, 'til_requests', { page_size: 200 })
    expect(data.map(({ status }: { status: string }) => status)).toEqual(ids.map(() => 'EXPIRED'))
  })
})

describe.runIf(process.env.DATABASE_URL)('at once', () => {
  describeApi('the expiry of a request and its approval', (api) => {
    it('exactly one wins, every time', async () => {
      for (let turn = 0; turn < RACES; turn++) {
        const msp = await supervisedMsp([NOTE])
        const execution_id = await start(api, msp, '4711', SUPERVISED)
        await performRuns(msp)
        const { id } = await openRequest(api, msp, execution_id)
        const expires_at = new Date(clock.now().getTime() + 40)
        await msp.database.prisma.tilRequest.updateMany({
          where: { tenant_id: msp.tenant_id, id },
          data: { expires_at },
        })
        const approvals = Array.from({ length: 4 }, async (_, index) => {
          await new Promise((resolve) => setTimeout(resolve, index * 15))
          return outcome(await decisions(api).approve(msp.user, id))
        })
        const sweeps = Array.from({ length: 4 }, async (_, index) => {
          await new Promise((resolve) => setTimeout(resolve, index * 20))
          await sweep()
        })
        const outcomes = await Promise.all(approvals)
        await Promise.all(sweeps)
        clock.turn(1000)
        await sweep()
        clock.reset()
        const { data } = await api.call(msp.key, 'til_request', { til_request_id: id })
        const won = outcomes.filter(([status]) => status === 200).length
        expect([won, data.status]).toEqual(won === 1 ? [1, 'APPROVED'] : [0, 'EXPIRED'])
        for (const [status, code] of outcomes)
          if (status !== 200) expect(['til_request_closed', 'til_request_expired']).toContain(code)
        const runs = await api.call(msp.key, 'execution_runs', { execution_id })
        expect(runs.data).toHaveLength(2)
      }
    })
  })
})
