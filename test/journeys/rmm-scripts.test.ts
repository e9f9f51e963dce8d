/** Journeys of scripts: from the catalogue of the RMM to what a script wrote on a device, after a technician approved. */
import { describe, expect, it } from 'vitest'
import { connectedNinjaOne, DEVICES, RMMS, SCRIPT_NAME, WRITTEN } from '../areas/rmm-scripts/rmms.ts'
import { type Api, apisAt, outcome } from '../setup/api.ts'
import { clock } from '../setup/app.ts'
import { connectedApp } from '../setup/connected.ts'
import { scriptingMsp, scriptingOf, useScripting } from './scripting.ts'
import { expectWholeTrail } from './trail.ts'

const running = useScripting()
const APIS = apisAt(async () => running.base)

const CHANGED = 'script_changed_since_approval'
const WITHDRAWN = { status: 'SUPERSEDED' }

describe.each(RMMS)('scripts of $rmm', ({ make }) => {
  describe.each(APIS)('through $name', (api: Api) => {
    async function office() {
      const msp = await scriptingMsp(api)
      const rmm = await make(api, msp)
      return { msp, rmm, ...scriptingOf(running, api, msp) }
    }

    /** An agent's run that waits for a technician. */
    async function asked() {
      const its = await office()
      await its.enable()
      return { ...its, ...(await its.ask()) }
    }

    it('are synced, enabled, found by an agent, approved, and run; the agent goes on with what was written', async () => {
      const its = await office()
      const { msp, rmm, done } = its
      const { before, after } = await its.sync()
      const ran = { name: 'ninjaone', is_full: true, requested_by_name: 'Admin' }
      expect(before).toMatchObject({ ...ran, status: 'QUEUED' })
      const stages = [{ stage: 'SCRIPTS', status: 'SUCCEEDED', read: 1, added: 1, changed: 0, missing: 0 }]
      expect(after).toMatchObject({ ...ran, status: 'SUCCEEDED', error: null, stages })
      expect(await its.scripts()).toMatchObject([
        { name: SCRIPT_NAME, agent_enabled: false, runnable: false, risk: 'UNKNOWN', approval: 'ALWAYS' },
      ])
      const script = await its.enable()
      expect(script).toMatchObject({ runnable: true, agent_description: 'Tells how full disks are.' })
      const { execution_id, model } = await its.ask()
      expect(JSON.stringify(model.asked.at(-1)?.messages)).toContain('Tells how full disks are.')
      expect(await its.execution(execution_id)).toMatchObject({ status: 'WAITING_FOR_APPROVAL' })
      const waiting = await its.scriptRun(execution_id)
      expect(waiting).toMatchObject({
        status: 'PENDING_APPROVAL',
        script_id: script.id,
        device_id: DEVICES.a,
        psa_company_id: 'psa_a',
        agent_name: 'Disk hand',
        entity_number: 'T-4711',
        body_sha256: script.body_sha256,
      })
      expect(await rmm.starts()).toEqual([])
      const request = await its.open(execution_id)
      expect(request).toMatchObject({
        id: waiting.til_request_id,
        kind: 'WRITE',
        tool_name: 'device.run_script',
      })
      for (const part of [
        `The script “${SCRIPT_NAME}” (POWERSHELL) runs on PC-1 as the system, with drive: "D".`,
        script.body_sha256,
      ])
        expect(request.summary).toContain(part)
      await its.approved(execution_id)
      await its.work()
      const under_way = await its.scriptRun(execution_id)
      expect(under_way).toMatchObject({ status: 'RUNNING', started_at: expect.any(String), stdout: null })
      expect(await its.execution(execution_id)).toMatchObject({ status: 'RUNNING' })
      await rmm.endRuns()
      await its.work()
      expect(await its.scriptRun(execution_id)).toMatchObject({
        status: 'SUCCEEDED',
        parameters: { drive: 'D' },
        exit_code: rmm.exit_code,
        stdout: WRITTEN,
        stderr: null,
        error_code: null,
        til_request_id: request.id,
      })
      expect(await its.told(execution_id)).toContain(WRITTEN)
      expect(JSON.stringify(model.asked.at(-1)?.messages)).toContain(WRITTEN)
      expect(await its.execution(execution_id)).toMatchObject({ status: 'COMPLETED', resolution: 'FULL' })
      expect(await rmm.starts()).toEqual([DEVICES.a])
      const listed = await done(msp.admin, 'rmm_script_runs', { status: ['SUCCEEDED'], execution_id })
      expect(listed.map(({ id }: { id: string }) => id)).toEqual([waiting.id])
      await expectWholeTrail(its, msp, execution_id)
    })

    it('are not started if they change between the approval and the start', async () => {
      const its = await asked()
      await its.approved(its.execution_id)
      await its.rmm.changeScript()
      await its.work()
      expect(await its.scriptRun(its.execution_id)).toMatchObject({ status: 'FAILED', error_code: CHANGED })
      expect(await its.lastCall(its.execution_id)).toMatchObject({ outcome: 'FAILED', error_code: CHANGED })
      expect(await its.execution(its.execution_id)).toMatchObject({ status: 'COMPLETED' })
      expect(await its.rmm.starts()).toEqual([])
    })

    it('are not approved if a sync finds them changed, and the work goes on', async () => {
      const its = await asked()
      await its.rmm.changeScript()
      const { after } = await its.sync()
      expect(after.stages).toMatchObject([{ read: 1, changed: 1 }])
      expect(await its.scripts()).toMatchObject([{ agent_enabled: false, runnable: false }])
      expect(outcome(await its.approval(its.execution_id))).toEqual([409, CHANGED])
      expect(await its.requests(its.execution_id)).toMatchObject([WITHDRAWN])
      expect(await its.scriptRun(its.execution_id)).toMatchObject({ status: 'CANCELLED' })
      await its.work()
      expect(await its.lastCall(its.execution_id)).toMatchObject({ outcome: 'FAILED', error_code: CHANGED })
      expect(await its.execution(its.execution_id)).toMatchObject({ status: 'COMPLETED' })
      expect(await its.rmm.starts()).toEqual([])
    })

    it('are not approved if they are gone, nor started if they go after the approval', async () => {
      const before = await asked()
      await before.rmm.removeScript()
      await before.sync()
      expect(outcome(await before.approval(before.execution_id))).toEqual([409, 'script_removed'])
      expect(await before.requests(before.execution_id)).toMatchObject([WITHDRAWN])
      const after = await asked()
      await after.approved(after.execution_id)
      await after.rmm.removeScript()
      for (const its of [before, after]) {
        await its.work()
        expect(await its.scriptRun(its.execution_id)).toMatchObject(
          its === before ? { status: 'CANCELLED' } : { status: 'FAILED', error_code: 'script_removed' },
        )
        expect(await its.lastCall(its.execution_id)).toMatchObject({ error_code: 'script_removed' })
        expect(await its.execution(its.execution_id)).toMatchObject({ status: 'COMPLETED' })
        expect(await its.rmm.starts()).toEqual([])
      }
    })

    it('wait for a device that is offline at the approval, and FAILED on one that is offline at the start', async () => {
      const its = await asked()
      const { rmm, execution_id } = its
      await rmm.switchDevice(false)
      clock.advance(10_000)
      expect(outcome(await its.approval(execution_id))).toEqual([409, 'device_offline'])
      expect(await its.open(execution_id)).toMatchObject({ status: 'PENDING' })
      expect(await its.scriptRun(execution_id)).toMatchObject({ status: 'PENDING_APPROVAL' })
      await rmm.switchDevice(true)
      clock.advance(10_000)
      await its.approved(execution_id)
      await rmm.switchDevice(false)
      await its.work()
      const failed = { error_code: 'device_offline' }
      expect(await its.scriptRun(execution_id)).toMatchObject({ status: 'FAILED', ...failed })
      expect(await its.lastCall(execution_id)).toMatchObject({ outcome: 'FAILED', ...failed })
      expect(await rmm.starts()).toEqual([])
    })

    it('have their result although the worker that started them is gone', async () => {
      const its = await asked()
      await its.approved(its.execution_id)
      const lost = await connectedApp(running.database)
      lost.app.services.model = running.app.services.model
      try {
        await its.work(lost)
        expect(await its.scriptRun(its.execution_id)).toMatchObject({ status: 'RUNNING' })
      } finally {
        await lost.app.close(0)
      }
      await its.rmm.endRuns()
      await its.work()
      expect(await its.scriptRun(its.execution_id)).toMatchObject({ status: 'SUCCEEDED', stdout: WRITTEN })
      expect(await its.execution(its.execution_id)).toMatchObject({ status: 'COMPLETED' })
      expect(await its.rmm.starts()).toEqual([DEVICES.a])
    })

    it('are cancelled before they are sent, and the work goes on', async () => {
      const its = await asked()
      const { msp, execution_id } = its
      await its.approved(execution_id)
      await its.workOnExecutions()
      const { id: run_id, status } = await its.scriptRun(execution_id)
      expect(status).toBe('QUEUED')
      for (const _ of ['at first', 'again'])
        expect(await its.done(msp.admin, 'cancel_rmm_script_run', { run_id })).toMatchObject({
          status: 'CANCELLED',
        })
      await its.work()
      expect(await its.lastCall(execution_id)).toMatchObject({ error_code: 'script_run_cancelled' })
      expect(await its.execution(execution_id)).toMatchObject({ status: 'COMPLETED' })
      expect(await its.rmm.starts()).toEqual([])
    })

    it('run on no device of another company', async () => {
      const its = await office()
      await its.enable({ risk: 'READ_ONLY', approval: 'BY_RISK' })
      const { execution_id } = await its.ask(DEVICES.b)
      expect(await its.lastCall(execution_id)).toMatchObject({
        outcome: 'FAILED',
        error_code: 'device_not_found',
      })
      expect(await its.done(its.msp.key, 'execution_rmm_script_runs', { execution_id })).toEqual([])
      expect(await its.execution(execution_id)).toMatchObject({ status: 'COMPLETED' })
      expect(await its.rmm.starts()).toEqual([])
    })
  })
})

describe.each(APIS)('scripts of NinjaOne without a refresh token, through $name', (api: Api) => {
  it('are listed, and run by nobody', async () => {
    const msp = await scriptingMsp(api)
    const { runs } = await connectedNinjaOne(api, msp, {})
    const its = scriptingOf(running, api, msp)
    const { id: script_id } = await its.enable()
    expect(await its.scripts()).toMatchObject([{ name: SCRIPT_NAME, agent_enabled: true, runnable: false }])
    expect(await its.done(msp.key, 'rmm_scripts', { runnable: true })).toEqual([])
    expect(await its.done(msp.key, 'rmm_devices')).toHaveLength(2)
    for (const caller of [msp.admin, msp.key])
      expect(
        outcome(await api.call(caller, 'run_rmm_script', { script_id, input: { device_id: DEVICES.a } })),
      ).toEqual([409, 'not_supported_by_system'])
    const tools = await its.done(msp.owner, 'tool_schemas')
    const available = (wanted: string) =>
      tools.find(({ name }: { name: string }) => name === wanted).available
    expect([available('device.run_script'), available('device.list_scripts')]).toEqual([false, true])
    const { execution_id } = await its.ask()
    expect(await its.lastCall(execution_id)).toMatchObject({
      outcome: 'FAILED',
      error_code: 'not_supported',
    })
    expect(await its.requests(execution_id)).toEqual([])
    expect(await its.done(msp.key, 'execution_rmm_script_runs', { execution_id })).toEqual([])
    expect(await its.done(msp.key, 'rmm_script_runs')).toEqual([])
    expect(runs.starts).toEqual([])
  })
})
