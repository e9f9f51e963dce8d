import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type FrontMatter, frontMatterOf } from '../../src/lib/front-matter.ts'

function readable(file: string): FrontMatter {
  const front_matter = frontMatterOf(file)
  if ('problem' in front_matter) throw new Error(front_matter.problem)
  return front_matter
}

const problemOf = (file: string): string | null => {
  const front_matter = frontMatterOf(file)
  return 'problem' in front_matter ? front_matter.problem : null
}

const PUBLIC = `---
name: pdf-processing # the folder
# for people
description: Extract PDF text, fill forms, merge files. Use when handling PDFs.
license: Apache-2.0
metadata:
  author: example-org
  version: "1.0"
allowed-tools:
  - Bash(git:*)
  - Read
---
# PDF processing
`

describe('front matter', () => {
  it.each([
    ['a file without any', '# A\n\n---\n', undefined],
    ['an empty file', '', undefined],
    ['no keys', '---\n---\n# A\n', undefined],
    ['text', '---\nname: a b\n---\n', 'a b'],
    ['a number, which is text', '---\nname: 007\n---\n', '007'],
    ['a quoted text', '---\nname: "a: b"\n---\n', 'a: b'],
    ['a folded text', '---\nname: >-\n  a\n  b\n---\n', 'a b'],
    ['lines that end as in Windows', '---\r\nname: a\r\n---\r\n# A\r\n', 'a'],
    ['a byte order mark', '\uFEFF---\nname: a\n---\n', 'a'],
    ['a key without a value', '---\nname:\n---\n', ''],
    ['a list', '---\nname:\n  - a\n  - b\n---\n', ['a', 'b']],
    ['a map', '---\nname:\n  a: b\n---\n', null],
    ['a list of maps', '---\nname:\n  - a: b\n---\n', null],
    ['an alias', '---\na: &a x\nname: *a\n---\n', null],
    ['bytes', '---\nname: !!binary aGVsbG8=\n---\n', null],
    ['a tag of another language', '---\nname: !!python/object a\n---\n', 'a'],
  ])('has %s', (_what, file, value) => {
    expect(readable(file).get('name')).toEqual(value)
  })

  it.each([
    ['no end', '---\nname: a\n', 'has front matter without an end, which is a line of three hyphens'],
    [
      'no YAML',
      '---\nname: a\nb: c: d\n---\n',
      'has front matter that is no YAML, in its line 2: Nested mappings are not allowed in compact mappings',
    ],
    [
      'a key twice',
      '---\nname: a\nname: b\n---\n',
      'has front matter that is no YAML, in its line 2: Map keys must be unique',
    ],
    ['a list', '---\n- a\n---\n', 'has front matter that is not a key with its value on each line'],
    ['braces', '---\n{name: a}\n---\n', 'has front matter that is not a key with its value on each line'],
    [
      '10,001 characters',
      `---\n${'#'.repeat(10_000)}\n---\n`,
      'has front matter with more than 10,000 characters',
    ],
    [
      '9,000 brackets',
      `---\nname: ${'['.repeat(9000)}\n---\n`,
      'has front matter that is no YAML, in its line 1: Too many levels',
    ],
    [
      '4,500 levels',
      `---\n${'- '.repeat(4500)}\n---\n`,
      'has front matter that is no YAML, in its line 1: Too many levels',
    ],
  ])('with %s is refused', (_what, file, problem) => {
    expect(problemOf(file)).toBe(problem)
  })

  it('never resolves aliases, of which ten lines make billions of words', () => {
    const lines = Array.from({ length: 30 }, (_, n) => `a${n}: &a${n} [${n ? `*a${n - 1},`.repeat(9) : ''}x]`)
    const file = `---\n${lines.join('\n')}\nname: bomb\n---\n`
    expect(readable(file).get('name')).toBe('bomb')
    expect(readable(file).get('a29')).toBeNull()
    expect(readable(file).with({ name: 'b' })).toBe(file.replace('name: bomb', 'name: b'))
  })

  it('leaves all else as it is written when a key is changed, added or removed', () => {
    const changed = readable(PUBLIC).with({
      description: 'Two: lines\nand "quotes".',
      'allowed-tools': null,
      extra: 'x',
    })
    expect(changed).toBe(`---
extra: x
name: pdf-processing # the folder
# for people
description: "Two: lines\\nand \\"quotes\\"."
license: Apache-2.0
metadata:
  author: example-org
  version: "1.0"
---
# PDF processing
`)
    expect(readable('# A\n').with({ name: 'a', description: 'b' })).toBe(
      '---\nname: a\ndescription: b\n---\n\n# A\n',
    )
    expect(readable('---\n  name: a\n---\n').with({ license: 'b' })).toBe(
      '---\n  license: b\n  name: a\n---\n',
    )
    expect(readable('---\n? name\n: a\n---\n').with({ name: 'b' })).toBeNull()
  })

  it('has what was written, whatever the text is', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 60 }).filter((value) => value.isWellFormed())
    const file = fc.constantFrom(
      '# A\n',
      PUBLIC,
      PUBLIC.replaceAll('\n', '\r\n'),
      '---\n---\n',
      '---\nname: |\n  a\n\n  b\n\nx: y\n---',
    )
    fc.assert(
      fc.property(file, text, text, (before, name, description) => {
        const after = readable(before).with({ name, description })
        if (after === null) throw new Error('It was not written')
        const now = readable(after)
        expect([now.get('name'), now.get('description')]).toEqual([name, description])
        expect(after.endsWith(before.slice(readable(before).head.length))).toBe(true)
      }),
    )
  })
})
