/** Everybody who is measured, and the settings they run with. */
import type { Asked } from './ask.ts'
import { type Contender, start } from './contender.ts'
import { ENVIRONMENT, KEY_PEPPER } from './data/tenants.ts'
import { graphqlOf } from './dialects/graphql.ts'
import { minimum } from './dialects/minimum.ts'
import { postgraphile } from './dialects/postgraphile.ts'
import { rest } from './dialects/rest.ts'
import { program, schema } from './service.ts'

export const FLOOR = 'expert floor'
export const AGAIN = 'expert floor again (A/A)'
export const MINIMUM = 'minimum'
export const POSTGRAPHILE = 'PostGraphile 5'
export const REST = 'this service, REST'
export const GRAPHQL = 'this service, GraphQL'

const POOL = '4'

/** So high that nobody reaches them, and counted all the same. */
const LIMITS = [
  'service_key',
  'service_key_writes',
  'tenant',
  'graphql_points',
  'dashboard_user',
  'dashboard_user_writes',
  'anonymous_ip',
  'run_now',
  'verify_audit_log',
]
  .map((name) => `${name}=1000000000`)
  .join(',')

const sharedEnv = (url: string) => ({
  DATABASE_URL: url,
  ENVIRONMENT,
  KEY_PEPPER,
  PORT: '0',
  NODE_ENV: 'production',
})

/** The service as in production; nobody signs in to a dashboard here. */
const serviceEnv = (url: string): Record<string, string> => ({
  ...sharedEnv(url),
  SIGNING_SECRETS: 'the signing secret of the benchmark',
  ENCRYPTION_KEYS: `bench:${Buffer.alloc(32, 1).toString('base64')}`,
  OIDC_ISSUER: 'https://issuer.invalid/',
  OIDC_AUDIENCE: 'bench',
  OIDC_JWKS_URL: 'https://issuer.invalid/keys',
  // Agents that need a model start, and nobody asks it.
  MODEL_BASE_URL: 'http://127.0.0.1:9/v1',
  MODEL_NAME: 'nobody',
  LOG_LEVEL: 'info',
  ROLE: 'all',
  LIMITS,
})

export const startService = (
  name: string,
  url: string,
  env: Record<string, string> = {},
): Promise<Contender> => start(name, program, { ...serviceEnv(url), ...env })

const startFloor = (name: string, url: string): Promise<Contender> =>
  start(name, 'floor/main.ts', { ...sharedEnv(url), POOL, SECRET: 'the secret of the floor' })

export const startBare = (name: string, url: string): Promise<Contender> =>
  start(name, 'bare.ts', sharedEnv(url))

/** Starts the service on an embedded database, whose demo MSP has a key. */
export const startEmbedded = (data_dir: string): Promise<Contender> =>
  start('embedded', program, { DATA_DIR: data_dir, PORT: '0', LOG_LEVEL: 'info', ROLE: 'all' })

const graphql = graphqlOf(schema)

/** REST and GraphQL of a running service. */
export const interfacesOf = (contender: Contender): Asked[] => [
  { label: REST, contender, dialect: rest((read) => read !== 'R4') },
  { label: GRAPHQL, contender, dialect: graphql },
]

/** Everybody on one database, the expert floor first. */
export async function startAll(url: string): Promise<Asked[]> {
  const floor = await startFloor(FLOOR, url)
  const again = await startFloor(AGAIN, url)
  const least = await start(MINIMUM, 'minimum.ts', { ...sharedEnv(url), POOL })
  const other = await start(POSTGRAPHILE, 'postgraphile.ts', {
    ...sharedEnv(url),
    POOL,
    GRAPHILE_ENV: 'production',
  })
  // Nobody takes up the runs that W4 starts: that would change the rows that are compared, and take time from all.
  const service = await startService('this service', url, { DB_POOL_SIZE: POOL, ROLE: 'api' })
  return [
    { label: FLOOR, contender: floor, dialect: rest(() => true) },
    { label: POSTGRAPHILE, contender: other, dialect: postgraphile },
    ...interfacesOf(service),
    { label: MINIMUM, contender: least, dialect: minimum },
    { label: AGAIN, contender: again, dialect: rest(() => true) },
  ]
}

export async function stopAll(everybody: readonly Asked[]): Promise<void> {
  await Promise.all([...new Set(everybody.map(({ contender }) => contender))].map((one) => one.stop()))
}
