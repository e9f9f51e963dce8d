/** Approved calls that are not made, or fail. */
import { beforeAll, expect, it } from 'vitest'
import { describeApi } from '../../setup/api.ts'
import { psaOfTenant } from '../../setup/psa.ts'
import { performRuns } from '../../setup/runs.ts'
import { installQueues } from '../agents/runnable.ts'
import { changeTerms, entriesOf, executionOf, NOTE, STATUS, start } from '../executions/run/chain.ts'
import { USER } from './people.ts'
import { decisions, openRequest, SUPERVISED, supervisedMsp } from './supervised.ts'

beforeAll(installQueues)

const EXHAUSTED = { credits_included: 0, overage_allowed: false }

describeApi('an approved call', (api) => {
  const { approve, reject } = decisions(api)

  /** A run whose plan is approved, and the request that its first change waits for. */
  async function waiting(action: object) {
    const msp = await supervisedMsp([action])
    const execution_id = await start(api, msp, '4711', SUPERVISED)
    await performRuns(msp)
    await approve(msp.user, (await openRequest(api, msp, execution_id)).id)
    await performRuns(msp)
    const { id } = await openRequest(api, msp, execution_id)
    const request = async () => (await api.call(msp.key, 'til_request', { til_request_id: id })).data
    return { msp, execution_id, id, request }
  }

  it.each([
    ['credits_exhausted', EXHAUSTED],
    ['subscription_inactive', { status: 'PAUSED' }],
  ] as const)('is not made if meanwhile: %s', async (code, terms) => {
    const { msp, execution_id, id, request } = await waiting(STATUS)
    await changeTerms(msp, terms)
    const { data } = await approve(msp.user, id)
    expect(data).toMatchObject({ status: 'APPROVED', call_error: null })
    await performRuns(msp)
    expect(await psaOfTenant(msp).ticket('4711')).toMatchObject({ status: 'New' })
    const execution = await executionOf(api, msp, execution_id)
    expect(execution).toMatchObject({ status: 'FAILED', failure_kind: 'LIMIT', credits_consumed: 0 })
    expect(execution.error).toMatch(`${code}: `)
    expect((await entriesOf(api, msp, execution_id)).at(-1)).toMatchObject({
      tool_name: 'ticket.set_status',
      outcome: 'SKIPPED',
      error_code: 'not_made',
      til_request_id: id,
      decided_by_name: `Technician ${USER}`,
      error_message: expect.stringContaining(code),
    })
    expect(await request()).toMatchObject({
      status: 'APPROVED',
      resumed_temporal_run_id: expect.any(String),
      call_error: { code: 'not_made', message: expect.stringContaining(code), details: {} },
    })
  })

  it('says with its request why it failed', async () => {
    const { msp, id, request } = await waiting({ type: 'ticket.set_status', params: { status: 'Nowhere' } })
    await approve(msp.user, id)
    await performRuns(msp)
    expect((await request()).call_error).toMatchObject({ code: 'status_not_found' })
  })

  it('that was made has no error', async () => {
    const { msp, id, request } = await waiting(NOTE)
    await approve(msp.user, id)
    await performRuns(msp)
    expect((await request()).call_error).toBeNull()
  })

  it('that is refused stays refused, whatever the credits', async () => {
    const { msp, execution_id, id, request } = await waiting(NOTE)
    await changeTerms(msp, EXHAUSTED)
    await reject(msp.user, id)
    await performRuns(msp)
    expect(await executionOf(api, msp, execution_id)).toMatchObject({ status: 'COMPLETED' })
    expect((await entriesOf(api, msp, execution_id)).at(-1)).toMatchObject({ outcome: 'DENIED' })
    expect((await request()).call_error).toBeNull()
  })
})
