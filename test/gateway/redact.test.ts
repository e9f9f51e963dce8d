import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { newSecret } from '../../src/access/credentials/api-key-secret.ts'
import { activitySnapshot, holdsSecret, redact } from '../../src/gateway/redact.ts'

describe('a snapshot', () => {
  it('has no secret, whatever it stands in', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        const secret = newSecret('dev')
        const value = {
          note: before + secret + after,
          deep: [{ key: secret, api_token: 'x' }],
          key_hash: Buffer.from('x'),
        }
        expect(JSON.stringify(redact(value))).not.toContain(secret)
        expect(redact(value)).toMatchObject({
          deep: [{ key: '[removed]', api_token: '[removed]' }],
          key_hash: '[removed]',
        })
      }),
    )
  })

  it('keeps what is no secret', () => {
    const value = {
      key_id: 'key_1',
      name: 'Nightly',
      at: new Date(0),
      scopes: ['a'],
      expires_at: null,
      count: 3,
    }
    expect(redact(value)).toEqual({ ...value, at: '1970-01-01T00:00:00.000Z' })
  })

  it.each([
    ['a key', '-----BEGIN PRIVATE KEY-----', 'a'],
    ['a token', 'eyJ', 'a'],
  ])('is made of a text of 20 million characters that begins like %s', (_what, start, letter) => {
    expect(String(redact(start + letter.repeat(20_000_000))).length).toBeLessThanOrEqual(2_000_000)
  })

  it('has no signature of a feedback link, which callers may send on', () => {
    const expires = 'https://a.example/public-api/feedback/fb_1/form?expires=1'
    const text = `<a href="${expires}&amp;signature=ab-c_d">${expires}&signature=ab-c_d</a>`
    expect(redact({ text })).toEqual({ text: text.replaceAll('ab-c_d', '[removed]') })
    expect(holdsSecret(text)).toBe(false)
  })

  it.each([
    [
      'in the address of a scanner',
      'https://safe.example/?url=https%3A%2F%2Fa%2Ffeedback%2Ffb_1%2Fform%3Fexpires%3D1%26signature%3Dab-c_d&data=x',
    ],
    ['of the form that is submitted', 'https://a/public-api/feedback/fb_1/submit?expires=1&signature=ab-c_d'],
    ['before its end', 'https://a/public-api/feedback/fb_1/form?signature=ab-c_d&expires=1'],
    ['in HTML', 'https://a/public-api/feedback/fb_1/form?expires=1&#38;signature=ab-c_d'],
    ['in JSON with escapes', '"/feedback/fb_1/form?expires=1\\u0026signature=ab-c_d"'],
  ])('has no signature of a feedback link %s', (_where, text) => {
    expect(redact(text)).toBe(text.replace('ab-c_d', '[removed]'))
  })

  it('over 64 KiB is only its size', () => {
    expect(activitySnapshot({ text: 'x'.repeat(64 * 1024) })).toEqual({
      truncated: true,
      bytes: 64 * 1024 + 11,
    })
    expect(activitySnapshot({ text: 'x'.repeat(64 * 1024 - 11) })).toHaveProperty('text')
  })
})

it.each([
  [{ text: 'Authorization: Bearer\n0123456789' }, true],
  [{ list: [{ 'Bearer 0123456789': 1 }] }, true],
  [{ text: 'The bearer of this', list: [1, null, true] }, false],
  [null, false],
])('the value %j holds a secret: %j', (value, expected) => {
  expect(holdsSecret(value)).toBe(expected)
})
