/** Starts of scripts in NinjaOne, which answers without an id, whose answer is lost, and runs that cannot be told apart. */
import { describe, expect, it } from 'vitest'
import { connectedNinjaOne, DEVICES, WRITTEN } from '../areas/rmm-scripts/rmms.ts'
import { type Api, apisAt } from '../setup/api.ts'
import { clock } from '../setup/app.ts'
import { scriptingMsp, scriptingOf, useScripting } from './scripting.ts'

const running = useScripting()

/** LOST: the double starts the script, and its answer never comes. ERROR, TOO_MANY: nothing is started. */
type Fault = 'LOST' | 'ERROR' | 'TOO_MANY'

const UNKNOWN = { status: 'FAILED', error_code: 'outcome_unknown' }

describe.each(apisAt(async () => running.base))('a start in NinjaOne, through $name', (api: Api) => {
  async function office() {
    const msp = await scriptingMsp(api)
    const double = await connectedNinjaOne(api, msp)
    const { runs } = double
    const its = scriptingOf(running, api, msp)
    const { id: script_id } = await its.enable()
    /** The next start meets the fault. */
    function failing(fault: Fault): void {
      double.chance.fault = () => {
        if (!double.requests.at(-1)?.startsWith('POST /v2/device/')) return
        double.chance.fault = null
        return fault
      }
    }
    return {
      ...its,
      msp,
      double,
      runs,
      failing,
      /** A run that a person asks for; its id. */
      async run(): Promise<string> {
        const input = { device_id: DEVICES.a }
        return (await its.done(msp.admin, 'run_rmm_script', { script_id, input })).id
      },
      read: (run_id: string) => its.done(msp.admin, 'rmm_script_run', { run_id }),
      /** Works after so many seconds. */
      async later(seconds: number): Promise<void> {
        clock.advance(seconds * 1000)
        await its.work()
      },
    }
  }

  /** An agent's approved run, whose start meets the fault; NinjaOne may not show what was started. */
  async function approvedRun(fault: Fault, is_shown = true) {
    const its = await office()
    const { execution_id } = await its.ask()
    await its.approved(execution_id)
    its.failing(fault)
    if (!is_shown) its.runs.hide()
    await its.work()
    return { ...its, execution_id }
  }

  it('whose answer is lost after it was made is found, followed, and not repeated', async () => {
    const { run, failing, work, read, later, runs } = await office()
    const run_id = await run()
    failing('LOST')
    await work()
    expect(await read(run_id)).toMatchObject({ status: 'RUNNING' })
    await later(6)
    for (const { uid } of runs.starts) runs.end(uid, { message: WRITTEN })
    await later(15)
    expect(await read(run_id)).toMatchObject({ status: 'SUCCEEDED', stdout: WRITTEN })
    expect(runs.starts).toHaveLength(1)
  })

  it('whose answer is lost is found although NinjaOne shows the run late', async () => {
    const { run, failing, work, read, later, runs } = await office()
    const run_id = await run()
    failing('LOST')
    runs.hide()
    await work()
    await later(30)
    expect(await read(run_id)).toMatchObject({ status: 'RUNNING' })
    runs.show()
    await later(6)
    for (const { uid } of runs.starts) runs.end(uid, { message: WRITTEN })
    await later(15)
    expect(await read(run_id)).toMatchObject({ status: 'SUCCEEDED', stdout: WRITTEN })
    expect(runs.starts).toHaveLength(1)
  })

  it('that was never made FAILED after a minute, and is not repeated', async () => {
    const { run, failing, work, read, later, runs } = await office()
    const run_id = await run()
    failing('ERROR')
    await work()
    await later(50)
    expect(await read(run_id)).toMatchObject({ status: 'RUNNING' })
    await later(15)
    expect(await read(run_id)).toMatchObject({ ...UNKNOWN, stdout: null, finished_at: expect.any(String) })
    await later(600)
    expect(runs.starts).toEqual([])
  })

  it('that was never sent, since NinjaOne went away before, FAILED at the end of its time, and is not made later', async () => {
    const { run, double, work, read, later, runs } = await office()
    const run_id = await run()
    double.chance.fault = () => (double.requests.at(-1)?.includes('/activities') ? 'ERROR' : undefined)
    await work()
    await later(60)
    expect(await read(run_id)).toMatchObject({ status: 'RUNNING' })
    await later(60)
    double.chance.fault = null
    await later(60)
    expect(await read(run_id)).toMatchObject({ status: 'FAILED', error_code: 'upstream_unavailable' })
    expect(runs.starts).toEqual([])
  })

  it('for which NinjaOne refuses the refresh token is tried to the end of its time, and nobody is asked', async () => {
    const its = await office()
    const { execution_id } = await its.ask()
    await its.approved(execution_id)
    its.double.revokeUser()
    await its.work()
    await its.later(65)
    expect(await its.scriptRun(execution_id)).toMatchObject({ status: 'RUNNING' })
    await its.later(60)
    const code = 'upstream_unavailable'
    expect(await its.scriptRun(execution_id)).toMatchObject({ status: 'FAILED', error_code: code })
    expect(await its.lastCall(execution_id)).toMatchObject({ error_code: 'integration_unavailable' })
    expect(await its.requests(execution_id)).toMatchObject([{ kind: 'WRITE' }])
    expect(its.runs.starts).toEqual([])
  })

  it('that NinjaOne is too busy to take is made once NinjaOne takes it', async () => {
    const { run, failing, work, read, later, runs } = await office()
    const run_id = await run()
    failing('TOO_MANY')
    await work()
    expect([(await read(run_id)).status, runs.starts.length]).toEqual(['RUNNING', 0])
    await later(6)
    for (const { uid } of runs.starts) runs.end(uid, { message: WRITTEN })
    await later(15)
    expect(await read(run_id)).toMatchObject({ status: 'SUCCEEDED', stdout: WRITTEN })
    expect(runs.starts).toHaveLength(1)
  })

  it('of an agent that is found needs no technician', async () => {
    const its = await approvedRun('LOST')
    await its.later(6)
    for (const { uid } of its.runs.starts) its.runs.end(uid, { message: WRITTEN })
    await its.later(15)
    expect(await its.requests(its.execution_id)).toMatchObject([{ kind: 'WRITE' }])
    expect(await its.lastCall(its.execution_id)).toMatchObject({ outcome: 'SUCCEEDED' })
    expect(await its.execution(its.execution_id)).toMatchObject({ status: 'COMPLETED' })
    expect(its.runs.starts).toHaveLength(1)
  })

  it('of an agent of which nobody knows is repeated once a technician says that it was not made', async () => {
    const its = await approvedRun('ERROR')
    const { msp, execution_id, runs } = its
    await its.later(65)
    expect(await its.scriptRun(execution_id)).toMatchObject(UNKNOWN)
    expect(await its.execution(execution_id)).toMatchObject({ status: 'WAITING_FOR_INPUT' })
    const question = await its.open(execution_id)
    expect(question).toMatchObject({ kind: 'QUESTION', tool_name: 'device.run_script' })
    const options: { id: string; label: string }[] = question.options
    const option_id = options.find(({ label }) => label === 'It is not there: do it again.')?.id
    await its.done(msp.admin, 'answer_til_request', { til_request_id: question.id, input: { option_id } })
    await its.work()
    expect(await its.scriptRun(execution_id)).toMatchObject({ status: 'RUNNING', error_code: null })
    expect(runs.starts).toHaveLength(1)
    for (const { uid } of runs.starts) runs.end(uid, { message: WRITTEN })
    await its.later(15)
    expect(await its.scriptRun(execution_id)).toMatchObject({ status: 'SUCCEEDED', stdout: WRITTEN })
    expect(await its.lastCall(execution_id)).toMatchObject({ outcome: 'SUCCEEDED' })
    expect(await its.execution(execution_id)).toMatchObject({ status: 'COMPLETED' })
    expect(runs.starts).toHaveLength(1)
  })

  it('of an agent of which nobody knows is not repeated once a technician says that it was made', async () => {
    const its = await approvedRun('LOST', false)
    const { msp, execution_id, runs } = its
    await its.later(65)
    const { id: til_request_id } = await its.open(execution_id)
    await its.done(msp.admin, 'answer_til_request', { til_request_id, input: { option_id: 'made' } })
    await its.later(60)
    expect(await its.lastCall(execution_id)).toMatchObject({ outcome: 'SUCCEEDED' })
    expect(await its.execution(execution_id)).toMatchObject({ status: 'COMPLETED' })
    expect(await its.scriptRun(execution_id)).toMatchObject(UNKNOWN)
    expect(runs.starts).toHaveLength(1)
  })

  it('of a second run of the script on the device waits until NinjaOne shows the first run', async () => {
    const { run, work, read, later, runs } = await office()
    const ids = [await run(), await run()]
    const statuses = async () => (await Promise.all(ids.map(read))).map(({ status }) => status).sort()
    runs.hide()
    await work()
    for (const seconds of [3, 10]) {
      await later(seconds)
      expect([await statuses(), runs.starts.length]).toEqual([['QUEUED', 'RUNNING'], 1])
    }
    runs.show()
    await later(15)
    await later(15)
    expect([await statuses(), runs.starts.length]).toEqual([['RUNNING', 'RUNNING'], 2])
    for (const [index, { uid }] of runs.starts.entries()) runs.end(uid, { message: `Run ${index}` })
    await later(15)
    const ended = await Promise.all(ids.map(read))
    expect(ended.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED'])
    expect(ended.map(({ stdout }) => stdout).sort()).toEqual(['Run 0', 'Run 1'])
    expect(runs.starts).toHaveLength(2)
  })
})
