/** What the documents for people name is there: files, links and commands. Sentences say “if” for a condition. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const { scripts, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

const OWN_SCRIPTS = new Set([...Object.keys(scripts), 'ci'])

const found = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, name = '']) => name)

const missing = (names: readonly string[], folder: string): string[] =>
  names.filter((name) => !existsSync(join(folder, name)))

describe.each(globSync(['*.md', 'docs/*.md'], { cwd: ROOT }))('%s', (file) => {
  const text = readFileSync(join(ROOT, file), 'utf8')

  it('links to files that are there', () => {
    const links = found(text, /\]\((?!https?:|#)([^)#]+)/g)
    expect(missing(links, dirname(join(ROOT, file)))).toEqual([])
  })

  it('names files that are there', () => {
    // `…`, `<area>` and `*` stand for other names.
    const paths = found(text, /`((?:src|test|bench|prisma|docs)\/[\w./-]+)`/g)
    expect(missing(paths, ROOT)).toEqual([])
  })

  it('names commands that are there', () => {
    const commands = found(text, /npm run (?:--silent )?([\w:-]+)/g)
    expect(commands.filter((name) => !OWN_SCRIPTS.has(name))).toEqual([])
  })
})

describe('CHANGELOG.md', () => {
  const text = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8')
  const [unreleased = '', ...releases] = found(text, /^## (.+)$/gm)
  const numbers = (version: string) => version.split('.').map(Number)

  it('has what is not released first, and then the versions, the newest first, with their dates', () => {
    expect(unreleased).toBe('Unreleased')
    const parts = releases.map((release) => /^(\d+\.\d+\.\d+) - (\d{4}-\d{2}-\d{2})$/.exec(release))
    expect(parts).not.toContain(null)
    const versions = parts.map((part) => numbers(part?.[1] ?? ''))
    const newestFirst = versions.toSorted(
      ([a = 0, b = 0, c = 0], [d = 0, e = 0, f = 0]) => d - a || e - b || f - c,
    )
    expect(versions).toEqual(newestFirst)
    const dates = parts.map((part) => part?.[2] ?? '')
    expect(dates).toEqual(dates.toSorted().reverse())
  })

  it('has the version of package.json as its newest', () => {
    expect(releases[0]?.split(' ')[0]).toBe(version)
  })

  it('says in each version what breaks callers before everything else', () => {
    for (const section of text.split(/^## /m).slice(1)) {
      const headings = found(section, /^### (.+)$/gm)
      expect([[], ['Breaking'], ['Breaking', 'Other changes']], section.slice(0, 30)).toContainEqual(headings)
    }
  })
})

/** “Where” is for a place. CHANGELOG.md is history. */
const WHERE_FOR_IF =
  /\b(?:true|false|null|none|empty|throws|rejects|fails|refused|[45]\d\d|only|also|even) where\b|,\swhere it is left out|^\s*(?:\/\*\*|\/\/\/?|\*) Where /i

it('comments, descriptions and documents say if for a condition', () => {
  const names = globSync(['{src,test,bench}/**/*.{ts,js,md}', 'prisma/*.prisma', '*.md', 'docs/*.md'], {
    cwd: ROOT,
  })
  const files = names.filter((name) => !/generated|node_modules|CHANGELOG/.test(name))
  const lines = files.flatMap((file) =>
    readFileSync(join(ROOT, file), 'utf8')
      .split('\n')
      .filter((line) => WHERE_FOR_IF.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  )
  expect(files.length).toBeGreaterThan(1000)
  expect(lines).toEqual([])
})
