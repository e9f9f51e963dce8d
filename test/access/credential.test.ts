import { expect, test } from 'vitest'
import {
  authenticate,
  bearerCredential,
  type CredentialRequest,
} from '../../src/access/credentials/credential.ts'
import { unguarded, userViewer } from './people.ts'

const viewer = userViewer({ id: 'usr_a', name: 'Ada', role: 'OWNER' })

const credential = bearerCredential(
  (token) => token.startsWith('good'),
  async () => viewer,
)

const requestWith = (headers: CredentialRequest['request']['headers']) => ({
  request: {
    method: 'GET',
    path: '/',
    headers,
    query: new URLSearchParams(),
    body: async () => Buffer.alloc(0),
  },
  ip: '192.0.2.1',
  now: new Date(),
  guard: unguarded,
})

test.each([undefined, '', ' '])('a call with the Authorization header %j has no viewer', async (header) => {
  expect(await authenticate([credential], requestWith({ authorization: header }))).toBeNull()
})

test.each(['Bearer good', 'bearer good', 'BEARER   good ', 'Bearer good.token-_~+/='])(
  '%j is judged',
  async (header) => {
    expect(await authenticate([credential], requestWith({ authorization: header }))).toBe(viewer)
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
  await expect(authenticate([credential], requestWith({ authorization: header }))).rejects.toMatchObject({
    code: 'invalid_credentials',
    status: 401,
    headers: { 'WWW-Authenticate': challenge },
  })
})

test('a token of 8 KB is judged', async () => {
  expect(
    await authenticate([credential], requestWith({ authorization: `Bearer good${'x'.repeat(8188)}` })),
  ).toBe(viewer)
})

test('a credential that is not in the Authorization header is judged before one that is', async () => {
  const signed = userViewer({ id: 'usr_b', name: 'Grace', role: 'USER' })
  const signature = {
    authenticate: ({ request }: CredentialRequest) =>
      request.query.has('signature')
        ? Promise.resolve(request.query.get('signature') === 's' ? signed : null)
        : null,
  }
  const presented = requestWith({ authorization: 'Bearer good' })
  const credentials = [signature, credential]
  expect(await authenticate(credentials, presented)).toBe(viewer)
  presented.request.query.set('signature', 'other')
  expect(await authenticate(credentials, presented)).toBe(viewer)
  presented.request.query.set('signature', 's')
  expect(await authenticate(credentials, presented)).toBe(signed)
})
