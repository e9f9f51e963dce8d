import { describe, expect, it } from 'vitest'
import { emailForms, isSameEmail } from '../../src/lib/email-address.ts'

const KELVIN = '\u212a'

describe('two addresses', () => {
  it.each([
    ['ada@alder.test', ' ADA@Alder.TEST\n'],
    ['ada@bücher.test', 'ada@xn--bcher-kva.test'],
    ['ada@bücher.test', 'ADA@BÜCHER.TEST'],
    [`ada@${KELVIN}elvin.test`, 'ada@kelvin.test'],
    ['zoë@alder.test', 'zoë@ALDER.test'],
  ])('%j and %j are the same', (one, other) => {
    expect(isSameEmail(one, other)).toBe(true)
    expect(isSameEmail(other, one)).toBe(true)
  })

  it.each([
    [`${KELVIN}im@alder.test`, 'kim@alder.test'],
    ['ſam@alder.test', 'sam@alder.test'],
    ['zoë@alder.test', 'zoË@alder.test'],
    ['İda@alder.test', 'ida@alder.test'],
    ['ada+x@alder.test', 'ada@alder.test'],
    ['a.da@alder.test', 'ada@alder.test'],
    ['ada@alder.test.', 'ada@alder.test'],
    ['ada', 'ada'],
    ['@alder.test', '@alder.test'],
    ['', ''],
    ['ada@a b.test', 'ada@a b.test'],
  ])('%j and %j are not', (one, other) => {
    expect(isSameEmail(one, other)).toBe(false)
  })
})

it('an address is stored with its domain in ASCII, or as people write it', () => {
  expect(emailForms('Ada@Bücher.test')).toEqual(['ada@xn--bcher-kva.test', 'ada@bücher.test'])
  expect(emailForms('Ada@Alder.test')).toEqual(['ada@alder.test'])
})
