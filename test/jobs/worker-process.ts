/** A process that runs jobs, for tests that kill it. */
import { pino } from 'pino'
import { createApp } from '../../src/composition/app.ts'
import { readConfig } from '../../src/config.ts'
import { openDatabase } from '../../src/db/database.ts'
import { count, countSlowly, kill } from './effects.ts'

const config = readConfig({ DB_POOL_SIZE: '8', ...process.env, ROLE: 'worker' })
const database = await openDatabase({
  database_url: config.DATABASE_URL,
  data_dir: config.DATA_DIR,
  pool_size: config.DB_POOL_SIZE,
  timeout_ms: 30_000,
})
const app = await createApp({
  config,
  database,
  log: pino({ level: 'warn' }, pino.destination(2)),
  secrets: {
    key_peppers: ['a pepper for tests only'],
    signing_secrets: ['a signing secret for tests'],
    encryption_keys: [{ id: 'test', key: Buffer.alloc(32, 'key') }],
  },
  issuer: null,
  ...(process.env.WORKS === 'counts' && { jobs: [count], loops: [] }),
  ...(process.env.WORKS === 'kills' && { jobs: [kill, countSlowly], loops: [] }),
})
app.work()
