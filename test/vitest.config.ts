import { createRequire } from 'node:module'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const require = createRequire(import.meta.url)

/** The tests of what is the same whatever the database: they run once, on the embedded one. */
const OF_NO_DATABASE = [
  'test/rules/**',
  'test/openapi/**',
  'test/resolution/**',
  'test/{access,contract,documents,fields-alone,no-provider-cost,published,sent-back,shown-code}.test.ts',
  'test/areas/{agents/rule-codes,executions/run/hostile-model}.test.ts',
  'test/access/{api-key-secret,credential,jwks,jwt,limit-rules,scopes,signed-url,timers,viewer}.test.ts',
  'test/connectors/{autotask,http}/**',
  'test/connectors/{adapter,bounded-adapter,budgeted-port,connectwise,halo,hostile,kept,markers,model}.test.ts',
  'test/database/{connection-shares,embedded-directory,embedded-query,errors,foreign-tables,live-crash,single-rows,statistics}.test.ts',
  'test/jobs/runs-restart.test.ts',
  'test/gateway/{bounds,connections,cors,document-cache,graphiql,json-values,list-prices,metrics-lint,mutation-caches,prisma-relations,public-url,redact,single-reads,sofa,static-files}.test.ts',
  'test/process/{bundle,configuration,demo,dev,embedded,first-start,hostile-psa,installed,log,prepared,seed-callbacks,seed-executions,seed-systems,stop}.test.ts',
]

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
  // Two builds of graphql in one process are two realms, and a type of one is none to the other.
  resolve: { alias: [{ find: /^graphql$/, replacement: require.resolve('graphql') }] },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: process.env.DATABASE_URL ? OF_NO_DATABASE : [],
    globalSetup: 'test/setup/global.ts',
    pool: 'forks',
    // PostgreSQL accepts a hundred connections, of which the processes of some tests take half.
    maxWorkers: process.env.DATABASE_URL ? 3 : 4,
    sequence: { sequencer: process.env.DATABASE_URL ? BaseSequencer : SpreadingSequencer },
    // Files of one worker share its database, as they share its modules; every test has a tenant of its own.
    isolate: false,
    // Beside other work a test takes several times as long as on a machine at rest.
    testTimeout: 120_000,
    // Some put the demo in, beside other workers that do the same.
    hookTimeout: 240_000,
    // The report marks a test that passed the second time: `retry x1`.
    retry: process.env.CI ? 1 : 0,
  },
})
