import { expect, test } from 'vitest'
import { authenticate, type CallFacts, type CredentialKind } from '../../src/access/credential.ts'
import type { DashboardUser } from '../../src/access/viewer.ts'
import { unguarded } from './people.ts'

const call: CallFacts = { ip: '192.0.2.1', acting_user_header: undefined, now: new Date(), guard: unguarded }

const viewer: DashboardUser = {
  type: 'USER',
  tenant_id: 'ten_a',
  environment: 'dev',
  id: 'usr_a',
  name: 'Ada',
  role: 'OWNER',
  scopes: new Set(),
  expires_at: null,
}

const kind: CredentialKind = {
  name: 'test',
  recognises: (token) => token.startsWith('good'),
  authenticate: async () => viewer,
}

test.each([undefined, '', ' '])('a call with the Authorization header %j has no viewer', async (header) => {
  expect(await authenticate([kind], header, call)).toBeNull()
})

test.each(['Bearer good', 'bearer good', 'BEARER   good ', 'Bearer good.token-_~+/='])(
  '%j is judged',
  async (header) => {
    expect(await authenticate([kind], header, call)).toBe(viewer)
  },
)

test.each([
  ['Bearer', 'Bearer'],
  ['Bearer ', 'Bearer'],
  ['good', 'Bearer'],
  ['Basic good', 'Bearer'],
  ['Bearer good good', 'Bearer'],
  ['Bearer, Bearer good', 'Bearer'],
  ['Bearer g\u00f6od', 'Bearer'],
  ['Bearer bad', 'Bearer error="invalid_token"'],
  [`Bearer good${'x'.repeat(8189)}`, 'Bearer error="invalid_token"'],
])('%j is 401', async (header, challenge) => {
  await expect(authenticate([kind], header, call)).rejects.toMatchObject({
    code: 'invalid_credentials',
    status: 401,
    headers: { 'WWW-Authenticate': challenge },
  })
})

test('a token of 8 KB is judged', async () => {
  expect(await authenticate([kind], `Bearer good${'x'.repeat(8188)}`, call)).toBe(viewer)
})
