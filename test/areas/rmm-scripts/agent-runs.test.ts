/** Runs of agents: what approval binds, what refuses a run, and how the work goes on with the result. */
import { beforeAll, expect, it } from 'vitest'
import { argumentsHash } from '../../../src/lib/arguments-hash.ts'
import { describeApi, outcome } from '../../setup/api.ts'
import { installQueues } from '../agents/runnable.ts'
import { entriesOf } from '../executions/run/chain.ts'
import { office } from './office.ts'

beforeAll(installQueues)

const ASKED = {
  device_id: 'dev_1',
  script_id: 'scr_clean',
  parameters: { token: 'evil.example', Key: 'C:\\' },
}

const parameter = (name: string) => ({
  name,
  type: 'STRING',
  required: true,
  default: null,
  choices: null,
  secret: false,
})

const READ_ONLY = { risk: 'READ_ONLY', approval: 'BY_RISK' } as const

describeApi('an agent’s run of a script', (api) => {
  const last = async ({ msp }: Awaited<ReturnType<typeof office>>, execution_id: string) =>
    (await entriesOf(api, msp, execution_id)).at(-1)

  it('of a READ_ONLY script whose approval is BY_RISK asks nobody, whatever the group says', async () => {
    const its = await office(api, { script: READ_ONLY })
    const execution_id = await its.start()
    expect(await its.execution(execution_id)).toMatchObject({ status: 'COMPLETED' })
    expect(await its.run(execution_id)).toMatchObject({ status: 'SUCCEEDED', til_request_id: null })
    expect(await its.done(its.msp.key, 'execution_til_requests', { execution_id })).toEqual([])
  })

  it('of a script that is always approved waits, also if the group requires no approval', async () => {
    const its = await office(api)
    await its.done(its.msp.owner, 'update_permission_group', {
      name: 'DEVICES',
      input: { requires_approval: false },
    })
    const execution_id = await its.start()
    expect(await its.run(execution_id)).toMatchObject({ status: 'PENDING_APPROVAL' })
  })

  it('leaves its slot while the script runs, and goes on with the result', async () => {
    const its = await office(api, { asks: { script_id: 'scr_slow' }, script: READ_ONLY })
    const execution_id = await its.start()
    expect(await its.run(execution_id)).toMatchObject({ status: 'RUNNING' })
    expect(await its.execution(execution_id)).toMatchObject({ status: 'RUNNING' })
    const slot = () =>
      its.msp.database.prisma.executionWork.findFirst({
        where: { tenant_id: its.msp.tenant_id, execution_id },
        select: { slot: true },
      })
    expect(await slot()).toEqual({ slot: null })
    its.clock.advance(31_000)
    await its.work()
    expect(await its.run(execution_id)).toMatchObject({ status: 'SUCCEEDED', stdout: 'Ran slow on DESK-1' })
    expect(await its.execution(execution_id)).toMatchObject({ status: 'COMPLETED' })
    expect(await its.starts('slow')).toHaveLength(1)
    expect(await last(its, execution_id)).toMatchObject({
      tool_name: 'device.run_script',
      outcome: 'SUCCEEDED',
    })
  })

  it('is TIMED_OUT at the end of its time, and the timeline says that the RMM may still be working', async () => {
    const its = await office(api, {
      asks: { script_id: 'scr_slow' },
      script: { ...READ_ONLY, default_timeout_seconds: 10 },
    })
    const execution_id = await its.start()
    its.clock.advance(11_000)
    await its.work()
    expect(await its.run(execution_id)).toMatchObject({ status: 'TIMED_OUT', exit_code: null })
    const timeline = await its.done(its.msp.key, 'execution_timeline', { execution_id })
    expect(JSON.stringify(timeline)).toContain('The RMM may still be working.')
    expect(await its.execution(execution_id)).toMatchObject({ status: 'COMPLETED' })
  })

  it('of a script that changed after it was asked for is not approved: it is cancelled, and the work goes on', async () => {
    const its = await office(api)
    const execution_id = await its.start()
    const { til_request_id, id: run_id } = await its.run(execution_id)
    await its.changeBody('clean', 'Format-Volume C')
    expect(outcome(await its.approve(its.msp.admin, til_request_id))).toEqual([
      409,
      'script_changed_since_approval',
    ])
    expect(await its.done(its.msp.admin, 'til_request', { til_request_id })).toMatchObject({
      status: 'SUPERSEDED',
    })
    expect(await its.done(its.msp.key, 'rmm_script_run', { run_id })).toMatchObject({ status: 'CANCELLED' })
    await its.work()
    expect(await last(its, execution_id)).toMatchObject({
      outcome: 'FAILED',
      error_code: 'script_changed_since_approval',
    })
    expect(await its.starts('clean')).toEqual([])
  })

  it('of a script that changed between approval and start FAILED, and nothing is started', async () => {
    const its = await office(api)
    const execution_id = await its.start()
    const { til_request_id } = await its.run(execution_id)
    expect((await its.approve(its.msp.admin, til_request_id)).status).toBe(200)
    await its.msp.database.prisma.localRmmScript.updateMany({
      where: { tenant_id: its.msp.tenant_id, script_id: 'clean' },
      data: { body: 'Format-Volume C' },
    })
    await its.work()
    expect(await its.run(execution_id)).toMatchObject({
      status: 'FAILED',
      error_code: 'script_changed_since_approval',
    })
    expect(await its.starts('clean')).toEqual([])
    expect(await last(its, execution_id)).toMatchObject({
      outcome: 'FAILED',
      error_code: 'script_changed_since_approval',
    })
  })

  it('on a device that is offline stays to be approved until the device is online', async () => {
    const its = await office(api, { asks: { device_id: 'dev_off' } })
    const execution_id = await its.start()
    const { til_request_id } = await its.run(execution_id)
    expect(outcome(await its.approve(its.msp.admin, til_request_id))).toEqual([409, 'device_offline'])
    expect(await its.done(its.msp.admin, 'til_request', { til_request_id })).toMatchObject({
      status: 'PENDING',
    })
    await its.msp.database.prisma.localRmmDevice.updateMany({
      where: { tenant_id: its.msp.tenant_id, device_id: 'dev_off' },
      data: { is_online: true },
    })
    its.clock.advance(10_000)
    expect((await its.approve(its.msp.admin, til_request_id)).status).toBe(200)
    await its.work()
    expect(await its.run(execution_id)).toMatchObject({ status: 'SUCCEEDED' })
  })

  it('that is rejected is REJECTED', async () => {
    const its = await office(api)
    const execution_id = await its.start()
    const { til_request_id } = await its.run(execution_id)
    await its.done(its.msp.admin, 'reject_til_request', { til_request_id, input: { comment: 'Not now.' } })
    await its.work()
    expect(await its.run(execution_id)).toMatchObject({ status: 'REJECTED' })
    expect(await last(its, execution_id)).toMatchObject({ outcome: 'DENIED' })
  })

  it('that a person cancels while it waits takes its request along, and the work goes on', async () => {
    const its = await office(api)
    const execution_id = await its.start()
    const { til_request_id, id: run_id } = await its.run(execution_id)
    const cancelled = await its.call(its.msp.admin, 'cancel_rmm_script_run', { run_id })
    expect([cancelled.status, cancelled.data?.status]).toEqual([200, 'CANCELLED'])
    expect(await its.done(its.msp.admin, 'til_request', { til_request_id })).toMatchObject({
      status: 'CANCELLED',
    })
    await its.work()
    expect(await last(its, execution_id)).toMatchObject({
      outcome: 'FAILED',
      error_code: 'script_run_cancelled',
    })
    expect((await its.call(its.msp.admin, 'cancel_rmm_script_run', { run_id })).status).toBe(200)
  })

  it('that waits is cancelled with its execution', async () => {
    const its = await office(api)
    const execution_id = await its.start()
    await its.done(its.msp.admin, 'cancel_execution', { execution_id })
    expect(await its.run(execution_id)).toMatchObject({ status: 'CANCELLED' })
  })

  it('that was sent goes on without its execution, and its call is settled', async () => {
    const its = await office(api, { asks: { script_id: 'scr_slow' }, script: READ_ONLY })
    const execution_id = await its.start()
    await its.done(its.msp.admin, 'cancel_execution', { execution_id })
    await its.work()
    expect(await last(its, execution_id)).toMatchObject({ outcome: 'SUCCEEDED' })
    its.clock.advance(31_000)
    await its.work()
    expect(await its.run(execution_id)).toMatchObject({ status: 'SUCCEEDED' })
  })

  it('starts on a device of another company by a grant that crosses companies', async () => {
    const grant = { system: 'NINJAONE', permission_groups: ['DEVICES'], access: 'WRITE', cross_company: true }
    const agent = { integrations: { grants: [grant] } }
    const its = await office(api, { asks: { device_id: 'dev_2' }, script: READ_ONLY, agent })
    const execution_id = await its.start()
    expect(await its.run(execution_id)).toMatchObject({ status: 'SUCCEEDED', psa_company_id: 'co2' })
  })

  it('starts nothing on a device of another company', async () => {
    const its = await office(api, { asks: { device_id: 'dev_2' }, script: READ_ONLY })
    const execution_id = await its.start()
    expect(await its.run(execution_id)).toBeUndefined()
    expect(await last(its, execution_id)).toMatchObject({ outcome: 'FAILED', error_code: 'device_not_found' })
  })

  it('on a device of a platform that the script does not name fails before anybody is asked', async () => {
    const its = await office(api, { asks: { device_id: 'dev_mac' } })
    const execution_id = await its.start()
    expect(await last(its, execution_id)).toMatchObject({
      outcome: 'FAILED',
      error_code: 'platform_mismatch',
    })
    expect(await its.run(execution_id)).toBeUndefined()
  })

  it.each([
    ['a script that is not enabled', { script: { agent_enabled: false } }, 'script_not_enabled'],
    [
      'a parameter that the script does not have',
      { asks: { parameters: { other: 'x' } } },
      'parameters_invalid',
    ],
    ['a value that is no choice', { asks: { parameters: { level: 'MIDDLE' } } }, 'parameters_invalid'],
    ['a script that the RMM no longer has', { script: { removed_at: new Date() } }, 'script_removed'],
  ])('of %s is refused before anybody is asked', async (_what, options, error_code) => {
    const its = await office(api, options)
    const execution_id = await its.start()
    expect(await last(its, execution_id)).toMatchObject({ outcome: 'FAILED', error_code })
    expect(await its.run(execution_id)).toBeUndefined()
  })

  it('is asked for with exactly the arguments that run, whatever they are called', async () => {
    const script = { parameters: [parameter('token'), parameter('Key')] }
    const { msp, start, work, run, done, approve } = await office(api, { asks: ASKED, script })
    const execution_id = await start()
    const { til_request_id } = await run(execution_id)
    const request = await done(msp.admin, 'til_request', { til_request_id })
    expect(request).toMatchObject({ technician_ids: [700_011], arguments: ASKED })
    expect(request.arguments_hash).toBe(argumentsHash(request.arguments))
    await approve(msp.admin, til_request_id, { arguments_hash: request.arguments_hash })
    await work()
    const where = { tenant_id: msp.tenant_id, execution_id }
    const call = await msp.database.prisma.storedToolCall.findFirstOrThrow({ where })
    expect(call).toMatchObject({ arguments: ASKED, arguments_hash: request.arguments_hash })
    expect((await entriesOf(api, msp, execution_id)).at(-1)).toMatchObject({
      arguments: { ...ASKED, parameters: { token: '[removed]', Key: '[removed]' } },
      arguments_hash: request.arguments_hash,
    })
  })
})
