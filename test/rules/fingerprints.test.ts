import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { fingerprint, isFingerprintOf } from '../../src/gateway/idempotency.ts'

const CONTENT = ['rest', { name: 'halo-psa', client_secret: 'a' }]
const OTHER = ['rest', { name: 'halo-psa', client_secret: 'b' }]
const BARE = createHash('sha256').update(JSON.stringify(CONTENT)).digest('hex')

it.each([
  ['the secret that signs', fingerprint('new', CONTENT), CONTENT, true],
  ['a secret that is still listed', fingerprint('old', CONTENT), CONTENT, true],
  ['a secret that is not listed', fingerprint('lost', CONTENT), CONTENT, false],
  ['no secret, as release 1.0.0 kept it', BARE, CONTENT, true],
  ['the secret that signs, of other arguments', fingerprint('new', CONTENT), OTHER, false],
  ['no secret, of other arguments', BARE, OTHER, false],
])('a fingerprint under %s', (_secret, kept, content, is_same) => {
  expect(isFingerprintOf(['new', 'old'], kept, content)).toBe(is_same)
})

it('the fingerprint that is kept depends on the secret', () => {
  expect(new Set([fingerprint('new', CONTENT), fingerprint('old', CONTENT), BARE]).size).toBe(3)
})
