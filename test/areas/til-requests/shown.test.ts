/** What technicians are shown of a call that waits. */
import { beforeAll, expect, it } from 'vitest'
import { argumentsHash } from '../../../src/lib/arguments-hash.ts'
import { describeApi } from '../../setup/api.ts'
import { performRuns } from '../../setup/runs.ts'
import { installQueues } from '../agents/runnable.ts'
import { entriesOf, start } from '../executions/run/chain.ts'
import { ADMIN } from './people.ts'
import { decisions, openRequest, SUPERVISED, supervisedMsp } from './supervised.ts'

beforeAll(installQueues)

const SCRIPT = {
  type: 'device.run_script',
  params: { device_id: 'd1', script_id: 's1', parameters: { token: 'evil.example', Key: 'C:\\' } },
}

describeApi('a request to approve a call', (api) => {
  it('has exactly the arguments that run, whatever they are called, and so has its hash', async () => {
    const msp = await supervisedMsp([SCRIPT])
    const execution_id = await start(api, msp)
    await performRuns(msp)
    const request = await openRequest(api, msp, execution_id)
    expect(request).toMatchObject({ technician_ids: [ADMIN], arguments: SCRIPT.params })
    expect(request.arguments_hash).toBe(argumentsHash(request.arguments))
    await decisions(api).approve(msp.admin, request.id, { arguments_hash: request.arguments_hash })
    await performRuns(msp)
    const where = { tenant_id: msp.tenant_id, execution_id }
    const call = await msp.database.prisma.storedToolCall.findFirstOrThrow({ where })
    expect(call).toMatchObject({ arguments: SCRIPT.params, arguments_hash: request.arguments_hash })
    expect((await entriesOf(api, msp, execution_id)).at(-1)).toMatchObject({
      arguments: { ...SCRIPT.params, parameters: { token: '[removed]', Key: '[removed]' } },
      arguments_hash: request.arguments_hash,
    })
  })

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
