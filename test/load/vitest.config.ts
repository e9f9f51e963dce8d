import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import config from '../vitest.config.ts'

const ROOT = join(import.meta.dirname, '../..')

/** The whole sizes of the tests that have a small one in `npm test`. Those of the environment win. */
const WHOLE = {
  TEST_CRASHES: '6',
  TEST_DELIVERIES: '300',
  TEST_EVENTS: '300',
  TEST_EXECUTIONS: '200',
  TEST_KILLS: '3',
  TEST_LINKS: '1000',
  TEST_RACES: '12',
  TEST_ROWS: '300000',
  TEST_SCRIPT_RUNS: '400',
  TEST_WEBHOOKS: '1000',
  TEST_WRITERS: '200',
}

/** The tests whose size one of these variables says, most by a constant that is read from it. */
function sized(): string[] {
  const found = globSync('test/**/*.test.ts', { cwd: ROOT }).filter((file) =>
    /env\.TEST_|\b(?:EXECUTIONS|RACES)\b/.test(readFileSync(join(ROOT, file), 'utf8')),
  )
  return [...found, 'test/lists/skewed.test.ts']
}

export default defineConfig({
  ...config,
  test: {
    ...config.test,
    include: ['test/load/*.load.ts', ...sized()],
    env: { ...WHOLE, ...process.env },
    fileParallelism: false,
  },
})
