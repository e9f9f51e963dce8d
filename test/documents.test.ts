/** What the documents for people name is there: files, links and commands. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

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
