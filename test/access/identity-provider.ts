/** An identity provider with a key set. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT } from 'jose'
import { afterEach, beforeAll, beforeEach } from 'vitest'
import { remoteKeys } from '../../src/access/credentials/jwks.ts'
import type { Sql } from '../../src/db/sql.ts'
import { type CallFacts, unguarded, userCredential } from './people.ts'

type KeyName = 'one' | 'two' | 'rsa'

const now = new Date()
export const seconds = Math.floor(now.getTime() / 1000)
export const call: CallFacts = { ip: '192.0.2.1', acting_user_header: undefined, now, guard: unguarded }

const sql: Sql = {
  rows: async <Row>() => [{ id: 'usr_a', name: 'Ada', role: 'ADMIN' }] as Row[],
}

export const keys = {} as Record<KeyName, CryptoKeyPair>
export const claims = {
  iss: 'https://idp.example',
  aud: 'automation-service',
  sub: 'ada',
  tenant_id: 'ten_a',
  environment: 'dev',
  iat: seconds - 60,
  exp: seconds + 300,
}

type Outage =
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

/**
 * The identity provider of a test: the keys it serves, its outage, the number of times its keys were fetched, and the
 * milliseconds that have passed for those who use them.
 */
export const provider = {
  served: [] as KeyName[],
  outage: 'none' as Outage,
  fetches: 0,
  passed_ms: 0,
}

let server: Server
let address: string

const publicSet = async () => ({
  keys: await Promise.all(
    provider.served.map(async (kid) => ({
      ...(await exportJWK(keys[kid].publicKey)),
      kid,
      alg: kid === 'rsa' ? 'RS256' : 'ES256',
    })),
  ),
})

/** Runs the provider during the tests of the file that calls this. */
export function runIdentityProvider(): void {
  beforeAll(async () => {
    for (const name of ['one', 'two', 'rsa'] as const) {
      keys[name] = await generateKeyPair(name === 'rsa' ? 'RS256' : 'ES256', { extractable: true })
    }
  })

  beforeEach(async () => {
    Object.assign(provider, { served: ['one', 'rsa'], outage: 'none', fetches: 0, passed_ms: 0 })
    server = createServer(async (_request, response) => {
      provider.fetches++
      const { outage } = provider
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
}

export const sign = (
  payload: Record<string, unknown> = claims,
  header: Partial<JWTHeaderParameters> = {},
  kid: KeyName = 'one',
) =>
  new SignJWT(payload)
    .setProtectedHeader({ alg: kid === 'rsa' ? 'RS256' : 'ES256', kid, ...header })
    .sign(keys[kid].privateKey, { crit: { 'urn:x': false } })

export const credential = (options: Parameters<typeof remoteKeys>[1] = {}) => {
  const times = { retry_seconds: 0, cooldown_seconds: 0, timeout_seconds: 60 }
  const keys = remoteKeys(address, { ...times, elapsed: () => provider.passed_ms, ...options })
  return userCredential(sql, { issuer: claims.iss, audience: claims.aud, keys: async () => keys })
}
