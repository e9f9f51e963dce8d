import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  CannotDecrypt,
  createSecretBox,
  type EncryptionKey,
  parseEncryptionKey,
} from '../../src/lib/secret-box.ts'

const keyOf = (id: string, byte: number): EncryptionKey => ({ id, key: Buffer.alloc(32, byte) })

const [OLD, NEW] = [keyOf('old', 1), keyOf('new', 2)]
const PLACE = ['ten_a', 'prod', 'hudu', 'secrets']
const box = createSecretBox([OLD])

describe('a secret box', () => {
  it('gives back every text that it encrypted, in its place', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 300 })
    const place = fc.array(fc.string({ maxLength: 20 }), { maxLength: 4 })
    fc.assert(fc.property(text, place, (given, of) => box.decrypt(box.encrypt(given, of), of) === given))
  })

  it('encrypts the same text otherwise each time, and shows nothing of it', () => {
    const [one, other] = [box.encrypt('the secret', PLACE), box.encrypt('the secret', PLACE)]
    expect(one).not.toBe(other)
    expect(one).toMatch(/^v1\.old\.[\w-]+$/)
    expect(Buffer.from(one.split('.')[2] ?? '', 'base64url').includes('secret')).toBe(false)
  })

  it.each([
    ['another tenant', ['ten_b', 'prod', 'hudu', 'secrets']],
    ['another environment', ['ten_a', 'test', 'hudu', 'secrets']],
    ['another integration', ['ten_a', 'prod', 'it-glue', 'secrets']],
    ['another column', ['ten_a', 'prod', 'hudu', 'ingest_secret']],
    ['the same words, cut otherwise', ['ten_a', 'prod', 'hudusecrets']],
    ['no place', []],
  ])('a text copied to %s cannot be decrypted', (_case, place) => {
    expect(() => box.decrypt(box.encrypt('the secret', PLACE), place)).toThrow(CannotDecrypt)
  })

  it('refuses a text of which any character was changed', () => {
    const encrypted = box.encrypt('the secret', PLACE)
    for (let at = 0; at < encrypted.length - 1; at++) {
      const changed = encrypted.slice(0, at) + (encrypted[at] === 'A' ? 'B' : 'A') + encrypted.slice(at + 1)
      expect(() => box.decrypt(changed, PLACE), changed).toThrow(CannotDecrypt)
    }
    for (const text of ['', 'v1', 'v1.old', 'v1.old.', 'v1.old.AAAA', `${encrypted}.x`, 'plain text'])
      expect(() => box.decrypt(text, PLACE), text).toThrow(CannotDecrypt)
  })

  it('decrypts with every key, and encrypts with the first', () => {
    const both = createSecretBox([NEW, OLD])
    const encrypted = box.encrypt('the secret', PLACE)
    expect(both.decrypt(encrypted, PLACE)).toBe('the secret')
    const again = both.reencrypt(encrypted, PLACE)
    expect(again.startsWith(both.prefix)).toBe(true)
    expect(createSecretBox([NEW]).decrypt(again, PLACE)).toBe('the secret')
    expect(both.reencrypt(again, PLACE)).toBe(again)
    expect(() => box.decrypt(again, PLACE)).toThrow('The encryption key new is missing')
  })

  it('takes a key for another one if only the ids are the same', () => {
    const other = createSecretBox([{ ...NEW, id: 'old' }])
    expect(() => other.decrypt(box.encrypt('the secret', PLACE), PLACE)).toThrow(CannotDecrypt)
    expect(() => createSecretBox([OLD, { ...NEW, id: 'old' }])).toThrow('same id')
  })
})

describe('the key of a text', () => {
  const encoded = Buffer.alloc(32, 7).toString('base64')

  it('is its id and 32 bytes', () => {
    expect(parseEncryptionKey(`k-1:${encoded}`)).toEqual({ id: 'k-1', key: Buffer.alloc(32, 7) })
  })

  it.each([
    ['no id', encoded],
    ['an empty id', `:${encoded}`],
    ['an id with a point', `a.b:${encoded}`],
    ['capital letters', `K1:${encoded}`],
    ['31 bytes', `k1:${Buffer.alloc(31).toString('base64')}`],
    ['33 bytes', `k1:${Buffer.alloc(33).toString('base64')}`],
    ['no base64', `k1:${'!'.repeat(43)}=`],
    ['more text', `k1:${encoded}x`],
  ])('is refused with %s, and the error does not show it', (_case, text) => {
    expect(() => parseEncryptionKey(text)).toThrow(/^each must be an id/)
  })
})
