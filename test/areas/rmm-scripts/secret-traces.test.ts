/** The traces that a secret parameter leaves: none in the log, and none in what the model is asked. */
import { beforeAll, describe, expect, it } from 'vitest'
import { type Api, apisAt } from '../../setup/api.ts'
import { overheard } from '../../setup/log.ts'
import { playModel } from '../../setup/model.ts'
import { installQueues } from '../agents/runnable.ts'
import { office, SECRET_VALUE } from './office.ts'

beforeAll(installQueues)

const ASKS = { device_id: 'dev_1', script_id: 'scr_join', parameters: {} }
const END = { tool: 'run.finish', args: { message: 'Done.', resolution: 'FULL', confidence: 0.9 } }
const GRANT = { system: 'NINJAONE', permission_groups: ['DEVICES'], access: 'WRITE' }

describe.each([0, 1])('a secret parameter, through interface %d,', (index) => {
  it('is in no line of the log, and the model never reads it', async () => {
    const heard = await overheard()
    const api = apisAt(async () => heard.base)[index] as Api
    const running = { app: heard.app }
    const agent = { autonomy_type: 'AGENTIC', integrations: { grants: [GRANT] } } as const
    const its = await office(api, { asks: ASKS, agent, running })
    const model = await playModel(
      [{ calls: [{ tool: 'device.run_script', args: ASKS }] }, { calls: [END] }],
      running,
    )
    const execution_id = await its.start()
    const { til_request_id } = await its.run(execution_id)
    const edited_arguments = { ...ASKS, parameters: { secret: SECRET_VALUE } }
    expect((await its.approve(its.msp.admin, til_request_id, { edited_arguments })).status).toBe(200)
    await its.runScript(its.msp.admin, 'join', { parameters: { secret: SECRET_VALUE } })
    await its.runScript(its.msp.admin, 'join', { parameters: { secret: SECRET_VALUE, other: SECRET_VALUE } })
    await its.work()
    expect(await its.run(execution_id)).toMatchObject({ status: 'SUCCEEDED' })
    expect(await its.execution(execution_id)).toMatchObject({ status: 'COMPLETED' })
    expect(JSON.stringify(model.asked)).toContain('Joined with [secret] on DESK-1')
    expect(JSON.stringify(model.asked)).not.toContain(SECRET_VALUE)
    expect(await heard.log()).not.toContain(SECRET_VALUE)
  })
})
