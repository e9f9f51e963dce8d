/** Scripts of NinjaOne, and the one text that has the values of their parameters. */
import { describe, expect, it } from 'vitest'
import type { RmmScript } from '../../../src/connectors/rmm.ts'
import { device, ORGANISATIONS, setUp, WITH_USER } from './fixture.ts'

const SCRIPT = {
  id: 7,
  name: 'Clean up',
  active: true,
  language: 'powershell',
  operatingSystems: ['WINDOWS'],
}

async function scripted(script: object, options: Parameters<typeof setUp>[0] = {}) {
  const set_up = await setUp(options, WITH_USER)
  const { double, rmm } = set_up
  double.rows.devices.push(device(1, ORGANISATIONS.a))
  double.rows.scripts.push({ ...SCRIPT, ...script })
  /** The body of the request that starts the script. */
  const start = async (parameters: Record<string, string | number | boolean>, run_as_user = false) => {
    const secret_parameters: string[] = []
    await rmm.startScript({ device_id: '1', script_id: '7', parameters, secret_parameters, run_as_user }, 'k')
    return double.runs.starts.at(-1)?.body
  }
  const read = async () => (await rmm.script('7')) as RmmScript
  return { ...set_up, start, read }
}

describe('a script of NinjaOne', () => {
  it.each([
    ['powershell', ['WINDOWS'], 'POWERSHELL', ['WINDOWS']],
    ['BATCHFILE', ['Windows', 'MAC'], 'CMD', ['WINDOWS', 'MACOS']],
    ['shellscript', ['LINUX', 'MACOS'], 'BASH', ['MACOS', 'LINUX']],
    ['Python', [], 'PYTHON', []],
    ['vbs', null, 'OTHER', []],
    [null, ['BEOS'], 'OTHER', []],
  ])('in %s for %j runs in a shell on platforms', async (language, operatingSystems, shell, platforms) => {
    const { read } = await scripted({ language, operatingSystems })
    expect(await read()).toMatchObject({ shell, platforms, category: null, body: null, run_as_user: false })
  })

  it('has its variables as parameters', async () => {
    const { read } = await scripted({
      scriptVariables: [
        { name: 'Save Log', type: 'CHECKBOX', defaultValue: 'true', required: true },
        { name: 'count', type: 'INTEGER', defaultValue: '5' },
        { name: 'many', type: 'INTEGER', defaultValue: 'five' },
        {
          name: 'mode',
          type: 'DROPDOWN',
          defaultValue: 'fast',
          valueList: ['fast', 'slow', 'x'.repeat(256)],
        },
        { name: 'level', type: 'DROPDOWN', defaultValue: 'none', valueList: ['a'] },
        { name: 'empty', type: 'DROPDOWN', valueList: [] },
        { name: 'at', type: 'DATETIME' },
        { name: 'at', type: 'TEXT', defaultValue: 'again' },
        { name: '', type: 'TEXT' },
      ],
    })
    const common = { required: false, default: null, choices: null, secret: false }
    expect((await read()).parameters).toEqual([
      { ...common, name: 'Save Log', type: 'BOOLEAN', required: true, default: true },
      { ...common, name: 'count', type: 'INTEGER', default: 5 },
      { ...common, name: 'many', type: 'INTEGER' },
      { ...common, name: 'mode', type: 'CHOICE', default: 'fast', choices: ['fast', 'slow'] },
      { ...common, name: 'level', type: 'CHOICE', choices: ['a'] },
      { ...common, name: 'empty', type: 'STRING' },
      { ...common, name: 'at', type: 'STRING' },
    ])
  })

  it('without variables has a choice of its preset texts, of which one is passed on as it is', async () => {
    const { read, start } = await scripted({ scriptParameters: ['-Mode "Full"', '', '-Mode Fast'] })
    const choices = ['-Mode "Full"', '-Mode Fast']
    expect((await read()).parameters).toEqual([
      { name: 'parameters', type: 'CHOICE', required: false, default: null, choices, secret: false },
    ])
    expect(await start({ parameters: '-Mode "Full"' })).toMatchObject({ parameters: '-Mode "Full"' })
    expect(await start({})).toMatchObject({ parameters: '' })
    await expect(start({ parameters: '-Mode Full; x' })).rejects.toMatchObject({ reason: 'NOT_SUPPORTED' })
  })

  it('is left out if it is not active', async () => {
    const { double, rmm, read, start } = await scripted({})
    double.rows.scripts.push({ ...SCRIPT, id: 8, active: false }, { ...SCRIPT, id: 9, active: undefined })
    expect((await rmm.scriptPage(null)).rows.map(({ script_id }) => script_id)).toEqual(['7', '9'])
    expect(await rmm.script('8')).toBeNull()
    Object.assign(double.rows.scripts[0] ?? {}, { active: false })
    expect(await read()).toBeNull()
    await expect(start({})).rejects.toMatchObject({ reason: 'SCRIPT_NOT_FOUND' })
  })

  it.each([
    { name: 'Clean' },
    { description: 'Other' },
    { language: 'batchfile' },
    { updatedOn: 1_790_000_000.75 },
    { scriptParameters: ['-x'] },
    { scriptVariables: [{ name: 'a', type: 'TEXT' }] },
  ])('has another hash after a change of %j', async (change) => {
    const { double, read } = await scripted({})
    const { body_sha256 } = await read()
    Object.assign(double.rows.scripts[0] ?? {}, { lastUpdatedBy: 'somebody' })
    expect((await read()).body_sha256).toBe(body_sha256)
    Object.assign(double.rows.scripts[0] ?? {}, change)
    expect((await read()).body_sha256).not.toBe(body_sha256)
  })
})

describe('the start of a script', () => {
  it('says in whose name it runs', async () => {
    const { start } = await scripted({})
    expect(await start({})).toEqual({ type: 'SCRIPT', id: 7, parameters: '', runAs: 'system' })
    expect(await start({}, true)).toMatchObject({ runAs: 'loggedonuser' })
  })

  it.each([
    ['powershell', { path: 'C:\\Temp' }, '-path C:\\Temp'],
    ['powershell', { 'Save Log To': 'a b', count: 5, all: true }, "-saveLogTo 'a b' -count 5 -all true"],
    ['powershell', { a: "it's ‘x’; $(y)" }, "-a 'it''s ‘‘x’’; $(y)'"],
    ['powershell', { a: '-Force', b: '' }, "-a '-Force' -b ''"],
    ['batchfile', { a: 'C:\\My Files & more' }, 'a="C:\\My Files & more"'],
    ['powershell', { a: '@x' }, "-a '@x'"],
    ['shellscript', { a: 'C:\\x' }, "a='C:\\x'"],
    ['shellscript', { a: "it's; $(y)", b: 'x' }, "a='it'\\''s; $(y)' b=x"],
  ])('in %s has %j as one text', async (language, parameters, expected) => {
    const { start } = await scripted({ language })
    expect(await start(parameters as unknown as Record<string, string>)).toMatchObject({
      parameters: expected,
    })
  })

  it.each([
    ['powershell', 'a"b'],
    ['powershell', 'a\nb'],
    ['batchfile', '%PATH%'],
    ['batchfile', 'a"b'],
    ['shellscript', 'a\rb'],
  ])('in %s is refused with a value that no quotes hold, and nothing is sent', async (language, value) => {
    const { start, double } = await scripted({ language })
    await expect(start({ a: value })).rejects.toMatchObject({ reason: 'NOT_SUPPORTED' })
    expect(double.requests.filter((request) => request.startsWith('POST /v2'))).toEqual([])
  })
})
