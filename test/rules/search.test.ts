import { expect, it } from 'vitest'
import { containsPattern } from '../../src/lib/like-pattern.ts'

it.each([
  ['acme', '%acme%'],
  ['50%', '%50\\%%'],
  ['a_b', '%a\\_b%'],
  ['c:\\', '%c:\\\\%'],
  ['\\%_', '%\\\\\\%\\_%'],
])('text containsPattern %j has the pattern %j', (search, pattern) => {
  expect(containsPattern(search)).toBe(pattern)
})
