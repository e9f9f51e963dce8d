import { defineConfig } from 'vitest/config'
import config from '../vitest.config.ts'

export default defineConfig({
  ...config,
  test: {
    ...config.test,
    include: ['test/generators/*.generator.ts'],
    exclude: [],
    // It says why a test is skipped.
    reporters: ['verbose'],
    testTimeout: 240_000,
  },
})
