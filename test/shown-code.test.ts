/** The TypeScript that ARCHITECTURE and CONTRIBUTING show is code of the service: it compiles, and it is what there is. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const AREAS = join(ROOT, 'src/areas')

/** Without what formatting changes. */
const bare = (code: string): string => code.replaceAll(/[\s,]+/g, '')

const sources = readdirSync(AREAS, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => bare(readFileSync(join(AREAS, name), 'utf8')))

const blocks = ['ARCHITECTURE.md', 'CONTRIBUTING.md'].flatMap((file) =>
  [...readFileSync(join(ROOT, file), 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)].flatMap(([, block = '']) =>
    // One block may show two declarations.
    block.split('\n\n').map((code) => [file, code.split('\n', 1)[0] ?? '', code] as const),
  ),
)

test('both show some', () => {
  expect(new Set(blocks.map(([file]) => file)).size).toBe(2)
})

test.each(blocks)('%s: %s', (_file, _line, code) => {
  // `…` stands for what is left out.
  const parts = bare(code).split('…')
  const shows = (source: string): boolean => {
    let at = 0
    return parts.every((part) => {
      const found = source.indexOf(part, at)
      at = found + part.length
      return found >= 0
    })
  }
  expect(sources.some(shows), `no file in src/areas has this:\n${code}`).toBe(true)
})
