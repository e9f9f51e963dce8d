import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  hashSecret,
  lastFourOf,
  newSecret,
  parseSecret,
  prefixOf,
} from '../../src/access/credentials/api-key-secret.ts'
import { checksum, randomBase62 } from '../../src/lib/base62.ts'
import { newId } from '../../src/lib/ids.ts'

const environments = fc.stringMatching(/^[a-z0-9]{1,8}(-[a-z0-9]{1,8}){0,2}$/)

describe('base62', () => {
  test('bytes that would make some characters likelier are left out', () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte)
    const counts = Map.groupBy(
      randomBase62(248, () => bytes),
      (letter) => letter,
    )
    expect(counts.size).toBe(62)
    expect(new Set([...counts.values()].map((letters) => letters.length))).toEqual(new Set([4]))
  })

  test('a source whose bytes are mostly unusable is asked again', () => {
    let asked = 0
    const text = randomBase62(5, () => Uint8Array.of(255, 250, asked++))
    expect(text).toBe('01234')
  })

  test.each([
    ['', '000000'],
    ['123456789', '3jZRME'],
  ])('the checksum of %j is %s', (text, expected) => {
    expect(checksum(text)).toBe(expected)
  })

  test('an id is its prefix and 22 characters', () => {
    expect(newId('key')).toMatch(/^key_[0-9A-Za-z]{22}$/)
    expect(newId('key')).not.toBe(newId('key'))
  })
})

describe('the secret of a key', () => {
  test('says its environment', () => {
    fc.assert(
      fc.property(environments, (environment) => {
        const secret = newSecret(environment)
        expect(parseSecret(secret)).toEqual({ environment })
        expect(secret).toMatch(/^svc_sk_[a-z0-9-]+_[0-9A-Za-z]{46}$/)
      }),
    )
  })

  test('with one character changed is not one', () => {
    const secret = newSecret('dev')
    fc.assert(
      fc.property(fc.nat(secret.length - 1), fc.stringMatching(/^[0-9A-Za-z_-]$/), (place, letter) => {
        fc.pre(secret[place] !== letter)
        expect(parseSecret(secret.slice(0, place) + letter + secret.slice(place + 1))).toBeNull()
      }),
    )
  })

  test.each([
    '',
    'svc_sk_',
    'svc_sk_dev_',
    `svc_sk__${'a'.repeat(46)}`,
    `svc_sk_Dev_${'a'.repeat(46)}`,
    `svc_sk_-dev_${'a'.repeat(46)}`,
    `svc_sk_dev-_${'a'.repeat(46)}`,
    `svc_sk_de_v_${'a'.repeat(46)}`,
    `${newSecret('dev')}a`,
    `${newSecret('dev')}\n`,
    ` ${newSecret('dev')}`,
  ])('is not %j', (text) => {
    expect(parseSecret(text)).toBeNull()
  })

  test('is shown by its start and its end', () => {
    const secret = newSecret('eu-1')
    expect(prefixOf(secret)).toBe(secret.slice(0, 'svc_sk_eu-1_'.length + 6))
    expect(lastFourOf(secret)).toBe(secret.slice(-4))
  })

  test('is stored as 32 bytes that depend on the pepper', () => {
    const secret = newSecret('dev')
    expect(hashSecret('a', secret)).toHaveLength(32)
    expect(hashSecret('a', secret)).toEqual(hashSecret('a', secret))
    expect(hashSecret('a', secret)).not.toEqual(hashSecret('b', secret))
  })
})
