import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { grantedParameters, signedUrl, signedUrlCredential } from '../../src/access/credentials/signed-url.ts'
import { unguarded, userViewer } from './people.ts'

const NOW = new Date('2026-11-01T12:00:00.000Z')
const LATER = new Date('2026-11-01T12:05:00.000Z')

const viewer = userViewer({
  tenant_id: 'ten_1',
  environment: 'test',
  id: 'usr_1',
  name: 'Ada',
  role: 'USER',
})

/** The viewer of a URL, as a service with these secrets judges it. */
async function judged(url: string, secrets: readonly string[], now = NOW, environment = 'test') {
  const { pathname: path, searchParams: query } = new URL(url, 'http://service.test')
  const sql = { rows: async <Row>() => [{ name: 'Ada', role: 'USER', suspended: false }] as Row[] }
  const credential = signedUrlCredential.credential({
    sql,
    environment,
    key_peppers: ['x'],
    signing_secrets: secrets,
    issuer: null,
    chat_issuer: null,
    jwt_max_age_seconds: 86_400,
  })
  const request = { method: 'GET', path, query, headers: {}, body: async () => Buffer.alloc(0) }
  return await credential?.authenticate({ request, now, token: null, ip: '192.0.2.1', guard: unguarded })
}

const urlBy = (secrets: readonly string[], parameters = {}) =>
  signedUrl(secrets, '/downloads/file', viewer, parameters, LATER)

describe('a signed URL', () => {
  it('gives the tenant, the environment and the sight of the viewer who made it', async () => {
    expect(await judged(urlBy(['a']), ['a'])).toMatchObject({
      tenant_id: 'ten_1',
      environment: 'test',
      id: 'usr_1',
      person: { id: 'usr_1', role: 'USER' },
    })
  })

  it('is verified by every secret, and signed by the first', async () => {
    expect(await judged(urlBy(['old']), ['new', 'old'])).toBeTruthy()
    await expect(judged(urlBy(['new', 'old']), ['old'])).rejects.toMatchObject({ code: 'invalid_signature' })
  })

  it('is good until the second in which it expires', async () => {
    const last = new Date(LATER.getTime() - 1)
    expect(await judged(urlBy(['a']), ['a'], last)).toBeTruthy()
    await expect(judged(urlBy(['a']), ['a'], LATER)).rejects.toMatchObject({
      code: 'signature_expired',
      details: { expired_at: LATER.toISOString() },
    })
  })

  it('is of one environment and one path', async () => {
    await expect(judged(urlBy(['a']), ['a'], NOW, 'live')).rejects.toMatchObject({
      code: 'invalid_signature',
    })
    const moved = urlBy(['a']).replace('/downloads/file', '/downloads/other')
    await expect(judged(moved, ['a'])).rejects.toMatchObject({ code: 'invalid_signature' })
  })

  it('keeps its parameters, whatever is in them', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (parameters) => {
        const query = new URL(urlBy(['a'], parameters), 'http://service.test').searchParams
        expect(grantedParameters(query)).toEqual(JSON.parse(JSON.stringify(parameters)))
      }),
    )
  })

  it('is refused with any other signature', async () => {
    const [signed = ''] = urlBy(['a']).split('&signature=')
    await fc.assert(
      fc.asyncProperty(fc.string(), async (signature) => {
        const url = `${signed}&signature=${encodeURIComponent(signature.toWellFormed())}`
        await expect(judged(url, ['a'])).rejects.toMatchObject({ code: 'invalid_signature' })
      }),
    )
  })
})
