/** What technicians are shown of a call that waits. */
import { beforeAll, expect, it } from 'vitest'
import { describeApi } from '../../setup/api.ts'
import { performRuns } from '../../setup/runs.ts'
import { installQueues } from '../agents/runnable.ts'
import { start } from '../executions/run/chain.ts'
import { decisions, openRequest, SUPERVISED, supervisedMsp } from './supervised.ts'

beforeAll(installQueues)

describeApi('a request to approve a call', (api) => {
  it('names the characters that nobody sees', async () => {
    const text = 'Pay \u202e001\u202c€\u200b'
    const msp = await supervisedMsp([{ type: 'ticket.add_note', params: { text, visibility: 'INTERNAL' } }])
    const execution_id = await start(api, msp, '4711', SUPERVISED)
    await performRuns(msp)
    const plan = await openRequest(api, msp, execution_id)
    expect(plan.plan[0].text).toBe('Add note (text: “Pay U+202E001U+202C€U+200B”, visibility: INTERNAL).')
    expect(plan.hidden_characters.map(({ path }: { path: string }) => path)).toEqual(
      Array(3).fill('plan.0.text'),
    )
    await decisions(api).approve(msp.user, plan.id)
    await performRuns(msp)
    expect(await openRequest(api, msp, execution_id)).toMatchObject({
      arguments: { text },
      hidden_characters: [
        { path: 'arguments.text', index: 4, code_point: 'U+202E' },
        { path: 'arguments.text', index: 8, code_point: 'U+202C' },
        { path: 'arguments.text', index: 10, code_point: 'U+200B' },
      ],
    })
  })
})
