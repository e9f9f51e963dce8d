/** `npm run seed`: adds the demo MSP to the configured database. */
import { developmentEncryptionKey, developmentSecrets } from '../access/credentials/development-issuer.ts'
import { readConfig } from '../config.ts'
import { applyMigrations } from '../db/migrations/apply.ts'
import { seedDemo } from '../demo/seed.ts'
import { runCommand, withDatabase } from './command.ts'

await runCommand(async () => {
  const config = readConfig(process.env)
  if (config.production) throw new Error('There is no demo in production.')
  const { DATA_DIR, ENVIRONMENT: environment } = config
  const { added, api_key } = await withDatabase(config, async (database) => {
    await applyMigrations(database)
    const development = await developmentSecrets(DATA_DIR, environment)
    const [encrypting = developmentEncryptionKey(development), ...decrypting] = config.ENCRYPTION_KEYS
    return await seedDemo(database, {
      now: new Date(),
      environment,
      demo_api_key: development.demo_api_key,
      key_pepper: config.KEY_PEPPER[0] ?? development.key_pepper,
      encryption_keys: [encrypting, ...decrypting],
    })
  })
  console.log(added ? 'Added the demo MSP.' : 'The demo MSP is there already.')
  if (api_key) console.log(`Demo API key: ${api_key}`)
})
