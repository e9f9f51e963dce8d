import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { RENEWED_THREADS } from './setup/renewed-workers.ts'

const COMPILED = join(import.meta.dirname, '../node_modules/.cache/tests')

/** Tests that wait more than they work: for processes to start and stop, for jobs whose time comes. */
const WAITING = /\/test\/(jobs|load|process)\//

/** Spreads the tests that wait over the run, so that beside them there are always others that work. */
class SpreadingSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const waiting = sorted.filter(({ moduleId }) => WAITING.test(moduleId))
    const working = sorted.filter(({ moduleId }) => !WAITING.test(moduleId))
    const between = Math.floor(working.length / (waiting.length + 1))
    return [
      ...waiting.flatMap((file, index) => [file, ...working.slice(index * between, (index + 1) * between)]),
      ...working.slice(waiting.length * between),
    ]
  }
}

export default defineConfig({
  root: join(import.meta.dirname, '..'),
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/setup/global.ts',
    setupFiles: 'test/setup/each-file.ts',
    pool: RENEWED_THREADS,
    // On two cores more workers take longer. PostgreSQL accepts a hundred connections, of which some tests take half.
    maxWorkers: 3,
    sequence: { sequencer: process.env.DATABASE_URL ? BaseSequencer : SpreadingSequencer },
    // Files of one worker share its database, as they share its modules; every test has a tenant of its own.
    isolate: false,
    // Node imports the code as it does for the service, with types stripped: nothing is transformed for tests.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // A worker finds the compiled modules of the workers before it.
    env: { NODE_COMPILE_CACHE: COMPILED },
    // Beside other work a test takes several times as long as on a machine at rest.
    testTimeout: 120_000,
    // Some put the demo in, beside other workers that do the same.
    hookTimeout: 240_000,
    // The report marks a test that passed the second time: `retry x1`.
    retry: process.env.CI ? 1 : 0,
  },
})
