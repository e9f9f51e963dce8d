import { exportJWK, SignJWT, UnsecuredJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { call, claims, credential, keys, runIdentityProvider, seconds, sign } from './identity-provider.ts'
import { present } from './people.ts'

runIdentityProvider()

const DAY = 86_400

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
  const { iat: _iat, ...ageless } = claims
  const { sub: _sub, ...nobody } = claims
  const { tenant_id: _tenant, ...homeless } = claims
  const { environment: _environment, ...nowhere } = claims
  test.each<[string, Record<string, unknown>, string]>([
    ['without exp', endless, 'invalid_credentials'],
    ['without iat', ageless, 'invalid_credentials'],
    ['of tomorrow', { ...claims, iat: seconds + 120 }, 'invalid_credentials'],
    ['that is valid for longer than a day', { ...claims, exp: claims.iat + DAY + 1 }, 'invalid_credentials'],
    ['older than a day', { ...claims, iat: seconds - DAY - 61 }, 'credentials_expired'],
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
    const tight = { ...claims, iat: seconds + 58, exp: seconds - 58, nbf: seconds + 58 }
    await present(credential(), await sign(tight), call)
    const oldest = { ...claims, iat: seconds - DAY - 58, exp: seconds - 58 }
    await present(credential(), await sign(oldest), call)
  })

  test('that is valid for a day is accepted', async () => {
    await present(credential(), await sign({ ...claims, exp: claims.iat + DAY }), call)
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
