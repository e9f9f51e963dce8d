/** Runs that nothing frees of their approval, and that no lost worker leaves open. */
import { beforeAll, expect, it } from 'vitest'
import { WORK } from '../../../src/areas/rmm-scripts/runs/declared.ts'
import { describeApi, outcome } from '../../setup/api.ts'
import { performWaiting } from '../../setup/due.ts'
import { installQueues } from '../agents/runnable.ts'
import { entriesOf } from '../executions/run/chain.ts'
import { office, SECRET_VALUE } from './office.ts'

beforeAll(installQueues)

const READ_ONLY = { risk: 'READ_ONLY', approval: 'BY_RISK' } as const

describeApi('a run of a script', (api) => {
  it('is not freed of its approval through the API-request channel', async () => {
    const its = await office(api, { script: { agent_enabled: false } })
    const key = await its.channel()
    expect(outcome(await its.runScript(key, 'clean'))).toEqual([409, 'script_not_enabled'])
    const input = { agent_enabled: true, ...READ_ONLY }
    const changed = await its.call(key, 'update_rmm_script', { script_id: 'scr_clean', input })
    expect(outcome(changed)).toEqual([409, 'approval_required'])
    expect(outcome(await its.runScript(key, 'clean'))).toEqual([409, 'script_not_enabled'])
  })

  it('is CANCELLED, and its secret forgotten, if the key that asked was revoked before the approval', async () => {
    const its = await office(api)
    const { msp } = its
    const own = await its.runScript(await its.channel(), 'join', { parameters: { secret: SECRET_VALUE } })
    const key_id =
      own.data &&
      (
        await msp.database.prisma.apiKey.findFirst({
          where: { tenant_id: msp.tenant_id },
          orderBy: { created_at: 'desc' },
        })
      )?.id
    await msp.database.prisma.apiKey.updateMany({
      where: { tenant_id: msp.tenant_id, id: key_id ?? '' },
      data: { revoked_at: its.clock.now() },
    })
    const approved = await its.approve(msp.admin, own.data.til_request_id)
    expect([approved.status, approved.data?.call_error?.code]).toEqual([200, expect.any(String)])
    expect(await its.done(msp.admin, 'rmm_script_run', { run_id: own.data.id })).toMatchObject({
      status: 'CANCELLED',
    })
    const stored = await msp.database.prisma.rmmScriptRun.findFirst({ where: { id: own.data.id } })
    expect(stored?.secrets).toBeNull()
  })

  it('whose parameter became secret while it waited is not approved with the agent’s value', async () => {
    const its = await office(api, { asks: { parameters: { level: 'HIGH' } } })
    const execution_id = await its.start()
    const { til_request_id } = await its.run(execution_id)
    await its.done(its.msp.admin, 'update_rmm_script', {
      script_id: 'scr_clean',
      input: { secret_parameters: ['level'] },
    })
    const { status, error } = await its.approve(its.msp.admin, til_request_id)
    expect([status, error?.details.field_errors]).toMatchObject([
      422,
      [{ field: 'edited_arguments.parameters.level', code: 'secret_required' }],
    ])
  })

  it('of a key without an acting user is not sent once agents may not run the script any more', async () => {
    const its = await office(api, { script: READ_ONLY })
    const { data } = await its.runScript(its.msp.key, 'clean')
    expect(data.status).toBe('QUEUED')
    await its.done(its.msp.admin, 'update_rmm_script', {
      script_id: 'scr_clean',
      input: { agent_enabled: false },
    })
    await its.work()
    expect(await its.done(its.msp.key, 'rmm_script_run', { run_id: data.id })).toMatchObject({
      status: 'FAILED',
      error_code: 'script_not_enabled',
    })
    expect(await its.starts('clean')).toEqual([])
  })

  it('is cancelled while it is queued, and can no longer be cancelled once it was sent', async () => {
    const its = await office(api)
    const queued = await its.runScript(its.msp.admin, 'slow')
    const cancelled = await its.call(its.msp.admin, 'cancel_rmm_script_run', { run_id: queued.data.id })
    expect(cancelled.data?.status).toBe('CANCELLED')
    await its.work()
    expect(await its.starts('slow')).toEqual([])
    const sent = await its.runScript(its.msp.admin, 'slow')
    await its.work()
    const late = await its.call(its.msp.admin, 'cancel_rmm_script_run', { run_id: sent.data.id })
    expect([outcome(late), late.error?.details.current_status]).toEqual([
      [409, 'script_run_not_cancellable'],
      'RUNNING',
    ])
  })

  it('that a lost worker has left after its claim is judged again, and not sent if the script has changed', async () => {
    const its = await office(api)
    const { data } = await its.runScript(its.msp.admin, 'clean')
    const { prisma } = its.msp.database
    const where = { tenant_id: its.msp.tenant_id }
    await prisma.rmmScriptRun.updateMany({
      where: { ...where, id: data.id },
      data: { status: 'RUNNING', started_at: its.clock.now() },
    })
    await prisma.localRmmScript.updateMany({
      where: { ...where, script_id: 'clean' },
      data: { body: 'Other' },
    })
    await its.work()
    expect(await its.done(its.msp.admin, 'rmm_script_run', { run_id: data.id })).toMatchObject({
      status: 'FAILED',
      error_code: 'script_changed_since_approval',
    })
    expect(await its.starts('clean')).toEqual([])
  })

  it('is FAILED if the service itself fails with the last attempt', async () => {
    const its = await office(api)
    const { data } = await its.runScript(its.msp.admin, 'clean')
    await its.msp.database.prisma.rmmScriptRun.updateMany({
      where: { tenant_id: its.msp.tenant_id, id: data.id },
      data: { secrets: 'not encrypted' },
    })
    await expect(performWaiting(its.msp, WORK.name)).rejects.toThrow()
    await performWaiting(its.msp, WORK.name, { attempt: 6 })
    expect(await its.done(its.msp.admin, 'rmm_script_run', { run_id: data.id })).toMatchObject({
      status: 'FAILED',
    })
  })

  it.each([[5], [[]], ['x']])('takes no parameters that are %j', async (parameters) => {
    const its = await office(api)
    expect((await its.runScript(its.msp.admin, 'clean', { parameters })).status).toBe(422)
  })

  it('on a device that is offline at the start FAILED, and its call was not made', async () => {
    const its = await office(api, { asks: { device_id: 'dev_off' }, script: READ_ONLY })
    const execution_id = await its.start()
    expect(await its.run(execution_id)).toMatchObject({ status: 'FAILED', error_code: 'device_offline' })
    expect((await entriesOf(api, its.msp, execution_id)).at(-1)).toMatchObject({
      outcome: 'FAILED',
      error_code: 'device_offline',
    })
  })
})
