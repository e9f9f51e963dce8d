import { expect, it } from 'vitest'
import { containing } from '../../src/lib/search.ts'

it.each([
  ['acme', '%acme%'],
  ['50%', '%50\\%%'],
  ['a_b', '%a\\_b%'],
  ['c:\\', '%c:\\\\%'],
  ['\\%_', '%\\\\\\%\\_%'],
])('text containing %j has the pattern %j', (search, pattern) => {
  expect(containing(search)).toBe(pattern)
})
