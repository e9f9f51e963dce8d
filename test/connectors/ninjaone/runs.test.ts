/** Runs of scripts of NinjaOne, which answers a start without an id. */
import { describe, expect, it } from 'vitest'
import { PortUnavailable } from '../../../src/connectors/port.ts'
import { device, ORGANISATIONS, setUp, WITH_USER } from './fixture.ts'

const SCRIPT = { id: 7, name: 'Clean up', language: 'powershell' }
const OTHER = { id: 8, name: 'Wipe', language: 'powershell' }
const ORDER = {
  device_id: '1',
  script_id: '7',
  parameters: {},
  secret_parameters: [],
  run_as_user: false,
}

async function scripted(more: object = WITH_USER) {
  const set_up = await setUp({}, more)
  const { double, rmm } = set_up
  double.rows.devices.push(device(1, ORGANISATIONS.a), device(2, ORGANISATIONS.a))
  double.rows.scripts.push(SCRIPT, OTHER)
  const marked = async () => {
    const mark = await rmm.markBeforeStart('1', '7')
    return () => rmm.startedRun({ device_id: '1', script_id: '7', mark, idempotency_key: 'k' })
  }
  const starts = () => double.requests.filter((request) => request.startsWith('POST /v2/device/1/script/run'))
  return { ...set_up, marked, starts }
}

describe('a started script of NinjaOne', () => {
  it.each(['SCRIPTING', 'ACTION'])('is found by its activities of the type %s', async (activityType) => {
    const { double, rmm, marked } = await scripted()
    double.runs.shown.activityType = activityType
    const found = await marked()
    expect(await found()).toBe('NONE')
    await rmm.startScript(ORDER, 'k')
    expect(await found()).toEqual({ run_id: double.runs.starts[0]?.uid, end: null })
  })

  it('is found by the name alone, and by the source if that is the script', async () => {
    for (const shown of [{ sourceName: 'clean up' }, { sourceName: null, sourceConfigUid: '7' }]) {
      const { double, rmm, marked } = await scripted()
      Object.assign(double.runs.shown, shown)
      const found = await marked()
      await rmm.startScript(ORDER, 'k')
      expect(await found()).toMatchObject({ run_id: double.runs.starts[0]?.uid })
    }
  })

  it('is told apart from other scripts, other devices, and runs of before', async () => {
    const { double, rmm, marked } = await scripted()
    const { runs } = double
    const earlier = runs.begin(1, SCRIPT)
    const found = await marked()
    runs.begin(1, OTHER)
    runs.begin(2, SCRIPT)
    runs.append({ deviceId: 1, activityType: 'SYSTEM', statusCode: 'USER_LOGGED_IN' })
    runs.end(earlier)
    expect(await found()).toBe('NONE')
    await rmm.startScript(ORDER, 'k')
    expect(await found()).toMatchObject({ run_id: runs.starts[0]?.uid })
  })

  it('is not told apart from another run of the script, or from runs without a source', async () => {
    const { double, rmm, marked } = await scripted()
    const found = await marked()
    double.runs.shown.sourceName = null
    double.runs.begin(1, SCRIPT)
    expect(await found()).toBe('AMBIGUOUS')
    delete double.runs.shown.sourceName
    await rmm.startScript(ORDER, 'k')
    expect(await found()).toMatchObject({ run_id: double.runs.starts[0]?.uid })
    double.runs.begin(1, SCRIPT)
    expect(await found()).toBe('AMBIGUOUS')
  })

  it('is found on a device with many activities, and never said to be none if they are not all read', async () => {
    const { double, rmm, marked } = await scripted()
    const found = await marked()
    await rmm.startScript(ORDER, 'k')
    const busy = () => double.runs.append({ deviceId: 1, activityType: 'SYSTEM' })
    for (let count = 0; count < 500; count++) busy()
    expect(await found()).toMatchObject({ run_id: double.runs.starts[0]?.uid })
    for (let count = 0; count < 600; count++) busy()
    expect(await found()).toBe('AMBIGUOUS')
  })

  it.each([
    [
      { activityResult: 'SUCCESS', message: 'Done' },
      { succeeded: true, exit_code: null, stdout: 'Done' },
    ],
    [
      { activityResult: 'FAILURE', data: { exitCode: 3 } },
      { succeeded: false, exit_code: 3, stdout: null },
    ],
    [{ activityResult: 'UNSUPPORTED' }, { succeeded: false, exit_code: null, stdout: null }],
    [{ statusCode: 'CANCELLED' }, { succeeded: false }],
    [
      { message: 'Done', data: { message: { params: { output: 'ok', exitCode: '3221225477' } } } },
      { succeeded: true, exit_code: -1_073_741_819, stdout: 'Done\nok' },
    ],
    [{ data: { exitCode: 1.5, output: 7 } }, { exit_code: null, stdout: null }],
    [{ data: 'a text' }, { exit_code: null, stdout: null }],
  ])('that ends with %j has a result', async (ending, end) => {
    const { double, rmm } = await scripted()
    await rmm.startScript(ORDER, 'k')
    const { uid = '' } = double.runs.starts[0] ?? {}
    double.runs.end(uid, ending)
    expect(await rmm.scriptRun('1', uid)).toMatchObject({ run_id: uid, end: { ...end, stderr: null } })
    for (const [of_device, run] of [
      ['2', uid],
      ['1', 'x'],
      ['x', uid],
    ] as const)
      expect(await rmm.scriptRun(of_device, run)).toBeNull()
  })
})

describe('the start of a script of NinjaOne', () => {
  it('is sent once, and found afterwards, if its answer does not come', async () => {
    const { double, rmm, marked, starts } = await scripted()
    const found = await marked()
    await rmm.startScript({ ...ORDER, device_id: '2' }, 'k1')
    double.faults.push(null, 'LOST')
    await expect(rmm.startScript(ORDER, 'k')).rejects.toBeInstanceOf(PortUnavailable)
    expect([starts().length, double.runs.starts.length]).toEqual([1, 2])
    expect(await found()).toMatchObject({ run_id: double.runs.starts[1]?.uid })
    expect(await rmm.outcomeOf('k')).toBe('UNKNOWN')
  })

  it.each(['ERROR', 'TOO_MANY', 'NO_ANSWER'] as const)('is sent once after %s', async (fault) => {
    const { double, rmm, marked, starts } = await scripted()
    const found = await marked()
    await rmm.startScript({ ...ORDER, device_id: '2' }, 'k1')
    double.faults.push(null, fault)
    await expect(rmm.startScript(ORDER, 'k')).rejects.toMatchObject({
      kind: fault === 'TOO_MANY' ? 'LIMIT' : 'OUTAGE',
    })
    expect([starts().length, await found()]).toEqual([1, 'NONE'])
  })

  it('is refused by the vendor in nobody’s name', async () => {
    const { double, rmm } = await scripted()
    double.answerAs('CLIENT')
    await expect(rmm.startScript(ORDER, 'k')).rejects.toMatchObject({ reason: 'NOT_SUPPORTED' })
    expect(double.runs.starts).toEqual([])
  })

  it('is refused without a refresh token, and nothing is asked', async () => {
    const { double, rmm } = await scripted({})
    await expect(rmm.startScript(ORDER, 'k')).rejects.toMatchObject({ reason: 'NOT_SUPPORTED' })
    expect([double.requests, await rmm.outcomeOf('k')]).toEqual([[], 'NOT_MADE'])
  })

  it('has one token of the user, which is renewed after a 401', async () => {
    const { double, rmm } = await scripted()
    for (const refreshed of [1, 2]) {
      await rmm.startScript(ORDER, 'k')
      await rmm.startScript(ORDER, 'k')
      expect(double.refreshed()).toBe(refreshed)
      double.expireTokens()
    }
    expect(double.runs.starts).toHaveLength(4)
  })

  it('is unavailable by the credentials if the refresh token is refused', async () => {
    const { double, rmm } = await scripted()
    double.revokeUser()
    const error = await rmm.startScript(ORDER, 'k').catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ kind: 'CREDENTIALS' })
    expect(JSON.stringify([String(error), (error as Error).stack])).not.toMatch(/refresh-|secret-1/)
    expect((await rmm.scriptPage(null)).rows).toHaveLength(2)
  })
})
