import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import postgresql from '../postgresql/vitest.config.ts'
import { RENEWED_PROCESSES } from '../setup/renewed-workers.ts'
import embedded from '../vitest.config.ts'
import { CostReporter } from './reporter.ts'

const config = process.env.DATABASE_URL ? postgresql : embedded

export default defineConfig({
  ...config,
  test: {
    ...config.test,
    pool: RENEWED_PROCESSES,
    setupFiles: ['test/setup/each-file.ts', join(import.meta.dirname, 'measure.ts')],
    reporters: ['dot', new CostReporter()],
  },
})
