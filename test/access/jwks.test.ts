import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT, UnsecuredJWT } from 'jose'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { remoteKeys } from '../../src/access/jwks.ts'
import type { Sql } from '../../src/db/sql.ts'
import { type CallFacts, present, unguarded, userCredential } from './people.ts'

type KeyName = 'one' | 'two' | 'rsa'

const now = new Date()
const seconds = Math.floor(now.getTime() / 1000)
const call: CallFacts = { ip: '192.0.2.1', acting_user_header: undefined, now, guard: unguarded }
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

const sql: Sql = {
  rows: async <Row>() => [{ id: 'usr_a', name: 'Ada', role: 'ADMIN' }] as Row[],
}

const keys = {} as Record<KeyName, CryptoKeyPair>
const claims = {
  iss: 'https://idp.example',
  aud: 'automation-service',
  sub: 'ada',
  tenant_id: 'ten_a',
  environment: 'dev',
  exp: seconds + 300,
}

let server: Server
let address: string
let served: KeyName[]
let outage:
  | 'empty'
  | 'malformed'
  | 'unusable'
  | 'none'
  | 'status'
  | 'garbage'
  | 'huge'
  | 'silent'
  | 'redirect'
  | 'down'
let fetches: number

beforeAll(async () => {
  for (const name of ['one', 'two', 'rsa'] as const) {
    keys[name] = await generateKeyPair(name === 'rsa' ? 'RS256' : 'ES256', { extractable: true })
  }
})

const publicSet = async () => ({
  keys: await Promise.all(
    served.map(async (kid) => ({
      ...(await exportJWK(keys[kid].publicKey)),
      kid,
      alg: kid === 'rsa' ? 'RS256' : 'ES256',
    })),
  ),
})

beforeEach(async () => {
  served = ['one', 'rsa']
  outage = 'none'
  fetches = 0
  server = createServer(async (_request, response) => {
    fetches++
    if (outage === 'silent') return undefined
    if (outage === 'down') return response.socket?.destroy()
    if (outage === 'redirect') return response.writeHead(302, { Location: `${address}/elsewhere` }).end()
    const set = await publicSet()
    const body = {
      none: set,
      status: set,
      garbage: '<html>',
      empty: { keys: [] },
      malformed: { keys: 'none' },
      unusable: { keys: [{ kty: 'EC', kid: 'one', crv: 'P-256' }, null, { kty: 'oct', k: 'AAAA' }] },
      huge: { ...set, pad: 'x'.repeat(300_000) },
    }[outage]
    response.writeHead(outage === 'status' ? 500 : 200)
    return response.end(outage === 'garbage' ? body : JSON.stringify(body))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`
})

afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const sign = (
  payload: Record<string, unknown> = claims,
  header: Partial<JWTHeaderParameters> = {},
  kid: KeyName = 'one',
) =>
  new SignJWT(payload)
    .setProtectedHeader({ alg: kid === 'rsa' ? 'RS256' : 'ES256', kid, ...header })
    .sign(keys[kid].privateKey, { crit: { 'urn:x': false } })

const credential = (options: Parameters<typeof remoteKeys>[1] = {}) => {
  const keys = remoteKeys(address, { retry_seconds: 0, cooldown_seconds: 0, timeout_seconds: 1, ...options })
  return userCredential(sql, { issuer: claims.iss, audience: claims.aud, keys: async () => keys })
}

describe('a token', () => {
  test.each(['one', 'rsa'] as const)('signed with %s is accepted', async (kid) => {
    const viewer = await present(credential(), await sign(claims, {}, kid), call)
    expect(viewer).toMatchObject({
      kind: { type: 'USER' },
      id: 'usr_a',
      tenant_id: 'ten_a',
      person: { role: 'ADMIN' },
    })
    expect(viewer?.expires_at).toEqual(new Date(claims.exp * 1000))
  })

  test('may name several audiences, and carry claims we do not know', async () => {
    await present(credential(), await sign({ ...claims, aud: ['x', claims.aud], role: 'OWNER' }), call)
  })

  const { exp: _exp, ...endless } = claims
  const { sub: _sub, ...nobody } = claims
  const { tenant_id: _tenant, ...homeless } = claims
  const { environment: _environment, ...nowhere } = claims
  test.each<[string, Record<string, unknown>, string]>([
    ['without exp', endless, 'invalid_credentials'],
    ['without sub', nobody, 'invalid_credentials'],
    ['without tenant_id', homeless, 'invalid_credentials'],
    ['without environment', nowhere, 'invalid_credentials'],
    ['with an empty sub', { ...claims, sub: '' }, 'invalid_credentials'],
    ['with a NUL in sub', { ...claims, sub: 'a\0b' }, 'invalid_credentials'],
    ['with a tenant_id that is no string', { ...claims, tenant_id: ['ten_a'] }, 'invalid_credentials'],
    ['with an exp that is no number', { ...claims, exp: String(claims.exp) }, 'invalid_credentials'],
    ['with an exp beyond all dates', { ...claims, exp: 1e300 }, 'invalid_credentials'],
    ['of another issuer', { ...claims, iss: 'https://idp.example/' }, 'invalid_credentials'],
    ['for another audience', { ...claims, aud: 'other' }, 'invalid_credentials'],
    ['not yet valid', { ...claims, nbf: seconds + 120 }, 'invalid_credentials'],
    ['that has expired', { ...claims, exp: seconds - 61 }, 'credentials_expired'],
    ['of another environment', { ...claims, environment: 'prod' }, 'environment_mismatch'],
  ])('%s is 401', async (_name, payload, code) => {
    await expect(present(credential(), await sign(payload), call)).rejects.toMatchObject({
      code,
      status: 401,
      headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
    })
  })

  test('within a minute of its times is accepted', async () => {
    const tight = { ...claims, exp: seconds - 58, nbf: seconds + 58 }
    await present(credential(), await sign(tight), call)
  })

  test.each<[string, () => Promise<string> | string]>([
    ['alg none', () => new UnsecuredJWT(claims).encode()],
    [
      'HS256 with the public key as its secret',
      async () => {
        const secret = new TextEncoder().encode(JSON.stringify(await exportJWK(keys.one.publicKey)))
        return new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'one' }).sign(secret)
      },
    ],
    ['an unknown crit', () => sign(claims, { crit: ['urn:x'], 'urn:x': true })],
    ['a known crit', () => sign(claims, { crit: ['b64'], b64: true })],
    ['another key under a known kid', () => sign(claims, { kid: 'one' }, 'two')],
    [
      'a key of its own',
      async () => sign(claims, { kid: 'two', jwk: await exportJWK(keys.two.publicKey) }, 'two'),
    ],
    ['a kid nobody knows', () => sign(claims, { kid: 'none' })],
    ['a signature cut short', async () => (await sign()).slice(0, -4)],
    ['no signature', async () => `${(await sign()).split('.').slice(0, 2).join('.')}.`],
    ['no JSON', () => 'a.b.c'],
  ])('with %s is 401', async (_name, token) => {
    const kind = credential()
    const text = await token()
    await expect(present(kind, text, call)).rejects.toMatchObject({
      code: 'invalid_credentials',
      status: 401,
    })
  })
})

describe('the key set', () => {
  test('is fetched once for many tokens', async () => {
    const kind = credential()
    const token = await sign()
    await Promise.all(Array.from({ length: 50 }, () => present(kind, token, call)))
    expect(fetches).toBe(1)
  })

  test('is fetched again for a key published since', async () => {
    const kind = credential()
    await present(kind, await sign(), call)
    served = ['two']
    await present(kind, await sign(claims, {}, 'two'), call)
    expect(fetches).toBe(2)
    await expect(present(kind, await sign(), call)).rejects.toMatchObject({ code: 'invalid_credentials' })
  })

  test('is not fetched again for every unknown kid', async () => {
    const kind = credential({ cooldown_seconds: 60 })
    await present(kind, await sign(), call)
    for (const kid of ['x', 'y', 'z']) {
      const token = await sign(claims, { kid })
      await expect(present(kind, token, call)).rejects.toMatchObject({ code: 'invalid_credentials' })
    }
    expect(fetches).toBe(1)
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
      outage = kind_of_outage
      const kind = credential()
      for (const token of [await sign(), await sign(claims, {}, 'two')]) {
        await expect(present(kind, token, call)).rejects.toMatchObject({ code: 'service_unavailable' })
      }
      outage = 'none'
      await present(kind, await sign(), call)
    },
  )

  test('goes on being used when its time is over and no newer one can be had', async () => {
    const kind = credential({ cache_seconds: 0.05 })
    await present(kind, await sign(), call)
    outage = 'down'
    await pause(60)
    await present(kind, await sign(), call)
    const unknown = await sign(claims, {}, 'two')
    await expect(present(kind, unknown, call)).rejects.toMatchObject({
      code: 'service_unavailable',
      headers: { 'Retry-After': expect.any(String) },
    })
    const forged = await sign(claims, { kid: 'one' }, 'two')
    await expect(present(kind, forged, call)).rejects.toMatchObject({ code: 'invalid_credentials' })
    outage = 'none'
    served = ['two']
    // The fetch that the forged token began has failed by then.
    await pause(50)
    await present(kind, unknown, call)
  })

  test.each(['empty', 'malformed', 'unusable', 'garbage', 'huge', 'status'] as const)(
    'that is replaced by one that cannot be used (%s) stays',
    async (kind_of_outage) => {
      const kind = credential({ cache_seconds: 0.02 })
      await present(kind, await sign(), call)
      outage = kind_of_outage
      for (let i = 0; i < 4; i++) {
        await pause(30)
        await present(kind, await sign(), call)
      }
      expect(fetches).toBeGreaterThan(1)
    },
  )

  test('that does not come makes no token wait whose key is at hand', async () => {
    const kind = credential({ cache_seconds: 0.05, timeout_seconds: 2 })
    await present(kind, await sign(), call)
    outage = 'silent'
    await pause(60)
    const started = performance.now()
    const tokens = await Promise.all(Array.from({ length: 20 }, () => sign()))
    await Promise.all(tokens.map((token) => present(kind, token, call)))
    expect(performance.now() - started).toBeLessThan(1000)
    await expect.poll(() => fetches).toBe(2)
  })

  test('that does not come makes tokens of another key wait for its time-out, all for one fetch', async () => {
    const kind = credential({ timeout_seconds: 0.4 })
    await present(kind, await sign(), call)
    outage = 'silent'
    const started = performance.now()
    const unknown = await sign(claims, {}, 'two')
    const waiting = Array.from({ length: 20 }, () => present(kind, unknown, call))
    for (const { status, ...outcome } of await Promise.allSettled(waiting)) {
      expect([status, outcome]).toMatchObject(['rejected', { reason: { code: 'service_unavailable' } }])
    }
    expect(performance.now() - started).toBeLessThan(1500)
    expect(fetches).toBe(2)
  })

  test('is fetched again in the background when it is old', async () => {
    const kind = credential({ cache_seconds: 0.5 })
    await present(kind, await sign(), call)
    served = ['two']
    await pause(510)
    await present(kind, await sign(), call)
    await expect.poll(() => fetches).toBe(2)
    await pause(50)
    await present(kind, await sign(claims, {}, 'two'), call)
    expect(fetches).toBe(2)
  })

  test('is not used for ever', async () => {
    const kind = credential({ cache_seconds: 0.05, stale_seconds: 0.1 })
    await present(kind, await sign(), call)
    outage = 'status'
    await pause(110)
    await expect(present(kind, await sign(), call)).rejects.toMatchObject({ code: 'service_unavailable' })
  })

  test('is not asked for at every request of an outage', async () => {
    outage = 'status'
    const kind = credential({ retry_seconds: 60 })
    for (let i = 0; i < 5; i++) {
      await expect(present(kind, await sign(), call)).rejects.toMatchObject({
        code: 'service_unavailable',
        headers: { 'Retry-After': '60' },
      })
    }
    expect(fetches).toBe(1)
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
