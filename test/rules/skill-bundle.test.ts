import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Bundle, bundleOf, type Sent, skillMdOf, slugOf } from '../../src/tools/skill-bundle.ts'
import { skillFile, skillMd } from '../setup/skill-files.ts'

function made(sent: Sent, stored: Bundle | null = null) {
  const result = bundleOf(sent, stored)
  if ('problems' in result) throw new Error(JSON.stringify(result.problems))
  return result
}

const problems = (sent: Sent, stored: Bundle | null = null): string[] => {
  const result = bundleOf(sent, stored)
  return 'problems' in result ? result.problems.map(({ field, code }) => `${field} ${code}`) : []
}

const files = (content: string, ...others: [string, string][]) => ({
  files: [{ path: 'SKILL.md', content }, ...others.map(([path, text]) => ({ path, content: text }))],
})

const RESET = skillMd('password-reset', 'Use for passwords.', '# Reset\n')
const stored = made({ ...files(RESET, ['references/forms.md', 'Forms.']), name: 'Password reset' }).bundle

describe('the bundle of a new skill', () => {
  it('is the files as they were sent, if their front matter is whole', () => {
    expect(made(files(RESET))).toEqual({
      bundle: {
        slug: 'password-reset',
        name: 'Password reset',
        description: 'Use for passwords.',
        allowed_tools: [],
        files: [skillFile('SKILL.md', RESET)],
      },
      foreign_tools: [],
    })
  })

  it('gets the front matter that SKILL.md lacks from the body', () => {
    const { bundle } = made({
      name: 'Password reset',
      description: 'Use for passwords.',
      allowed_tools: ['ticket.read', 'ticket.read'],
      instructions: '# Reset',
    })
    expect(bundle).toMatchObject({ slug: 'password-reset', allowed_tools: ['ticket.read'] })
    expect(skillMdOf(bundle.files)).toBe(
      '---\nname: password-reset\ndescription: Use for passwords.\nallowed-tools: ticket.read\n---\n\n# Reset',
    )
    const completed = made({
      ...files('---\nlicense: MIT\n---\n# Reset\n'),
      name: 'A b',
      description: 'C: d',
    })
    expect(skillMdOf(completed.bundle.files)).toBe(
      '---\nname: a-b\ndescription: "C: d"\nlicense: MIT\n---\n# Reset\n',
    )
  })

  it('takes a file of the public format with every key that the format has', () => {
    const content = `---
name: data-analysis
description: >
  Summarises tables.
  Use when a ticket has a spreadsheet.
license: Proprietary. LICENSE.txt has complete terms
compatibility: Requires git, docker, jq, and access to the internet
metadata:
  author: example-org
  version: "1.0"
allowed-tools: Bash(git:*) Bash(jq *) Read ticket.read
argument-hint: "[file]"
---

# Data analysis
`
    const { bundle, foreign_tools } = made(
      files(content, ['scripts/extract.py', 'print()'], ['LICENSE.txt', 'Mine.']),
    )
    expect(skillMdOf(bundle.files)).toBe(content)
    expect(bundle).toMatchObject({
      slug: 'data-analysis',
      name: 'Data analysis',
      description: 'Summarises tables. Use when a ticket has a spreadsheet.',
      allowed_tools: ['ticket.read'],
    })
    expect(foreign_tools).toEqual(['Bash(git:*)', 'Bash(jq *)', 'Read'])
  })

  it('reads allowed-tools as words, between commas, or as a list', () => {
    for (const value of [
      'ticket.read device.search',
      'ticket.read, device.search',
      '[ticket.read, device.search]',
    ])
      expect(
        made(files(`---\nname: a\ndescription: b\nallowed-tools: ${value}\n---\n`)).bundle.allowed_tools,
      ).toEqual(['ticket.read', 'device.search'])
  })

  const large = 'x'.repeat(100 * 1024)

  it.each<[string, Sent, string[]]>([
    ['nothing', {}, ['slug required', 'description required']],
    ['no SKILL.md', { files: [{ path: 'skill.md', content: RESET }] }, ['files required']],
    ['files and instructions', { ...files(RESET), instructions: 'x' }, ['instructions exclusive']],
    ['a path twice', files(RESET, ['a/B.md', ''], ['A/b.md', '']), ['files.2.path duplicate']],
    ['a path upwards', files(RESET, ['../a', '']), ['files.1.path format']],
    [
      'a path in between',
      files(RESET, ['a/../../b', ''], ['./c', ''], ['d/.', '']),
      ['files.1.path format', 'files.2.path format', 'files.3.path format'],
    ],
    ['dots in names', files(RESET, ['...', ''], ['.a', ''], ['a..b', '']), []],
    [
      'another hash',
      { files: [{ ...skillFile('SKILL.md', RESET), content: `${RESET} ` }] },
      ['files.0.sha256 mismatch'],
    ],
    ['100 KB', files(RESET, ['a', large]), []],
    ['more than 100 KB', files(RESET, ['a', `${large}x`]), ['files.1.content length']],
    ['100 KB of letters of two bytes', files(RESET, ['a', 'é'.repeat(51_201)]), ['files.1.content length']],
    [
      '20 files of 100 KB',
      files(RESET, ...Array.from({ length: 19 }, (_, n): [string, string] => [`${n}`, large])),
      ['files length'],
    ],
    ['front matter without an end', files('---\nname: a'), ['files.0.content front_matter']],
    ['front matter in instructions', { instructions: '---\nname: [\n---\n' }, ['instructions front_matter']],
    [
      'a name that is no text',
      files('---\nname: [a]\ndescription: b\n---\n'),
      ['files.0.content front_matter', 'slug required'],
    ],
    [
      'a name that is no slug',
      files('---\nname: PDF-Processing\ndescription: b\n---\n'),
      ['files.0.content format'],
    ],
    [
      'a name of 65 characters',
      files(`---\nname: ${'a'.repeat(65)}\ndescription: b\n---\n`),
      ['files.0.content format'],
    ],
    ['another slug', { ...files(RESET), slug: 'other' }, ['slug mismatch']],
    ['another description', { ...files(RESET), description: 'Other.' }, ['files mismatch']],
    ['a long description', files(skillMd('a', 'x'.repeat(1025), '')), ['files.0.content length']],
    [
      'other tools',
      {
        ...files('---\nname: a\ndescription: b\nallowed-tools: ticket.read\n---\n'),
        allowed_tools: ['device.search'],
      },
      ['files mismatch'],
    ],
    [
      'an unknown tool',
      { ...files(RESET), allowed_tools: ['ticket.read', 'ticket.eat'] },
      ['allowed_tools.1 unknown'],
    ],
    [
      'an unknown tool of the form of ours',
      files('---\nname: a\ndescription: b\nallowed-tools: ticket.eat\n---\n'),
      ['files.0.content unknown'],
    ],
    ['a name without letters', { ...files('# A\n'), name: '✓✓', description: 'b' }, []],
    ['a name of hyphens', { ...files('# A\n'), name: '--', description: 'b' }, ['slug required']],
  ])('of a body with %s has these problems', (_what, sent, expected) => {
    expect(problems(sent)).toEqual(expected)
  })
})

describe('the bundle of a stored skill', () => {
  const next = (sent: Sent) => made(sent, stored).bundle

  it('stays as it is by its own content, and by nothing', () => {
    expect(next({})).toEqual(stored)
    expect(next(stored)).toEqual(stored)
  })

  it('has another name for people without another file', () => {
    expect(next({ name: 'Passwords' })).toEqual({ ...stored, name: 'Passwords' })
  })

  it('has another description and other tools in SKILL.md too', () => {
    const { files: after, ...rest } = next({ description: 'Other: things.', allowed_tools: ['ticket.read'] })
    expect(rest).toMatchObject({ description: 'Other: things.', allowed_tools: ['ticket.read'] })
    expect(skillMdOf(after)).toBe(
      '---\nallowed-tools: ticket.read\nname: password-reset\ndescription: "Other: things."\n---\n\n# Reset\n',
    )
    expect(after[1]).toEqual(stored.files[1])
  })

  it('keeps the words of other products when its tools change', () => {
    const content = '---\nname: a\ndescription: b\nallowed-tools: Bash(git *) ticket.read\n---\n'
    const before = made(files(content)).bundle
    const toolsOf = (allowed_tools: string[]) => skillMdOf(made({ allowed_tools }, before).bundle.files)
    expect(toolsOf(['device.search'])).toBe(
      content.replace('Bash(git *) ticket.read', 'device.search Bash(git *)'),
    )
    expect(toolsOf([])).toBe(content.replace(' ticket.read', ''))
  })

  it('keeps front matter and other files when instructions replace the text', () => {
    const { files: after } = next({ instructions: '# Other' })
    expect(skillMdOf(after)).toBe('---\nname: password-reset\ndescription: Use for passwords.\n---\n# Other')
    expect(after[1]).toEqual(stored.files[1])
  })

  it('gets front matter that other files lack from what is stored', () => {
    expect(skillMdOf(next(files('# Bare\n')).files)).toBe(
      skillMd('password-reset', 'Use for passwords.', '# Bare\n'),
    )
  })

  it('has no tools any more if a sent SKILL.md with front matter names none', () => {
    const content = '---\nname: a\ndescription: b\nallowed-tools: ticket.read\n---\n'
    const before = made(files(content)).bundle
    const sent = files(content.replace('allowed-tools: ticket.read\n', ''))
    expect(made(sent, before).bundle).toMatchObject({
      allowed_tools: [],
      files: [{ content: sent.files[0]?.content }],
    })
    expect(made(files('# Bare'), before).bundle.allowed_tools).toEqual(['ticket.read'])
  })

  it('keeps its slug', () => {
    expect(problems(files(skillMd('other', 'Use for passwords.', '')), stored)).toEqual(['slug mismatch'])
  })
})

it('what a bundle is read as makes an equal one, whatever was sent', () => {
  const text = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
    .filter((value) => value.isWellFormed() && value.trim() === value)
  const sent = fc.record({
    slug: fc.constantFrom('a', 'a-b-1'),
    name: text,
    description: text,
    allowed_tools: fc.subarray(['ticket.read', 'device.search', 'ticket.add_note']),
    files: fc.constantFrom(
      files('# A\n').files,
      files('---\nlicense: MIT\n---\n').files,
      files('---\r\nmetadata:\r\n  a: b\r\n---\r\n# B\r\n', ['a b/c.md', '']).files,
    ),
  })
  fc.assert(
    fc.property(sent, (body) => {
      const { bundle } = made(body)
      expect(made(bundle).bundle).toEqual(bundle)
      expect(made(bundle, bundle).bundle).toEqual(bundle)
      expect(made({ ...bundle, instructions: undefined, name: undefined }, bundle).bundle).toEqual(bundle)
    }),
  )
})

it.each([
  ['Password reset', 'password-reset'],
  ['  Größe & Zoll — 2 ', 'grosse-zoll-2'],
  ['日本', 'riben'],
  ['--', ''],
  [`${'a'.repeat(63)} b`, 'a'.repeat(63)],
])('the slug of the name %j is %j', (name, slug) => {
  expect(slugOf(name)).toBe(slug)
})
