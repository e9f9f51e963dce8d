/** The signature of feedback links: every address that nobody signed is answered alike. */
import crypto from 'node:crypto'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { feedbackUrl } from '../../../src/access/credentials/feedback-link.ts'
import { isSigned, signatureOf } from '../../../src/access/credentials/signature.ts'
import { apis, describeApi, outcome } from '../../setup/api.ts'
import {
  clock,
  ENCRYPTION_KEY,
  KEY_PEPPER,
  SIGNING_SECRET as SECRET,
  startApp,
  testApp,
} from '../../setup/app.ts'
import {
  addFeedback,
  EXECUTION,
  feedbackMsp,
  feedbackOf,
  type Link,
  linkIn,
  makeLink,
} from '../../setup/feedback.ts'
import { FUTURE, PAST, type Sent, signBy, wrongAddresses } from '../../setup/feedback-addresses.ts'
import { json, request } from '../../setup/http.ts'

const sign = (id: string, expires: string): string => signBy(SECRET, id, expires)

const CASES = Object.entries(wrongAddresses(SECRET))

beforeAll(async () => {
  await testApp()
})
afterEach(() => {
  clock.reset()
  vi.restoreAllMocks()
})

const REQUEST_ID = '00000000-0000-4000-8000-000000000001'

/**
 * Everything of the answer that a caller could tell cases apart by. Times and counts differ from call to call, and so does
 * whether the connection goes on after a body that is not read.
 */
async function bytesOf(response: Response): Promise<string> {
  const headers = [...response.headers].flatMap(([name, value]) =>
    ['date', 'server-timing', 'ratelimit', 'connection', 'keep-alive'].includes(name)
      ? []
      : [`${name}: ${value}`],
  )
  return [response.status, ...headers, await response.text()].join('\n')
}

const query = ({ expires, signature }: Sent) =>
  new URLSearchParams(Object.entries({ expires, signature }).filter(([, value]) => value !== undefined) as [])

const headers = { 'x-request-id': REQUEST_ID }

/** Bytes of the answers to the address, by the operation and interface. */
async function answersTo({ feedback_id }: Link, { id = feedback_id, ...given }: Sent) {
  const path = `/public-api/feedback/${id}`
  const variables = { id, ...given }
  const graphql = (text: string) => request('/graphql', json({ query: text, variables }, { headers }))
  const args = 'feedback_id: $id, expires: $expires, signature: $signature'
  const declared = '($id: ID!, $expires: String, $signature: String)'
  const body = { rating: 'POSITIVE' }
  return {
    form: await bytesOf(await request(`${path}/form?${query(given)}`, { headers })),
    page: await bytesOf(
      await request(`${path}/form?${query(given)}`, { headers: { ...headers, accept: 'text/html' } }),
    ),
    submit: await bytesOf(await request(`${path}/submit?${query(given)}`, json(body, { headers }))),
    wrong_body: await bytesOf(await request(`${path}/submit?${query(given)}`, json('no json', { headers }))),
    query: await bytesOf(await graphql(`query ${declared} { feedback_form(${args}) { status } }`)),
    mutation: await bytesOf(
      await graphql(
        `mutation ${declared} { submit_feedback(${args}, input: { rating: POSITIVE }) { status } }`,
      ),
    ),
  }
}

describe('an address that the service did not sign', () => {
  it('is answered alike, byte for byte, whatever is wrong with it', async () => {
    const msp = await feedbackMsp()
    const link = await makeLink(msp)
    const first = await answersTo(link, { expires: link.expires, signature: 'x' })
    for (const [way, bytes] of Object.entries(first)) expect([way, bytes.slice(0, 3)]).toEqual([way, '401'])
    for (const way of ['form', 'submit', 'query', 'mutation'] as const)
      expect(first[way]).toContain('invalid_signature')
    expect(first.wrong_body).toBe(first.submit)
    for (const [what, of] of CASES) {
      const answers = await answersTo(link, of(link))
      expect({ what, answers }).toEqual({ what, answers: first })
    }
    expect(await feedbackOf(msp)).toMatchObject([{ status: 'PENDING', accepted_at: [] }])
  })

  it('with a parameter that is sent twice, or another one, is answered alike', async () => {
    const msp = await feedbackMsp()
    const { feedback_id, expires, signature } = await makeLink(msp)
    const good = new URLSearchParams({ expires, signature }).toString()
    const form = async (search: string) =>
      await bytesOf(await request(`/public-api/feedback/${feedback_id}/form?${search}`, { headers }))
    const wrong = await form(`expires=${expires}&signature=x`)
    expect(await form(good)).toContain('"status":"PENDING"')
    for (const search of [`${good}&signature=${signature}`, `${good}&expires=${expires}`, `${good}&utm=1`])
      expect(await form(search)).toBe(wrong)
  })

  it.each([
    ['the first secret', 'one'],
    ['the last secret', 'two'],
    ['no secret', 'three'],
  ])('is compared with every secret, if it is signed by %s', (_which, secret) => {
    const compared = vi.spyOn(crypto, 'timingSafeEqual')
    expect(isSigned(['one', 'two'], 'text', signatureOf(secret, 'text'))).toBe(secret !== 'three')
    expect(compared).toHaveBeenCalledTimes(2)
  })

  it.each(CASES)('costs the same comparison with every secret, and no row: %s', async (_what, of) => {
    const msp = await feedbackMsp()
    const link = await makeLink(msp)
    const { id = link.feedback_id, ...given } = of(link)
    const compared = vi.spyOn(crypto, 'timingSafeEqual')
    await request(`/public-api/feedback/${id}/form?${query(given)}`)
    expect(compared.mock.calls.map(([one, other]) => [one.byteLength, other.byteLength])).toEqual([[32, 32]])
  })
})

/** The codes with which a GraphQL document is refused. */
async function codesOf(query: string, variables: object = {}): Promise<string[]> {
  const answer = await (await request('/graphql', json({ query, variables }))).json()
  const { errors = [] } = answer as { errors?: { extensions: { code: string } }[] }
  return errors.map(({ extensions }) => extensions.code)
}

describeApi('a link', (api) => {
  it('is signed as the documentation says, by the path, the id and the end', async () => {
    const msp = await feedbackMsp()
    const { feedback_id, expires, signature } = await makeLink(msp, { execution_id: EXECUTION }, api)
    expect(signature).toBe(sign(feedback_id, expires))
  })

  it('that has expired is told so before any row is read', async () => {
    const link = { feedback_id: 'fb_unknown', expires: PAST, signature: sign('fb_unknown', PAST) }
    const { status, error } = await api.call(null, 'feedback_form', link)
    expect([status, error]).toMatchObject([
      401,
      { code: 'signature_expired', details: { expired_at: '2020-09-13T12:26:40.000Z' } },
    ])
  })

  it('that was revoked has expired all the same', async () => {
    const msp = await feedbackMsp()
    await addFeedback(msp, [{ id: `fb_${msp.tenant_id}`, status: 'REVOKED' }])
    const of = (expires: string) => ({
      feedback_id: `fb_${msp.tenant_id}`,
      expires,
      signature: sign(`fb_${msp.tenant_id}`, expires),
    })
    expect(outcome(await api.call(null, 'feedback_form', of(PAST)))).toEqual([401, 'signature_expired'])
    expect(outcome(await api.call(null, 'feedback_form', of(FUTURE)))).toEqual([404, 'feedback_not_found'])
  })

  it('opens no other feedback in the same document, and no field without it', async () => {
    const msp = await feedbackMsp()
    const [one, other] = [await makeLink(msp), await makeLink(msp)]
    const good = `feedback_id: "${one.feedback_id}", expires: "${one.expires}", signature: "${one.signature}"`
    const same = `feedback_id: "${one.feedback_id}"`
    const stolen = `feedback_id: "${other.feedback_id}", expires: "${one.expires}", signature: "${one.signature}"`
    const answered = 'input: { rating: NEGATIVE }'
    for (const document of [
      `{ a: feedback_form(${good}) { id } b: feedback_form(${stolen}) { id } }`,
      `{ a: feedback_form(${good}) { id } b: feedback_form(${same}) { id } }`,
      `{ a: feedback_form(${good}) { id } b: feedback_form(${same}, expires: "1", signature: "x") { id } }`,
      `{ a: feedback_form(${good}) @skip(if: true) { id } b: feedback_form(${same}) { id } }`,
      `mutation { a: submit_feedback(${good}, ${answered}) @skip(if: true) { id } b: submit_feedback(${same}, ${answered}) { id } }`,
    ])
      expect([document, await codesOf(document)]).toEqual([document, ['invalid_signature']])
    expect(await feedbackOf(msp)).toMatchObject([{ status: 'PENDING' }, { status: 'PENDING' }])
    expect(
      await codesOf(`{ a: feedback_form(${good}) { id } b: feedback_form(${good}) { status } }`),
    ).toEqual([])
    expect(await codesOf(`mutation { submit_feedback(${good}, ${answered}) { id } }`)).toEqual([])
  })

  it('is no link if its parts are no texts', async () => {
    const document =
      'query ($e: String, $s: String) { feedback_form(feedback_id: "fb_1", expires: $e, signature: $s) { id } }'
    for (const part of [
      { toString: 1, valueOf: 2 },
      { toString: 'x' },
      [{ toString: 1 }],
      7,
      true,
      'x'.repeat(100_000),
    ])
      expect(await codesOf(document, { e: part, s: part })).toEqual(['invalid_signature'])
  })

  it('opens nothing but its form', async () => {
    const msp = await feedbackMsp()
    const { feedback_id, expires, signature } = await makeLink(msp)
    const form = `feedback_form(feedback_id: "${feedback_id}", expires: "${expires}", signature: "${signature}") { id }`
    expect(await codesOf(`{ ${form} feedback_entries { items { id } } }`)).toEqual(['invalid_signature'])
  })
})

describe('after the signing secret has changed', () => {
  it('links of the former secret are good, and new ones have the new secret', async () => {
    const msp = await feedbackMsp()
    const former = await makeLink(msp)
    const secrets = { signing_secrets: ['a newer secret', SECRET] }
    const { app, base } = await startApp(msp.database, {}, undefined, {
      secrets: { ...secrets, key_peppers: [KEY_PEPPER], encryption_keys: [ENCRYPTION_KEY] },
    })
    try {
      const { feedback_id: id, expires, signature } = former
      const form = (of: string) =>
        fetch(`${base}/public-api/feedback/${id}/form?expires=${expires}&signature=${of}`)
      expect((await form(signature)).status).toBe(200)
      const newer = linkIn(
        feedbackUrl({ ...secrets, public_url: '' }, { id, expires_at: new Date(Number(expires) * 1000) }),
      )
      expect(newer.signature).not.toBe(signature)
      expect((await form(newer.signature)).status).toBe(200)
      const [rest] = apis.slice(1)
      expect(outcome(await (rest as (typeof apis)[number]).call(null, 'feedback_form', newer))).toEqual([
        401,
        'invalid_signature',
      ])
    } finally {
      await app.close()
    }
  })
})
