/** The rules of webhooks: attempts, pauses, the health of endpoints, addresses, secrets and signatures. */
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import {
  type Health,
  healthAfter,
  type Outcome,
  PAUSES,
  placesOf,
  settled,
} from '../../src/areas/webhooks/rules.ts'
import { newSecret, placeOf, signatureHeaders, signingSecrets } from '../../src/areas/webhooks/secrets.ts'
import { urlProblems } from '../../src/areas/webhooks/url.ts'
import { createSecretBox } from '../../src/lib/secret-box.ts'

const AT = new Date('2026-11-27T12:00:00.000Z')
const SECOND = 1000
const DAY = 86_400 * SECOND

const outcomes = fc.record({
  status_code: fc.option(fc.integer({ min: 100, max: 599 })),
  is_refused: fc.boolean(),
  retry_after_seconds: fc.option(fc.integer({ min: 0, max: 10 ** 9 }), { nil: undefined }),
})

const attempts = fc.record({
  tries: fc.integer({ min: 1, max: 12 }),
  is_test: fc.boolean(),
  chance: fc.double({ min: 0, max: 1, noNaN: true }),
})

describe('a delivery', () => {
  it.each<[name: string, outcome: Outcome, tries: number, status: string, pause: number | null]>([
    ['a status of success', { status_code: 200 }, 1, 'SUCCEEDED', null],
    ['204 on the tenth attempt', { status_code: 204 }, 10, 'SUCCEEDED', null],
    ['a redirect', { status_code: 302 }, 1, 'PENDING', 5],
    ['400', { status_code: 400 }, 2, 'PENDING', 300],
    ['no answer', { status_code: null }, 3, 'PENDING', 1800],
    ['500 on the ninth attempt', { status_code: 500 }, 9, 'PENDING', 86_400],
    ['500 on the tenth attempt', { status_code: 500 }, 10, 'EXHAUSTED', null],
    ['410', { status_code: 410 }, 1, 'FAILED', null],
    ['an address that is not allowed', { status_code: null, is_refused: true }, 1, 'FAILED', null],
    ['a longer Retry-After', { status_code: 503, retry_after_seconds: 60 }, 1, 'PENDING', 60],
    ['a shorter Retry-After', { status_code: 503, retry_after_seconds: 60 }, 2, 'PENDING', 300],
    [
      'a Retry-After without an end',
      { status_code: 503, retry_after_seconds: 10 ** 6 },
      1,
      'PENDING',
      86_400,
    ],
  ])('after %s', (_name, outcome, tries, status, pause) => {
    const next_attempt_at = pause === null ? null : new Date(AT.getTime() + pause * SECOND)
    expect(settled(outcome, { at: AT, tries, is_test: false, chance: 0.5 })).toEqual({
      status,
      next_attempt_at,
    })
  })

  it('waits for as long as its attempt says, a fifth more or less, or as Retry-After says, and ends with its tenth', () => {
    fc.assert(
      fc.property(outcomes, attempts, (outcome, { tries, ...options }) => {
        const { status, next_attempt_at } = settled(outcome, { at: AT, tries, ...options })
        expect(next_attempt_at === null).toBe(status !== 'PENDING')
        if (next_attempt_at === null) return
        expect(tries).toBeLessThan(10)
        expect(options.is_test).toBe(false)
        const pause = (next_attempt_at.getTime() - AT.getTime()) / SECOND
        const declared = PAUSES[tries - 1] ?? 0
        const asked = Math.min(outcome.retry_after_seconds ?? 0, 86_400)
        expect(pause).toBeGreaterThanOrEqual(Math.floor(Math.max(declared * 0.8, asked)))
        expect(pause).toBeLessThanOrEqual(Math.ceil(Math.max(declared * 1.2, asked)))
      }),
    )
  })
})

describe('an endpoint', () => {
  const NEW: Health = { last_success_at: null, failing_since: null, failures: 0, resumes_at: null }
  const failing = (failures: number, since = AT): Health => ({ ...NEW, failing_since: since, failures })
  const healthBy = (health: Health, ...codes: (number | null)[]) =>
    healthAfter(
      health,
      codes.map((status_code) => ({ status_code })),
      AT,
    )

  it('that takes one of several events is healthy', () => {
    expect(healthBy(failing(9), 500, 200)).toEqual({
      last_success_at: AT,
      failing_since: null,
      failures: 0,
      resumes_at: null,
      disabled_reason: null,
    })
  })

  it.each([
    [0, 1, 0],
    [3, 1, 0],
    [4, 1, 5],
    [5, 1, 10],
    [8, 1, 60],
    [1000, 1, 60],
    [0, 8, 40],
  ])('with %i failures that fails %i times more rests for %i s', (failures, more, seconds) => {
    const { resumes_at, failures: in_a_row } = healthBy(failing(failures), ...Array(more).fill(500))
    expect(in_a_row).toBe(failures + more)
    expect(resumes_at).toEqual(seconds === 0 ? null : new Date(AT.getTime() + seconds * SECOND))
  })

  it('that says it is busy rests for as long as it says, and for a minute at most', () => {
    const rest = (status_code: number, retry_after_seconds: number) =>
      healthAfter(NEW, [{ status_code, retry_after_seconds }], AT).resumes_at?.getTime() ?? AT.getTime()
    expect(
      [rest(429, 20), rest(503, 10 ** 6), rest(500, 20)].map((at) => (at - AT.getTime()) / SECOND),
    ).toEqual([20, 60, 0])
  })

  it('is turned off by 410, and by five days in which it takes nothing', () => {
    expect(healthBy(NEW, 410).disabled_reason).toBe('GONE')
    expect(healthBy(NEW, 200, 410).disabled_reason).toBe('GONE')
    expect(healthBy(failing(50, new Date(AT.getTime() - 5 * DAY + 1)), 500).disabled_reason).toBe(null)
    expect(healthBy(failing(50, new Date(AT.getTime() - 5 * DAY)), 500).disabled_reason).toBe('FAILING')
    expect(healthBy(failing(50, new Date(AT.getTime() - 5 * DAY)), 200).disabled_reason).toBe(null)
  })

  it('is sent one event at a time until it takes one, and after five failures in a row', () => {
    const places = (failures: number, last_success_at: Date | null) => placesOf({ failures, last_success_at })
    expect([places(0, null), places(3, null)]).toEqual([1, 1])
    expect([0, 4, 5, 100].map((failures) => places(failures, AT))).toEqual([8, 8, 1, 1])
  })
})

describe('an address', () => {
  const problems = (url: string, allow_private = false) => urlProblems(url, allow_private).length > 0

  it.each([
    'https://hooks.example.com',
    'https://hooks.example.com:8443/a/b?token=x',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]/',
    'https://bücher.example/',
  ])('%s is taken', (url) => expect(problems(url)).toBe(false))

  it.each([
    'http://hooks.example.com',
    'https://user:password@hooks.example.com',
    'https://hooks.example.com/#fragment',
    'https://hooks.example.com/#',
    'https://localhost/',
    'https://api.localhost/',
    'https://localhost./',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://10.1.2.3/',
    'https://172.20.0.1/',
    'https://192.168.0.1/',
    'https://169.254.169.254/',
    'https://100.64.0.1/',
    'https://0.0.0.0/',
    'https://[::1]/',
    'https://[::]/',
    'https://[fd00::1]/',
    'https://[fe80::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[64:ff9b::a00:1]/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    '//hooks.example.com',
    '',
  ])('%s is refused', (url) => expect(problems(url)).toBe(true))

  it('may be on the loopback interface, by http too, if private addresses are allowed', () => {
    expect(
      ['http://127.0.0.1:8080/', 'http://localhost/', 'https://10.0.0.1/'].map((url) => problems(url, true)),
    ).toEqual([false, false, false])
    expect(['http://10.0.0.1/', 'https://169.254.169.254/'].map((url) => problems(url, true))).toEqual([
      true,
      true,
    ])
  })
})

describe('a signature', () => {
  const BOX = createSecretBox([{ id: 'one', key: Buffer.alloc(32, 1) }])
  const PLACE = { tenant_id: 'ten_1', environment: 'test', id: 'whe_1' }

  it('is that of the test vector of Standard Webhooks', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    const headers = signatureHeaders(
      [secret],
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      new Date(1_614_265_330_000),
      '{"test": 2432232314}',
    )
    expect(headers).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    })
  })

  it('is verified by the package of receivers for any body, by the present secret and by the previous one', () => {
    fc.assert(
      fc.property(fc.json(), (body) => {
        const secrets = [newSecret(), newSecret()]
        const headers = signatureHeaders(secrets, 'evt_1', new Date(), body)
        for (const secret of secrets)
          expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
        expect(() => new Webhook(newSecret()).verify(body, headers)).toThrow()
        expect(() => new Webhook(secrets[0] ?? '').verify(`${body} `, headers)).toThrow()
      }),
    )
  })

  it('is of two secrets for 24 hours after a rotation', () => {
    const [secret, previous_secret] = ['whsec_new', 'whsec_old'].map((text) =>
      BOX.encrypt(text, placeOf(PLACE)),
    )
    const at = (hours: number, rotated = true, previous: string | null | undefined = previous_secret) =>
      signingSecrets(
        BOX,
        PLACE,
        { secret: secret ?? '', previous_secret: previous ?? null, secret_rotated_at: rotated ? AT : null },
        new Date(AT.getTime() + hours * 3_600_000),
      )
    expect(at(0)).toEqual(['whsec_new', 'whsec_old'])
    expect(at(23.99)).toEqual(['whsec_new', 'whsec_old'])
    expect(at(24)).toEqual(['whsec_new'])
    expect(at(0, true, null)).toEqual(['whsec_new'])
    expect(at(0, false, null)).toEqual(['whsec_new'])
  })
})
