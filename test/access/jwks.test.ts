import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { remoteKeys } from '../../src/access/credentials/jwks.ts'
import { call, claims, credential, provider, runIdentityProvider, sign } from './identity-provider.ts'
import { present } from './people.ts'

runIdentityProvider()

const pass = (seconds: number) => {
  provider.passed_ms += seconds * 1000
}

/** A process that stalls finds its own requests late: what depends on them may take several tries. */
const PATIENT = { timeout: 15_000 }

describe('the key set', () => {
  test('is fetched once for many tokens', async () => {
    const kind = credential()
    const token = await sign()
    await Promise.all(Array.from({ length: 50 }, () => present(kind, token, call)))
    expect(provider.fetches).toBe(1)
  })

  test('is fetched again for a key published since', async () => {
    const kind = credential()
    await present(kind, await sign(), call)
    provider.served = ['two']
    await present(kind, await sign(claims, {}, 'two'), call)
    expect(provider.fetches).toBe(2)
    await expect(present(kind, await sign(), call)).rejects.toMatchObject({ code: 'invalid_credentials' })
  })

  test('is not fetched again for every unknown kid', async () => {
    const kind = credential({ cooldown_seconds: 60 })
    await present(kind, await sign(), call)
    for (const kid of ['x', 'y', 'z']) {
      const token = await sign(claims, { kid })
      await expect(present(kind, token, call)).rejects.toMatchObject({ code: 'invalid_credentials' })
    }
    expect(provider.fetches).toBe(1)
  })

  test.each(['status', 'garbage', 'empty', 'malformed', 'unusable', 'huge', 'redirect', 'down'] as const)(
    'that cannot be had at all (%s) is 503 for good and bad tokens, until it can',
    async (kind_of_outage) => {
      provider.outage = kind_of_outage
      const kind = credential()
      for (const token of [await sign(), await sign(claims, {}, 'two')]) {
        await expect(present(kind, token, call)).rejects.toMatchObject({ code: 'service_unavailable' })
      }
      provider.outage = 'none'
      await present(kind, await sign(), call)
    },
  )

  test('that does not come is 503, until it comes', async () => {
    provider.outage = 'silent'
    const kind = credential({ timeout_seconds: 0.5 })
    for (const token of [await sign(), await sign(claims, {}, 'two')]) {
      await expect(present(kind, token, call)).rejects.toMatchObject({ code: 'service_unavailable' })
    }
    provider.outage = 'none'
    const token = await sign()
    await vi.waitFor(() => present(kind, token, call), PATIENT)
  })

  test('goes on being used when its time is over and no newer one can be had', async () => {
    const kind = credential({ cache_seconds: 600 })
    await present(kind, await sign(), call)
    provider.outage = 'down'
    pass(601)
    await present(kind, await sign(), call)
    const unknown = await sign(claims, {}, 'two')
    await expect(present(kind, unknown, call)).rejects.toMatchObject({
      code: 'service_unavailable',
      headers: { 'Retry-After': expect.any(String) },
    })
    const forged = await sign(claims, { kid: 'one' }, 'two')
    await expect(present(kind, forged, call)).rejects.toMatchObject({ code: 'invalid_credentials' })
    provider.outage = 'none'
    provider.served = ['two']
    // The fetch that the forged token began may be under way, and fail.
    await vi.waitFor(() => present(kind, unknown, call), PATIENT)
  })

  test.each(['empty', 'malformed', 'unusable', 'garbage', 'huge', 'status'] as const)(
    'that is replaced by one that cannot be used (%s) stays',
    async (kind_of_outage) => {
      const kind = credential({ cache_seconds: 600 })
      const token = await sign()
      await present(kind, token, call)
      provider.outage = kind_of_outage
      pass(601)
      // A fetch begins when the one before has ended: two have by the third.
      while (provider.fetches < 4) {
        await present(kind, token, call)
        await pause(1)
      }
      await present(kind, token, call)
    },
  )

  test('that does not come makes no token wait whose key is at hand', async () => {
    const kind = credential({ cache_seconds: 600 })
    await present(kind, await sign(), call)
    provider.outage = 'silent'
    pass(601)
    const tokens = await Promise.all(Array.from({ length: 20 }, () => sign()))
    // A token that waited for the set would wait for longer than a test may take.
    await Promise.all(tokens.map((token) => present(kind, token, call)))
    await expect.poll(() => provider.fetches, PATIENT).toBe(2)
  })

  test('that does not come makes tokens of another key wait for its time-out, all for one fetch', async () => {
    const kind = credential({ timeout_seconds: 0.5 })
    const [known, unknown] = [await sign(), await sign(claims, {}, 'two')]
    await vi.waitFor(() => present(kind, known, call), PATIENT)
    provider.outage = 'silent'
    const before = provider.fetches
    const waiting = Array.from({ length: 20 }, () => present(kind, unknown, call))
    for (const { status, ...outcome } of await Promise.allSettled(waiting)) {
      expect([status, outcome]).toMatchObject(['rejected', { reason: { code: 'service_unavailable' } }])
    }
    // A fetch that was given up before it was sent is none.
    expect(provider.fetches - before).toBeLessThanOrEqual(1)
  })

  test('is fetched again in the background when it is old', async () => {
    const kind = credential({ cache_seconds: 600 })
    await present(kind, await sign(), call)
    provider.served = ['two']
    pass(599)
    await present(kind, await sign(), call)
    expect(provider.fetches).toBe(1)
    pass(1)
    await present(kind, await sign(), call)
    await expect.poll(() => provider.fetches, PATIENT).toBe(2)
    await present(kind, await sign(claims, {}, 'two'), call)
    expect(provider.fetches).toBe(2)
  })

  test('is not used for ever', async () => {
    const kind = credential({ cache_seconds: 600, stale_seconds: 1200 })
    await present(kind, await sign(), call)
    provider.outage = 'status'
    pass(1199)
    await present(kind, await sign(), call)
    pass(1)
    await expect(present(kind, await sign(), call)).rejects.toMatchObject({ code: 'service_unavailable' })
  })

  test('is not asked for at every request of an outage', async () => {
    provider.outage = 'status'
    const kind = credential({ retry_seconds: 60 })
    for (let i = 0; i < 5; i++) {
      await expect(present(kind, await sign(), call)).rejects.toMatchObject({
        code: 'service_unavailable',
        headers: { 'Retry-After': '60' },
      })
    }
    expect(provider.fetches).toBe(1)
  })

  test.each([
    'http://idp.example/jwks',
    'file:///etc/jwks',
    'ftp://127.0.0.1/jwks',
    'http://127.0.0.1.example/',
  ])('is not taken from %s', (url) => {
    expect(() => remoteKeys(url)).toThrow('https')
  })
})
