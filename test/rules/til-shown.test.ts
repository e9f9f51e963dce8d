import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hiddenCharacters, shownPlan, type Texts } from '../../src/areas/til-requests/asking/rules/shown.ts'
import { hiddenIn, hiddenInShown, shownText } from '../../src/lib/hidden-characters.ts'
import { TOOLS } from '../../src/tools/registry.ts'
import { chosenSchemaOf, secretPathsOf } from '../../src/tools/secret-arguments.ts'

const TEXTS: Texts = { arguments: null, title: '', summary: '', plan: null, question: null, options: null }

describe('hidden characters', () => {
  it.each([
    ['NUL', '\u0000', 'U+0000'],
    ['escape', '\u001b', 'U+001B'],
    ['a carriage return alone', '\r', 'U+000D'],
    ['a control of C1', '\u009b', 'U+009B'],
    ['a soft hyphen', '\u00ad', 'U+00AD'],
    ['a zero-width space', '\u200b', 'U+200B'],
    ['a zero-width joiner', '\u200d', 'U+200D'],
    ['a right-to-left override', '\u202e', 'U+202E'],
    ['an isolate', '\u2066', 'U+2066'],
    ['a line separator', '\u2028', 'U+2028'],
    ['a byte order mark', '\ufeff', 'U+FEFF'],
    ['a Hangul filler', '\u3164', 'U+3164'],
    ['a tag', '\u{e0041}', 'U+E0041'],
    ['a variation selector', '\u{e0100}', 'U+E0100'],
  ])('are named and shown: %s', (_name, character, code_point) => {
    expect(hiddenIn({ text: `a${character}b` })).toEqual([{ path: 'text', index: 1, code_point }])
    expect(shownText(`a${character}b`)).toBe(`a${code_point}b`)
  })

  it.each(['One\ntwo\r\n\tthree', 'Grüße, 日本語 🙂', ''])('are none in %j', (text) => {
    expect([hiddenIn(text), shownText(text)]).toEqual([[], text])
  })

  it('are found in lists, in nested values and in the names of properties', () => {
    expect(hiddenIn({ a: ['x', 'y\u200b'], 'b\u202e': { c: 1 } }, 'arguments')).toEqual([
      { path: 'arguments.a.1', index: 1, code_point: 'U+200B' },
      { path: 'arguments.bU+202E', index: 1, code_point: 'U+202E' },
    ])
  })

  it('are shown wherever they are, and none is left', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '\n', '\u202e', '\u200b', '\u{e0041}', '🙂') })
    fc.assert(
      fc.property(text, (given) => {
        const shown = shownText(given)
        expect(hiddenIn(shown)).toEqual([])
        const named = hiddenInShown(given, 'summary')
        expect(named).toHaveLength(hiddenIn(given).length)
        for (const { index, code_point } of named) expect(shown.startsWith(code_point, index)).toBe(true)
      }),
    )
  })
})

describe('a request as it is shown', () => {
  it('names what is hidden in each of its texts', () => {
    const plan = [{ step: 1, text: 'Go\u200b.', access: 'WRITE' as const }]
    const hidden = hiddenCharacters({
      arguments: { to: '\u202eevil' },
      title: 'T\u0007',
      summary: 'S\u200b\u200b',
      plan,
      question: 'Q\u061c',
      options: [{ id: '1', label: '\ufeffyes' }],
    })
    expect(hidden.map(({ path, index }) => [path, index])).toEqual([
      ['arguments.to', 0],
      ['title', 1],
      ['question', 1],
      ['options.0.label', 0],
      ['summary', 1],
      ['summary', 7],
      ['plan.0.text', 2],
    ])
    expect(shownPlan(plan)[0]?.text).toBe('GoU+200B.')
  })

  it('names no more than 100', () => {
    expect(hiddenCharacters({ ...TEXTS, arguments: '\u200b'.repeat(1000) })).toHaveLength(100)
  })
})

describe('a secret argument', () => {
  const input_schema = {
    type: 'object',
    properties: {
      name: { type: 'string' },
      password: { type: 'string', secret: true },
      steps: {
        type: 'array',
        items: { type: 'object', properties: { pin: { type: 'string', secret: true } }, required: ['pin'] },
      },
    },
    required: ['name', 'password'],
    additionalProperties: false,
  }

  it('is named, and no part of what a caller chooses', () => {
    expect(secretPathsOf({ input_schema })).toEqual(['password', 'steps[].pin'])
    expect(chosenSchemaOf({ input_schema })).toEqual({
      type: 'object',
      properties: {
        name: { type: 'string' },
        steps: { type: 'array', items: { type: 'object', properties: {}, required: [] } },
      },
      required: ['name'],
      additionalProperties: false,
    })
  })

  it.each(TOOLS)('leaves the schema of $name, which has none, as it is', (tool) => {
    expect(secretPathsOf(tool)).toEqual([])
    expect(chosenSchemaOf(tool)).toEqual(tool.input_schema)
  })
})
