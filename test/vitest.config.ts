import { createRequire } from 'node:module'
import { defineConfig } from 'vitest/config'

const require = createRequire(import.meta.url)

/** The tests of what is the same whatever the database: they run once, on the embedded one. */
const OF_NO_DATABASE = [
  'test/rules/**',
  'test/openapi/**',
  'test/{contract,no-provider-cost,published,sent-back}.test.ts',
  'test/areas/executions/run/hostile-model.test.ts',
  'test/access/{api-key-secret,limit-rules,scopes}.test.ts',
  'test/connectors/{budgeted-port,model}.test.ts',
  'test/database/{embedded-directory,embedded-query,errors}.test.ts',
  'test/jobs/runs-restart.test.ts',
  'test/gateway/{bounds,connections,document-cache,prisma-relations,redact}.test.ts',
  'test/process/{bundle,configuration,demo,embedded,log,prepared,seed-callbacks,seed-executions,seed-systems,stop}.test.ts',
]

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  // Two builds of graphql in one process are two realms, and a type of one is none to the other.
  resolve: { alias: [{ find: /^graphql$/, replacement: require.resolve('graphql') }] },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: process.env.DATABASE_URL ? OF_NO_DATABASE : [],
    globalSetup: 'test/setup/global.ts',
    pool: 'forks',
    // Some tests wait more than they work.
    maxWorkers: 3,
    // Files of one worker share its database, as they share its modules; every test has a tenant of its own.
    isolate: false,
    testTimeout: 60_000,
    // Some put the demo in, beside other workers that do the same.
    hookTimeout: 240_000,
    // The report marks a test that passed the second time: `retry x1`.
    retry: process.env.CI ? 1 : 0,
  },
})
