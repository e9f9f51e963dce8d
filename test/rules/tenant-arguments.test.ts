import { describe, expect, it } from 'vitest'
import { PRESETS, SCOPES } from '../../src/access/policies/scopes.ts'
import { readArguments, WrongArguments } from '../../src/commands/tenant/arguments.ts'

const CREATE = ['create', '--name', 'Acme', '--owner-email', 'ada@acme.example', '--data-residency', 'EU']

describe('the arguments of the tenant command', () => {
  it('are a command and its options, with what goes without saying', () => {
    expect(readArguments(CREATE)).toEqual({
      command: 'create',
      json: false,
      options: {
        name: 'Acme',
        'owner-email': 'ada@acme.example',
        'data-residency': 'EU',
        'key-name': 'First key',
        'key-scopes': SCOPES,
        'key-days': 365,
      },
    })
    expect(readArguments(['--json', 'suspend', '--tenant=acme'])).toEqual({
      command: 'suspend',
      json: true,
      options: { tenant: 'acme' },
    })
  })

  it('take a preset of scopes, or their names', () => {
    const scopes = (value: string) =>
      readArguments(['issue-key', '--tenant', 'acme', '--name', 'k', '--scopes', value])?.options
    expect(scopes('READ_ONLY')).toMatchObject({ scopes: PRESETS.READ_ONLY })
    expect(scopes('settings:read, agents:read,agents:read')).toMatchObject({
      scopes: ['agents:read', 'settings:read'],
    })
  })

  it('name a support request as people write it', () => {
    const asked = readArguments(['close-support-request', '--reference', ' sr-7k2m9qxz ', '--reopen', 'no'])
    expect(asked?.options).toEqual({ reference: 'SR-7K2M9QXZ', reopen: false })
  })

  it.each([[[]], [['--help']], [['create', '--help', '--nope']]])('%j asks for help', (args) => {
    expect(readArguments(args)).toBeNull()
  })

  const key = (...more: string[]) => ['issue-key', '--tenant', 'acme', '--name', 'k', ...more]
  it.each<[string[], string[]]>([
    [['--json'], ['The command is missing']],
    [['constructor'], ['constructor: is no command']],
    [
      ['remove', 'acme'],
      ['remove: is no command', 'acme: is no option'],
    ],
    [['list', '--tenant', 'acme'], ['--tenant: is no option']],
    [['suspend'], ['--tenant: is required']],
    [['close-support-request'], ['--reference: is required']],
    [['close-support-request', '--reference', 'SR-1'], ['--reference: must be SR- and eight']],
    [
      ['close-support-request', '--reference', 'SR-7K2M9QXZ', '--reopen', 'maybe'],
      ['--reopen: must be yes or no'],
    ],
    [['suspend', '--tenant', '--json'], ['--tenant: needs a value']],
    [['suspend', '--tenant', 'a b'], ['--tenant: must be 1 to 64 letters']],
    [[...CREATE, '--name', 'Other'], ['--name: is there twice']],
    [[...CREATE, '--owner-subject='], ['--owner-subject: must be 1 to 255 characters']],
    [
      [
        'create',
        '--owner-email',
        'ada',
        '--data-residency',
        'MARS',
        '--key-days',
        '0',
        '--nope',
        'x',
        'word',
      ],
      [
        '--name: is required',
        '--owner-email: must be an e-mail address',
        '--data-residency: must be one of US, EU, UK, CA, AU',
        '--key-days: must be whole days, 1 to 365',
        '--nope: is no option',
        'word: is no option',
      ],
    ],
    [key(), ['--scopes: is required']],
    [key('--scopes', ''), ['--scopes: must be READ_ONLY']],
    [key('--scopes', 'constructor'), ['--scopes: must be READ_ONLY']],
    [key('--scopes', 'FULL,agents:read', '--days', '1.5'), ['--scopes: must', '--days: must be whole days']],
    [
      ['add-user', '--tenant', 'acme', '--email', 'a@b.example', '--role', 'KING', '--name', 'x'.repeat(121)],
      ['--role: must be one of OWNER, ADMIN, USER, VIEWER', '--name: must be 1 to 120 characters'],
    ],
  ])('%j are refused, with every reason', (args, reasons) => {
    expect(() => readArguments(args)).toThrow(WrongArguments)
    for (const reason of reasons) expect(() => readArguments(args)).toThrow(reason)
  })
})
