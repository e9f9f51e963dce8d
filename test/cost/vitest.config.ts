import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import config from '../vitest.config.ts'
import { CostReporter } from './reporter.ts'

export default defineConfig({
  ...config,
  test: {
    ...config.test,
    setupFiles: [join(import.meta.dirname, 'measure.ts')],
    reporters: ['dot', new CostReporter()],
  },
})
