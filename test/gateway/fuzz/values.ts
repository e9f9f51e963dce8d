import fc from 'fast-check'
import { expect } from 'vitest'
import { published } from '../../setup/api.ts'
import { world } from '../../setup/world.ts'

/** Other values on each database: few answers depend on which it is, and twice as many values are tried. */
export const RUNS = {
  seed: process.env.DATABASE_URL ? 20_261_121 : 20_261_122,
  numRuns: 6,
  endOnFailure: true,
}

export const { operations, documents } = await published()
export const msp = await world()
export const callers = [msp.admin, await msp.newKey()]

/** Texts that no answer may show: paths of the code, and names of its parts. */
export const INSIDE =
  /node_modules|\.ts:\d|\.js:\d|prisma|postgres|pglite|select .* from |\bat \w+.*\(|syntax error at|internal_error/i

const nested = (levels: number): unknown =>
  Array.from({ length: levels }).reduce<unknown>((inner) => ({ a: [inner] }), 'deep')

export const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    'a\0b',
    '\ud800',
    '\udfff\ud800',
    '%',
    '_',
    '\\',
    "'",
    '";--',
    '$1',
    '../..',
    '%00',
    '%zz',
    '__proto__',
    'constructor',
    'toString',
    'null',
    'true',
    '0',
    '-0',
    '1e400',
    '0x2',
    '2147483648',
    'NaN',
    '2026-02-30',
    '0000-01-01',
    '9999-12-31T23:59:59+14:00',
    '-271821-04-20T00:00:00Z',
    '2026-01-01T24:00:00Z',
    'Europe/London',
    'europe/london',
    '+05:30',
    'localtime',
    'posix/UTC',
    '💥'.repeat(100),
    'é'.repeat(5000),
  ),
)

export const number = fc.oneof(
  fc.constantFrom(0, -0, -1, 1.5, 2 ** 31 - 1, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, 5e-324),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)

export const anything = fc.oneof(
  text,
  number,
  fc.constantFrom(null, true, false, [], {}, [[]], [null], nested(60), 'x'.repeat(20_000)),
  fc.array(text, { maxLength: 3 }),
  fc.constantFrom({ text: 'a\0b' }, { 'a\ud800': [1] }, [{ deep: ['\udfff'] }], {
    number: JSON.parse('1e400'),
  }),
  fc.constant(JSON.parse('{"__proto__": {"tenant_id": "x"}, "constructor": null}')),
  fc.constant(Array.from({ length: 201 }, (_, i) => i)),
)

interface GraphqlAnswer {
  errors?: { message: string; extensions: { code: string; status: number } }[]
}

export function judge({ errors = [] }: GraphqlAnswer): void {
  for (const { message, extensions } of errors) {
    expect(extensions.status, extensions.code).toBeLessThan(500)
    expect(extensions.status).toBeGreaterThanOrEqual(400)
    expect(message).not.toMatch(INSIDE)
  }
}
