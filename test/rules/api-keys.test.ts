import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SCOPES } from '../../src/access/policies/scopes.ts'
import {
  daysIn,
  expiry,
  inCatalogueOrder,
  MAX_USAGE_SECONDS,
  networkProblems,
  overlapEnd,
  replacementExpiry,
  scopeProblems,
  statusOf,
  statusSql,
  usageByDay,
  usageWindow,
} from '../../src/areas/api-keys/rules.ts'
import { describeScope, scopeCatalogue } from '../../src/areas/api-keys/scopes.ts'
import { windowProblem } from '../../src/lib/window.ts'
import { testDatabase } from '../setup/database.ts'

const at = (text: string) => new Date(`2026-11-21T${text}Z`)
const HOUR = 3_600_000
const instant = fc.date({ min: new Date('2026-01-01'), max: new Date('2027-12-31'), noInvalidDate: true })
const lifetime = fc.record({
  expires_at: instant,
  sunset_at: fc.option(instant),
  revoked_at: fc.option(instant),
})

describe('the state of a key', () => {
  const [noon, later] = [at('12:00:00'), at('13:00:00')]
  it.each([
    ['ACTIVE', { expires_at: later, sunset_at: null, revoked_at: null }],
    ['EXPIRED', { expires_at: noon, sunset_at: null, revoked_at: null }],
    ['SUNSETTING', { expires_at: later, sunset_at: later, revoked_at: null }],
    ['EXPIRED', { expires_at: later, sunset_at: noon, revoked_at: null }],
    ['EXPIRED', { expires_at: noon, sunset_at: later, revoked_at: null }],
    ['REVOKED', { expires_at: later, sunset_at: null, revoked_at: noon }],
    ['REVOKED', { expires_at: later, sunset_at: later, revoked_at: noon }],
    ['REVOKED', { expires_at: noon, sunset_at: noon, revoked_at: at('11:00:00') }],
  ] as const)('is %s for %j at noon', (status, key) => {
    expect(statusOf(key, noon)).toBe(status)
  })

  it('is the same in SQL', async () => {
    const { sql } = await testDatabase()
    const text = `select ${statusSql('$4')} as status
      from (select $1::timestamptz as expires_at, $2::timestamptz as sunset_at, $3::timestamptz as revoked_at) k`
    await fc.assert(
      fc.asyncProperty(lifetime, fc.option(instant, { nil: 'its end' as const }), async (key, when) => {
        const now = when === 'its end' ? (key.sunset_at ?? key.expires_at) : when
        const values = [key.expires_at, key.sunset_at, key.revoked_at, now]
        const [row] = await sql.rows<{ status: string }>({ name: 'test.status', text }, values)
        expect(row?.status).toBe(statusOf(key, now))
      }),
    )
  })
})

describe('a rotation', () => {
  it('lets the old key work for 24 hours, or until it expires', () => {
    const now = at('12:00:00')
    expect(overlapEnd(now, new Date(now.getTime() + 100 * HOUR))).toEqual(new Date('2026-11-22T12:00:00Z'))
    expect(overlapEnd(now, new Date(now.getTime() + 24 * HOUR))).toEqual(new Date('2026-11-22T12:00:00Z'))
    expect(overlapEnd(now, new Date(now.getTime() + HOUR))).toEqual(at('13:00:00'))
  })

  it('leaves the old key SUNSETTING until exactly the end of the overlap', () => {
    fc.assert(
      fc.property(instant, fc.integer({ min: 1, max: 365 * 24 * HOUR }), (now, rest) => {
        const expires_at = new Date(now.getTime() + rest)
        const end = overlapEnd(now, expires_at)
        const key = { expires_at, sunset_at: end, revoked_at: null }
        expect(statusOf(key, new Date(end.getTime() - 1))).toBe('SUNSETTING')
        expect(statusOf(key, end)).toBe('EXPIRED')
      }),
    )
  })

  it('gives the replacement the same length of life', () => {
    fc.assert(
      fc.property(instant, instant, fc.integer({ min: 1, max: 365 }), (created_at, now, days) => {
        const replaced = { created_at, expires_at: expiry(created_at, days) }
        expect(replacementExpiry(now, replaced)).toEqual(expiry(now, days))
      }),
    )
  })
})

describe('scopes', () => {
  const all = new Set<string>(SCOPES)

  it('are refused one by one if there is no such scope', () => {
    expect(scopeProblems(['agents:read', 'agents:fly', '', 'AGENTS:READ'], all)).toMatchObject([
      { field: 'scopes.1', location: 'body', code: 'enum' },
      { field: 'scopes.2', code: 'enum' },
      { field: 'scopes.3', code: 'enum' },
    ])
  })

  it('are refused one by one if the caller may not give them', () => {
    expect(scopeProblems(['agents:read', 'agents:write'], new Set(['agents:read']))).toMatchObject([
      { field: 'scopes.1', code: 'not_allowed' },
    ])
  })

  it('count once, whatever their order', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...SCOPES)), (scopes) => {
        expect(inCatalogueOrder([...scopes, ...scopes].reverse())).toEqual(inCatalogueOrder(scopes))
        expect(new Set(inCatalogueOrder(scopes))).toEqual(new Set(scopes))
      }),
    )
  })

  it('are each explained in a sentence', () => {
    for (const scope of SCOPES) expect(describeScope(scope)).toMatch(/^(See|Change|Run|Decide) [\w ,]+\.$/)
    expect(scopeCatalogue([]).map(({ name }) => name)).toEqual(SCOPES)
  })
})

it.each([
  ['203.0.113.0/24', true],
  ['2001:db8::/32', true],
  ['10.0.0.1/32', true],
  ['0.0.0.0/0', true],
  ['203.0.113.0', false],
  ['203.0.113.0/33', false],
  ['2001:db8::/129', false],
  ['example.com/24', false],
  ['', false],
])('the network %j is taken: %s', (network, taken) => {
  expect(networkProblems(['10.0.0.0/8', network]).map(({ field }) => field)).toEqual(
    taken ? [] : ['allowed_cidrs.1'],
  )
})

describe('the window of usage', () => {
  const now = at('12:00:00')

  it('is the last 30 days if nothing is said', () => {
    expect(usageWindow(null, null, now)).toEqual({ from: new Date('2026-10-22T12:00:00Z'), to: now })
    expect(usageWindow(null, new Date('2026-03-31'), now).from).toEqual(new Date('2026-03-01'))
    expect(usageWindow(new Date('2026-11-01'), null, now)).toEqual({ from: new Date('2026-11-01'), to: now })
  })

  it('ends after it starts, and is at most 90 days long', () => {
    const window = (ms: number) => ({ from: now, to: new Date(now.getTime() + ms) })
    expect(windowProblem(window(-1), MAX_USAGE_SECONDS)).toBe('invalid_window')
    expect(windowProblem(window(0), MAX_USAGE_SECONDS)).toBe('invalid_window')
    expect(windowProblem(window(1), MAX_USAGE_SECONDS)).toBeNull()
    expect(windowProblem(window(MAX_USAGE_SECONDS * 1000), MAX_USAGE_SECONDS)).toBeNull()
    expect(windowProblem(window(MAX_USAGE_SECONDS * 1000 + 1), MAX_USAGE_SECONDS)).toBe('window_too_large')
    expect(MAX_USAGE_SECONDS).toBe(90 * 24 * 60 * 60)
  })

  it('takes in every UTC day that it touches', () => {
    expect(daysIn({ from: at('23:59:59'), to: new Date('2026-11-23T00:00:00Z') })).toEqual([
      '2026-11-21',
      '2026-11-22',
    ])
    expect(daysIn({ from: at('01:00:00'), to: at('02:00:00') })).toEqual(['2026-11-21'])
    expect(daysIn({ from: at('00:00:00'), to: new Date('2026-11-22T00:00:00.001Z') })).toHaveLength(2)
  })

  it('has a line for every day, with zeros for days without requests', () => {
    const counts = [
      { date: '2026-11-20', operation: 'agents', requests: 3, errors: 1 },
      { date: '2026-11-20', operation: 'settings', requests: 2, errors: 0 },
    ]
    expect(usageByDay(['2026-11-19', '2026-11-20'], counts)).toEqual([
      { day: '2026-11-19', requests: 0, errors: 0, by_operation: {} },
      { day: '2026-11-20', requests: 5, errors: 1, by_operation: { agents: 3, settings: 2 } },
    ])
  })
})
