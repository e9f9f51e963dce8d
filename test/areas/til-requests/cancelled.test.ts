/** Executions that are cancelled while their requests wait. */
import { beforeAll, describe, expect, it } from 'vitest'
import { describeApi, outcome } from '../../setup/api.ts'
import { psaOfTenant } from '../../setup/psa.ts'
import { performRuns } from '../../setup/runs.ts'
import { installQueues } from '../agents/runnable.ts'
import { entriesOf, executionOf, NOTE, start } from '../executions/run/chain.ts'
import { decisions, openRequest, RACES, SUPERVISED, supervisedMsp } from './supervised.ts'

beforeAll(installQueues)

describeApi('the request of an execution that is cancelled', (api) => {
  it('is cancelled with it, and takes no decision', async () => {
    const msp = await supervisedMsp([NOTE])
    const execution_id = await start(api, msp, '4711', SUPERVISED)
    await performRuns(msp)
    const { id } = await openRequest(api, msp, execution_id)
    await api.call(msp.key, 'cancel_execution', { execution_id })
    const { data } = await api.call(msp.key, 'til_request', { til_request_id: id })
    expect(data).toMatchObject({ status: 'CANCELLED', decided_at: null, approvals: [] })
    const approved = await decisions(api).approve(msp.user, id)
    expect([...outcome(approved), approved.error?.details.status]).toEqual([
      409,
      'til_request_closed',
      'CANCELLED',
    ])
    expect(await executionOf(api, msp, execution_id)).toMatchObject({ pending_til_request_count: 0 })
  })

  it.each([
    ['a question', { type: 'technician.ask', params: { question: 'Which one?' } }, []],
    ['a change', NOTE, ['PENDING_APPROVAL']],
  ])('leaves a trail of the call that waited: %s', async (_what, action, before) => {
    const msp = await supervisedMsp([action])
    const execution_id = await start(api, msp, '4711', SUPERVISED)
    await performRuns(msp)
    const { id } = await openRequest(api, msp, execution_id)
    await api.call(msp.key, 'cancel_execution', { execution_id, input: { reason: 'Solved.' } })
    const entries = await entriesOf(api, msp, execution_id)
    expect(entries.map(({ outcome }: { outcome: string }) => outcome)).toEqual([...before, 'SKIPPED'])
    expect(entries.at(-1)).toMatchObject({
      tool_name: action.type,
      til_request_id: id,
      decided_by_name: null,
      error_code: 'not_made',
      error_message: 'It was not made: the work ended, CANCELLED. Solved.',
    })
  })
})

describe.runIf(process.env.DATABASE_URL)('at once', () => {
  describeApi('the cancellation of an execution and an approval', (api) => {
    it('an approval after the cancellation never wins, and the execution is cancelled', async () => {
      for (let turn = 0; turn < RACES; turn++) {
        const msp = await supervisedMsp([NOTE])
        const execution_id = await start(api, msp, '4711', SUPERVISED)
        await performRuns(msp)
        const { id } = await openRequest(api, msp, execution_id)
        const [cancelled, approved] = await Promise.all([
          api.call(msp.key, 'cancel_execution', { execution_id }),
          decisions(api).approve(msp.user, id),
        ])
        await performRuns(msp)
        expect(outcome(cancelled)).toEqual([200, undefined])
        const won = approved.status === 200
        if (!won) expect(outcome(approved)).toEqual([409, 'til_request_closed'])
        const { data } = await api.call(msp.key, 'til_request', { til_request_id: id })
        expect(data.status).toBe(won ? 'APPROVED' : 'CANCELLED')
        expect(await executionOf(api, msp, execution_id)).toMatchObject({
          status: 'CANCELLED',
          run_count: won ? 2 : 1,
          pending_til_request_count: 0,
        })
        expect(await psaOfTenant(msp).notesOf('4711')).toEqual([])
      }
    })
  })
})
