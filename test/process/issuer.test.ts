import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { demoPlace, type Place, patientCall, type Service, startService } from './service.ts'

const AUDIENCE = 'automation-service'
const keys = await generateKeyPair('RS256', { extractable: true })

let issuer: Server
let place: Place
let service: Service

const token = (claims: Record<string, unknown>) =>
  new SignJWT({ tenant_id: 'ten_demo', environment: 'dev', ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: 'one' })
    .setIssuer('https://login.example/')
    .setAudience(AUDIENCE)
    .setIssuedAt()
    .setExpirationTime('5 minutes')
    .sign(keys.privateKey)

beforeAll(async () => {
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'RS256' }
  issuer = createServer((_req, res) => res.end(JSON.stringify({ keys: [jwk] }))).listen(0, '127.0.0.1')
  place = await demoPlace()
  const { port } = issuer.address() as AddressInfo
  service = await startService({
    ...place.env,
    OIDC_ISSUER: 'https://login.example/',
    OIDC_AUDIENCE: AUDIENCE,
    OIDC_JWKS_URL: `http://127.0.0.1:${port}/keys`,
  })
})

afterAll(async () => {
  await service?.stop()
  issuer?.close()
  await place?.remove()
})

test('the users of the configured issuer have the role that is stored for them', async () => {
  const admin = await patientCall(service, await token({ sub: 'demo-admin' }), '/tenant/me')
  expect([admin.status, admin.body.data.role]).toEqual([200, 'ADMIN'])
  const viewer = await patientCall(service, await token({ sub: 'demo-viewer' }), '/tenant/users')
  expect([viewer.status, viewer.body.error.code]).toEqual([403, 'forbidden'])
})

test('nobody else’s are let in', async () => {
  const stranger = await patientCall(service, await token({ sub: 'nobody' }), '/tenant/me')
  expect([stranger.status, stranger.body.error.code]).toEqual([403, 'forbidden'])
  const elsewhere = await patientCall(
    service,
    await token({ sub: 'demo-admin', environment: 'prod' }),
    '/tenant/me',
  )
  expect([elsewhere.status, elsewhere.body.error.code]).toEqual([401, 'environment_mismatch'])
})
