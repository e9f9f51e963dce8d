import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CREDENTIAL_KINDS, limitsFor } from '../../src/access/credentials/credential-kinds.ts'
import {
  burstOf,
  capacity,
  decide,
  fullLevel,
  maxLease,
  type Rate,
  refilled,
  secondsUntilTokens,
  windowInWords,
} from '../../src/access/limits/rules.ts'

const key: Rate = { name: 'key', quota: 600, window_seconds: 60, burst: { quota: 60, window_seconds: 1 } }
const plain: Rate = { name: 'plain', quota: 120, window_seconds: 60 }

const bucket = fc.record({
  quota: fc.integer({ min: 1, max: 100_000 }),
  window_seconds: fc.integer({ min: 1, max: 3600 }),
})
const rates: fc.Arbitrary<Rate> = fc
  .record({ name: fc.constant('any'), bucket, burst: fc.option(bucket) })
  .map(({ name, bucket, burst }) => ({ name, ...bucket, ...(burst && { burst }) }))
const levelOf = (rate: Rate) =>
  fc.record({
    tokens: fc.double({ min: 0, max: rate.quota, noNaN: true }),
    burst_tokens: fc.double({ min: 0, max: burstOf(rate).quota, noNaN: true }),
  })
const buckets = rates.chain((rate) => fc.tuple(fc.constant(rate), levelOf(rate)))

describe('a bucket', () => {
  test.each([
    [plain, 0, 0.4, 0.8],
    [plain, 0, 30, 60],
    [plain, 119, 30, 120],
    [plain, 5, -3, 5],
  ])('%j with %d tokens, %d seconds later', (rate, tokens, seconds, expected) => {
    expect(refilled(rate, { tokens, burst_tokens: tokens }, seconds).tokens).toBeCloseTo(expected)
  })

  test('never holds more than its quota, nor less than before', () => {
    fc.assert(
      fc.property(buckets, fc.double({ min: 0, max: 1e6, noNaN: true }), ([rate, level], seconds) => {
        const after = refilled(rate, level, seconds)
        expect(after.tokens).toBeLessThanOrEqual(rate.quota)
        expect(after.burst_tokens).toBeLessThanOrEqual(burstOf(rate).quota)
        expect(after.tokens).toBeGreaterThanOrEqual(level.tokens)
        expect(after.burst_tokens).toBeGreaterThanOrEqual(level.burst_tokens)
      }),
    )
  })

  test('has what was waited for, and not a moment earlier', () => {
    fc.assert(
      fc.property(buckets, fc.double({ min: 0.01, max: 1, noNaN: true }), ([rate, level], share) => {
        const cost = Math.max(1, Math.floor(capacity(rate) * share))
        const wait = secondsUntilTokens(rate, level, cost)
        const least = ({ tokens, burst_tokens }: typeof level) => Math.min(tokens, burst_tokens)
        expect(least(refilled(rate, level, wait))).toBeGreaterThanOrEqual(cost - 1e-6)
        if (wait > 0.001) expect(least(refilled(rate, level, wait * 0.99))).toBeLessThan(cost)
      }),
    )
  })

  test('lends at most a twentieth at once, and at least one token', () => {
    fc.assert(
      fc.property(rates, (rate) => {
        expect(maxLease(rate)).toBeGreaterThanOrEqual(1)
        expect(maxLease(rate)).toBeLessThanOrEqual(Math.max(1, rate.quota / 20, capacity(rate) / 4))
        expect(maxLease(rate)).toBeLessThanOrEqual(Math.max(1, rate.quota / 20))
      }),
    )
    expect([maxLease(plain), maxLease(key)]).toEqual([6, 15])
  })

  test('tells the caller what is left and when it is full', () => {
    expect(decide(key, { tokens: 590, burst_tokens: 50 }, 7, null)).toEqual({
      allowed: true,
      exhausted: null,
      remaining: 597,
      reset_seconds: 1,
      burst_remaining: 57,
      burst_reset_seconds: 1,
      retry_after_seconds: 0,
    })
    expect(decide(plain, { tokens: 0.5, burst_tokens: 0.5 }, 0, 1)).toMatchObject({
      allowed: false,
      exhausted: 'quota',
      remaining: 0,
      reset_seconds: 60,
      retry_after_seconds: 1,
    })
    expect(fullLevel(key)).toEqual({ tokens: 600, burst_tokens: 60 })
  })

  test('names the one of two that is waited for longer, and never waits for more than a window', () => {
    const spent = { tokens: 100, burst_tokens: 0 }
    expect(decide(key, spent, 0, 1)).toMatchObject({ exhausted: 'burst', retry_after_seconds: 1 })
    expect(decide(key, { tokens: 0, burst_tokens: 0 }, 0, 20)).toMatchObject({
      exhausted: 'quota',
      retry_after_seconds: 2,
    })
    fc.assert(
      fc.property(buckets, fc.nat(1_000_000), ([rate, level], lacking) => {
        const { retry_after_seconds } = decide(rate, level, 0, lacking)
        const longest = Math.max(rate.window_seconds, burstOf(rate).window_seconds)
        expect(retry_after_seconds).toBeLessThanOrEqual(longest)
        expect(retry_after_seconds).toBeGreaterThanOrEqual(1)
      }),
    )
  })

  test.each([
    [1, 'a second'],
    [10, '10 seconds'],
    [60, 'a minute'],
    [90, '90 seconds'],
    [3600, 'an hour'],
    [86_400, 'a day'],
    [604_800, '7 days'],
  ])('has a window of %d seconds in words: %s', (seconds, words) => {
    expect(windowInWords(seconds)).toBe(words)
  })
})

const readLimits = (text: string | undefined) => limitsFor(CREDENTIAL_KINDS, text)

describe('LIMITS', () => {
  test.each([undefined, '', ' , '])('%j changes nothing', (text) => {
    const limits = readLimits(text)
    expect(limits.service_key).toMatchObject({
      name: 'service_key',
      quota: 600,
      window_seconds: 60,
      burst: { quota: 60, window_seconds: 1 },
    })
    expect(limits.service_key?.policy).toBe('"key";q=600;w=60, "key-burst";q=60;w=1')
    expect(limits.tenant).toMatchObject({ name: 'tenant', quota: 3000, window_seconds: 60 })
  })

  test('sets quotas and scales bursts with them', () => {
    const limits = readLimits('service_key=100000, tenant=5')
    expect(limits.service_key).toMatchObject({ quota: 100_000, burst: { quota: 10_000, window_seconds: 1 } })
    expect(limits.tenant?.quota).toBe(5)
    expect(limits.dashboard_user?.quota).toBe(1200)
    expect(readLimits('service_key=1').service_key?.burst).toEqual({ quota: 1, window_seconds: 1 })
  })

  test('names every problem', () => {
    const wrong =
      'keys=1,tenant=none,anonymous_ip=0,graphql_points=1.5,service_key=5,service_key=6,dashboard_user'
    expect(() => readLimits(wrong)).toThrow(
      /keys is not a limit; tenant must.*; anonymous_ip must.*; graphql_points must.*; service_key is set twice; dashboard_user must/,
    )
    expect(() => readLimits('tenant=1=2')).toThrow('tenant must')
    expect(() => readLimits('constructor=1')).toThrow('constructor is not a limit')
  })
})
