/** The rules of runs of scripts: their parameters, when they start, and what is kept of their output. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  checkParameters,
  type ScriptParameters,
  secretsToGive,
  withoutValues,
} from '../../src/areas/rmm-scripts/runs/rules/parameters.ts'
import {
  cutOutput,
  needsApproval,
  nextStep,
  recovered,
  runsOn,
  scriptProblem,
  startProblem,
  wholeOutput,
} from '../../src/areas/rmm-scripts/runs/rules/steps.ts'

const parameter = (name: string, changes: object = {}) => ({
  name,
  type: 'STRING' as const,
  required: false,
  default: null,
  choices: null,
  secret: false,
  ...changes,
})

const SCRIPT: ScriptParameters = {
  parameters: [
    parameter('text'),
    parameter('count', { type: 'INTEGER', default: 7 }),
    parameter('deep', { type: 'BOOLEAN' }),
    parameter('scope', { type: 'CHOICE', required: true, choices: ['USER', 'ALL'] }),
    parameter('password', { required: true, secret: true }),
    parameter('pin'),
  ],
  secret_parameters: ['pin'],
}

const given = { scope: 'ALL', password: 'p' }

const codesOf = (values: object, by: Parameters<typeof checkParameters>[2], kept: string[] = []) =>
  checkParameters(SCRIPT, values as never, by, kept).problems.map(({ name, code }) => [name, code])

describe('the values of parameters', () => {
  it.each([
    [{}, []],
    [{ text: 5 }, [['text', 'type']]],
    [{ text: 'x'.repeat(4001) }, [['text', 'type']]],
    [{ text: 'a\u0000b' }, [['text', 'type']]],
    [{ count: 1.5 }, [['count', 'type']]],
    [{ count: 2 ** 53 }, [['count', 'type']]],
    [{ deep: 'true' }, [['deep', 'type']]],
    [{ scope: 'SOME' }, [['scope', 'choice']]],
    [{ scope: undefined }, [['scope', 'required']]],
    [{ password: undefined }, [['password', 'secret_required']]],
    [{ password: '[secret]' }, [['password', 'secret_required']]],
    [{ toString: 'x' }, [['toString', 'unknown']]],
    [JSON.parse('{"__proto__": "x"}'), [['__proto__', 'unknown']]],
  ])('%j of a caller are judged', (values, problems) => {
    const own = Object.fromEntries([...Object.entries(given), ...Object.entries(values)])
    expect(codesOf(own, 'CALLER')).toEqual(problems)
  })

  it('that an agent gives for secrets are refused, and those that it leaves out are the approver’s', () => {
    expect(codesOf({ scope: 'ALL' }, 'AGENT')).toEqual([])
    expect(codesOf({ scope: 'ALL', password: 'p', pin: '1' }, 'AGENT')).toEqual([
      ['password', 'secret_required'],
      ['pin', 'secret_required'],
    ])
  })

  it('that were given before are kept where the approver shows them as secret', () => {
    expect(codesOf({ scope: 'ALL', password: '[secret]' }, 'APPROVER', ['password'])).toEqual([])
    expect(codesOf({ scope: 'ALL' }, 'APPROVER', ['password'])).toEqual([])
    expect(codesOf({ scope: 'ALL' }, 'APPROVER')).toEqual([['password', 'secret_required']])
  })

  it('are shown with defaults and without secrets', () => {
    const { shown, secrets } = checkParameters(SCRIPT, { ...given, pin: '12' }, 'CALLER')
    expect(shown).toEqual({ count: 7, scope: 'ALL', password: '[secret]', pin: '[secret]' })
    expect(secrets).toEqual({ password: 'p', pin: '12' })
  })

  it('that are no parameters are named up to a bound', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`p${n}`.padEnd(300, 'x'), n]))
    const { problems } = checkParameters(SCRIPT, { ...given, ...many }, 'CALLER')
    expect(problems).toHaveLength(20)
    expect(problems[0]?.name).toHaveLength(100)
  })

  it('of secrets are to be given if they are missing, or stand in clear', () => {
    expect(secretsToGive(SCRIPT, { scope: 'ALL' })).toEqual(['password'])
    expect(secretsToGive(SCRIPT, { password: '[secret]', pin: '1234' })).toEqual(['pin'])
    expect(secretsToGive(SCRIPT, { password: '[secret]', pin: '[secret]' })).toEqual([])
  })
})

describe('output', () => {
  it('has no secret value, in whatever form a shell quotes it', () => {
    const secrets = { password: `it's "so"`, pin: 'it' }
    const text = `a it's "so" b it''s "so" c it's \\"so\\" d it`
    expect(withoutValues(text, secrets)).toBe('a [secret] b [secret] c [secret] d [secret]')
  })

  it('has none of any values, and grows by no more than each character', () => {
    const values = fc.dictionary(fc.string({ maxLength: 3 }), fc.string({ minLength: 1, maxLength: 3 }), {
      maxKeys: 20,
    })
    fc.assert(
      fc.property(values, fc.string({ maxLength: 100 }), (secrets, text) => {
        const shown = withoutValues(text, secrets)
        expect(shown.length).toBeLessThanOrEqual(text.length * '[secret]'.length)
        const rest = shown.split('[secret]')
        for (const value of Object.values(secrets))
          expect(rest.some((part) => part.includes(value))).toBe(false)
      }),
    )
  })

  it('is cut at 64 KiB, and no character in two', () => {
    expect(cutOutput('x'.repeat(65_536))).toMatchObject({ truncated: false })
    const { text, truncated } = cutOutput('€'.repeat(30_000))
    expect([truncated, Buffer.byteLength(text)]).toEqual([true, 65_535])
    expect(text.endsWith('€')).toBe(true)
  })

  it('that a port may have cut loses its end, in which a part of a secret could stand', () => {
    expect(wholeOutput('x'.repeat(99_999))).toMatchObject({ truncated: false })
    expect(wholeOutput('x'.repeat(100_000))).toMatchObject({ truncated: true, text: 'x'.repeat(96_000) })
  })
})

describe('a run', () => {
  it.each([
    ['READ_ONLY', 'BY_RISK', false],
    ['READ_ONLY', 'ALWAYS', true],
    ['CHANGES_STATE', 'BY_RISK', true],
    ['DESTRUCTIVE', 'BY_RISK', true],
    ['UNKNOWN', 'BY_RISK', true],
  ])('of a script %s, approved %s, is approved: %s', (risk, approval, is_approved) => {
    expect(needsApproval({ risk, approval })).toBe(is_approved)
  })

  const script = { body_sha256: 'a', agent_enabled: true, removed_at: null }
  it.each([
    [{}, true, null],
    [{ removed_at: new Date() }, true, 'script_removed'],
    [{ body_sha256: 'b', agent_enabled: false }, true, 'script_changed_since_approval'],
    [{ agent_enabled: false }, true, 'script_not_enabled'],
    [{ agent_enabled: false }, false, null],
  ])('of a script with %j that is bound: %s has the problem %s', (changes, is_bound, problem) => {
    expect(scriptProblem({ body_sha256: 'a', is_bound }, { ...script, ...changes })).toBe(problem)
  })

  const there = { body_sha256: 'a', platforms: ['WINDOWS'] }
  const device = { platform: 'WINDOWS', online: true }
  it.each([
    [there, device, null],
    [null, device, 'script_removed'],
    [{ ...there, body_sha256: 'b' }, device, 'script_changed_since_approval'],
    [there, null, 'device_not_found'],
    [there, { platform: 'MACOS', online: true }, 'platform_mismatch'],
    [there, { platform: 'WINDOWS', online: false }, 'device_offline'],
  ])('of %j on %j is not sent for %s', (now_there, now_online, problem) => {
    expect(startProblem({ body_sha256: 'a' }, now_there, now_online)).toBe(problem)
  })

  it('of a script without platforms runs on every device', () => {
    expect(runsOn({ platforms: [] }, { platform: 'OTHER' })).toBe(true)
  })

  const at_work = { status: 'RUNNING', mark: null, sent_at: null, external_run_id: null }
  it.each([
    [{ status: 'QUEUED' }, 'CLAIM'],
    [{}, 'MARK'],
    [{ mark: '1' }, 'RECOVER'],
    [{ mark: '1', sent_at: new Date() }, 'FIND'],
    [{ mark: '1', sent_at: new Date(), external_run_id: 'r' }, 'FOLLOW'],
    [{ status: 'SUCCEEDED' }, null],
    [{ status: 'PENDING_APPROVAL' }, null],
  ])('with %j has the step %s next', (changes, step) => {
    expect(nextStep({ ...at_work, ...changes })).toBe(step)
  })

  const started = new Date(0)
  it.each([
    ['RUN', 'UNKNOWN', 0, 'ADOPT'],
    ['NONE', 'NOT_MADE', 0, 'SEND'],
    ['NONE', 'UNKNOWN', 59_000, 'WAIT'],
    ['NONE', 'UNKNOWN', 60_000, 'UNKNOWN'],
    ['AMBIGUOUS', 'UNKNOWN', 0, 'UNKNOWN'],
  ] as const)('of a lost worker that shows %s and %s after %d ms: %s', (shown, outcome, ms, next) => {
    expect(recovered(shown, outcome, started, new Date(ms))).toBe(next)
  })
})
