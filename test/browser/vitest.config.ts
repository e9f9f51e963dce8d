import { defineConfig } from 'vitest/config'
import config from '../vitest.config.ts'

export default defineConfig({
  ...config,
  test: { ...config.test, include: ['test/browser/*.browser.ts'], exclude: [], testTimeout: 240_000 },
})
