/** The scripts of package.json, if the packages were installed without their install scripts. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { ROOT } from '../../src/process/bundle.ts'

const { postinstall: _, ...scripts } = manifest.scripts
const names = Object.keys(scripts)

/** What a script says in a tree without a generated client. */
function said(name: string, node_options: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'installed-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'src'))
  for (const file of ['package.json', 'src/entry.js', 'src/installed.js'])
    cpSync(join(ROOT, file), join(folder, file))
  const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter)
  const { status, stdout, stderr } = spawnSync('sh', ['-c', scripts[name as keyof typeof scripts]], {
    cwd: folder,
    env: { PATH, NODE_OPTIONS: node_options },
    encoding: 'utf8',
  })
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  return stderr
}

test.each(names)('npm run %s says how the Node of the service is had', (name) => {
  expect(said(name, '--no-experimental-strip-types')).toMatch(
    /^This is Node \d.* needs Node 24\. .*npm ci --ignore-scripts=false\n$/,
  )
})

test.each(names.filter((name) => name !== 'generate'))(
  'npm run %s says how the generated client is had',
  (name) => {
    expect(said(name, '')).toMatch(
      /^The Prisma client .*: npm run generate\. .*npm ci --ignore-scripts=false\n$/,
    )
  },
)
