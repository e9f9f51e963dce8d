import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { remoteKeys } from '../../src/access/jwks.ts'
import { call, claims, credential, provider, runIdentityProvider, sign } from './identity-provider.ts'
import { present } from './people.ts'

runIdentityProvider()

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

  test.each([
    'status',
    'garbage',
    'empty',
    'malformed',
    'unusable',
    'huge',
    'silent',
    'redirect',
    'down',
  ] as const)(
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

  test('goes on being used when its time is over and no newer one can be had', async () => {
    const kind = credential({ cache_seconds: 0.05 })
    await present(kind, await sign(), call)
    provider.outage = 'down'
    await pause(60)
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
    // The fetch that the forged token began has failed by then.
    await pause(50)
    await present(kind, unknown, call)
  })

  test.each(['empty', 'malformed', 'unusable', 'garbage', 'huge', 'status'] as const)(
    'that is replaced by one that cannot be used (%s) stays',
    async (kind_of_outage) => {
      const kind = credential({ cache_seconds: 0.02 })
      await present(kind, await sign(), call)
      provider.outage = kind_of_outage
      for (let i = 0; i < 4; i++) {
        await pause(30)
        await present(kind, await sign(), call)
      }
      expect(provider.fetches).toBeGreaterThan(1)
    },
  )

  test('that does not come makes no token wait whose key is at hand', async () => {
    const kind = credential({ cache_seconds: 0.05, timeout_seconds: 2 })
    await present(kind, await sign(), call)
    provider.outage = 'silent'
    await pause(60)
    const started = performance.now()
    const tokens = await Promise.all(Array.from({ length: 20 }, () => sign()))
    await Promise.all(tokens.map((token) => present(kind, token, call)))
    expect(performance.now() - started).toBeLessThan(1000)
    await expect.poll(() => provider.fetches).toBe(2)
  })

  test('that does not come makes tokens of another key wait for its time-out, all for one fetch', async () => {
    const kind = credential({ timeout_seconds: 0.4 })
    await present(kind, await sign(), call)
    provider.outage = 'silent'
    const started = performance.now()
    const unknown = await sign(claims, {}, 'two')
    const waiting = Array.from({ length: 20 }, () => present(kind, unknown, call))
    for (const { status, ...outcome } of await Promise.allSettled(waiting)) {
      expect([status, outcome]).toMatchObject(['rejected', { reason: { code: 'service_unavailable' } }])
    }
    expect(performance.now() - started).toBeLessThan(1500)
    expect(provider.fetches).toBe(2)
  })

  test('is fetched again in the background when it is old', async () => {
    const kind = credential({ cache_seconds: 0.5 })
    await present(kind, await sign(), call)
    provider.served = ['two']
    await pause(510)
    await present(kind, await sign(), call)
    await expect.poll(() => provider.fetches).toBe(2)
    await pause(50)
    await present(kind, await sign(claims, {}, 'two'), call)
    expect(provider.fetches).toBe(2)
  })

  test('is not used for ever', async () => {
    const kind = credential({ cache_seconds: 0.05, stale_seconds: 0.1 })
    await present(kind, await sign(), call)
    provider.outage = 'status'
    await pause(110)
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
