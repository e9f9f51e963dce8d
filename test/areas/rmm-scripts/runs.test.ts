/** Runs of scripts: who starts them at once, who waits, and what becomes of them. */
import { beforeAll, expect, it } from 'vitest'
import { describeApi } from '../../setup/api.ts'
import { installQueues } from '../agents/runnable.ts'
import { office } from './office.ts'

beforeAll(installQueues)

describeApi('a run of a script', (api) => {
  it('that a person asks for is sent at once, and has what the script wrote', async () => {
    const { msp, runScript, work, done, starts } = await office(api)
    const asked = await runScript(msp.admin, 'clean', { parameters: { level: 'HIGH' } })
    expect([asked.status, asked.data?.status, asked.error]).toEqual([200, 'QUEUED', null])
    await work()
    const run = await done(msp.admin, 'rmm_script_run', { run_id: asked.data.id })
    expect(run).toMatchObject({
      status: 'SUCCEEDED',
      exit_code: 0,
      stdout: 'Ran clean on DESK-1',
      parameters: { level: 'HIGH' },
      device_name: 'DESK-1',
      psa_company_id: 'co1',
      requested_by_name: 'Admin',
      til_request_id: null,
    })
    expect(await starts('clean')).toHaveLength(1)
  })

  it('of a key in nobody’s name waits for the approvers, and goes on with the approval', async () => {
    const { msp, runScript, work, done, approve } = await office(api)
    const { status, data } = await runScript(msp.key, 'clean')
    expect([status, data.status]).toEqual([200, 'PENDING_APPROVAL'])
    const request = await done(msp.admin, 'til_request', { til_request_id: data.til_request_id })
    expect(request).toMatchObject({ kind: 'API_REQUEST', status: 'PENDING', technician_ids: [700_011] })
    expect(request.summary).toMatch(
      /“Script clean” \(POWERSHELL\) runs on DESK-1 as the system, with level: "LOW"/,
    )
    const approved = await approve(msp.admin, data.til_request_id)
    expect([approved.status, approved.data?.call_error, approved.error]).toEqual([200, null, null])
    await work()
    expect(await done(msp.key, 'rmm_script_run', { run_id: data.id })).toMatchObject({ status: 'SUCCEEDED' })
  })

  it('of an agent waits for the approvers, and its output stands in the timeline', async () => {
    const { msp, start, execution, run, work, approve, done } = await office(api)
    const execution_id = await start()
    const waiting = await run(execution_id)
    expect(waiting).toMatchObject({ status: 'PENDING_APPROVAL', agent_id: 1, entity_id: '4711' })
    expect((await approve(msp.admin, waiting.til_request_id)).status).toBe(200)
    await work()
    expect(await execution(execution_id)).toMatchObject({ status: 'COMPLETED' })
    expect(await run(execution_id)).toMatchObject({ status: 'SUCCEEDED', stdout: 'Ran clean on DESK-1' })
    const timeline = await done(msp.key, 'execution_timeline', { execution_id })
    expect(timeline.map(({ text }: { text: string }) => text).join('\n')).toContain('Ran clean on DESK-1')
  })
})
