/** The demo MSP: `npm run seed`, or at the start of the server. It is put in once, and stays as people change it. */
import { developmentSecrets } from '../src/access/development-issuer.ts'
import { readConfig } from '../src/config.ts'
import { type Database, openDatabase } from '../src/db/database.ts'
import { type DemoKeys, type DemoOptions, demoKeys } from './demo.ts'
import { applyMigrations } from './migrate.ts'
import { seedAgents } from './seed/agents.ts'
import { seedApiKeys, seedUsage } from './seed/api-keys.ts'
import { seedActivity } from './seed/audit-log.ts'
import { seedCompanyLinks } from './seed/company-links.ts'
import { seedEndCompanies } from './seed/end-companies.ts'
import { seedExecutions } from './seed/executions.ts'
import { seedConnections, seedIntegrationRequests } from './seed/integrations.ts'
import { seedCredits, seedTicketsReceived } from './seed/performance.ts'
import { type Seeding, seedingOf } from './seed/seeding.ts'
import { seedPermissionGroups, seedSettings } from './seed/settings.ts'
import { seedTechnicians } from './seed/technicians.ts'
import { seedTenant, seedUsers } from './seed/tenant.ts'

export interface Demo extends DemoKeys {
  /** Whether there was no demo before. */
  added: boolean
}

/** Each finds what those before it have put in. */
const PARTS: readonly ((seeding: Seeding) => Promise<void>)[] = [
  seedTenant,
  seedTechnicians,
  seedUsers,
  seedSettings,
  seedPermissionGroups,
  seedEndCompanies,
  seedCompanyLinks,
  seedConnections,
  seedIntegrationRequests,
  seedAgents,
  seedExecutions,
  seedCredits,
  seedTicketsReceived,
  seedApiKeys,
  seedUsage,
  seedActivity,
]

const DEMO_LOCK = 7_236_190_453
const TIMEOUT_MS = 60_000

/** The demo of this environment, put in whole or not at all; of several processes that try, one does. */
export async function seedDemo(database: Database, options: DemoOptions): Promise<Demo> {
  const added = await database.prisma.$transaction(
    async (tx) => {
      await tx.$executeRaw`select pg_advisory_xact_lock(${DEMO_LOCK}::bigint)`
      const seeding = seedingOf(tx, options)
      const missing = (await tx.settings.count({ where: seeding.tenancy })) === 0
      if (missing) for (const part of PARTS) await part(seeding)
      return missing
    },
    { timeout: TIMEOUT_MS, maxWait: TIMEOUT_MS },
  )
  return { added, ...(await demoKeys(database.sql, options)) }
}

async function main(): Promise<void> {
  const config = readConfig(process.env)
  if (config.production) throw new Error('There is no demo in production.')
  const { DATABASE_URL, DATA_DIR, ENVIRONMENT: environment } = config
  const { demo_api_key, key_pepper } = await developmentSecrets(DATA_DIR, environment)
  const database = await openDatabase({
    database_url: DATABASE_URL,
    data_dir: DATA_DIR,
    pool_size: 1,
    timeout_ms: TIMEOUT_MS,
  })
  try {
    await applyMigrations(database)
    const options = {
      now: new Date(),
      environment,
      demo_api_key,
      key_pepper: config.KEY_PEPPER[0] ?? key_pepper,
    }
    const { added, api_key } = await seedDemo(database, options)
    console.log(added ? 'Added the demo MSP.' : 'The demo MSP is there already.')
    if (api_key) console.log(`Demo API key: ${api_key}`)
  } finally {
    await database.close()
  }
}

if (import.meta.main) {
  try {
    await main()
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
