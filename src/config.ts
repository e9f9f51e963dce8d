/** The configuration: the only reader of the environment's variables. */
import { z } from 'zod'
import { CREDENTIAL_KINDS, limitsFor } from './access/credentials/credential-kinds.ts'
import type { Limits } from './access/limits/catalogue.ts'
import { mailServerOf } from './lib/mail-server.ts'
import { asNetwork, isNetwork, isSafeAddress } from './lib/networks.ts'
import { type EncryptionKey, parseEncryptionKey } from './lib/secret-box.ts'

const number = (min: number, max: number, fallback: number) =>
  z.coerce.number().int().min(min).max(max).default(fallback)
const flag = z
  .enum(['true', 'false', 'on', 'off', '1', '0'])
  .transform((text) => ['true', 'on', '1'].includes(text))
const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean),
  )
const secrets = list.refine((all) => all.every((secret) => secret.length >= 16), 'each needs 16 characters')
const encryption_keys = list.transform((all, ctx): EncryptionKey[] => {
  try {
    const keys = all.map(parseEncryptionKey)
    if (new Set(keys.map(({ id }) => id)).size === keys.length) return keys
    ctx.addIssue({ code: 'custom', message: 'each needs an id of its own' })
  } catch (error) {
    ctx.addIssue({ code: 'custom', message: (error as Error).message })
  }
  return z.NEVER
})
const limits = z
  .string()
  .optional()
  .transform((text, ctx): Limits => {
    try {
      return limitsFor(CREDENTIAL_KINDS, text)
    } catch (error) {
      ctx.addIssue({ code: 'custom', message: (error as Error).message })
      return z.NEVER
    }
  })

/** An origin as browsers send it: no path, no default port. */
function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, host } = new URL(text)
  return host !== '' && text === `${protocol}//${host}`
}

/** An address that a path can be put behind. */
function isPlainAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { username, password, search, hash } = new URL(text)
  return [username, password, search, hash].every((part) => part === '') && !/[?#]/.test(text)
}

/** The values of `sslmode` that libpq has, and this service too. `pg` takes any but the last for `verify-full`, and none falls back to plain text. */
const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full']

/** A problem with the parameters of the address, or null. */
function sslProblem(address: string): string | null {
  const { searchParams } = new URL(address)
  const mode = searchParams.get('sslmode')
  if (mode === null || searchParams.has('uselibpqcompat')) return null
  if (!SSL_MODES.includes(mode)) return `sslmode must be one of ${SSL_MODES.join(', ')}`
  return mode === 'verify-ca' && !searchParams.has('sslrootcert')
    ? 'sslmode=verify-ca needs sslrootcert'
    : null
}

/** The address, of which `pg` understands `sslmode` as libpq does. */
function withLibpqSsl(address: string): string {
  const url = new URL(address)
  if (!url.searchParams.has('sslmode')) return address
  url.searchParams.set('uselibpqcompat', 'true')
  return url.href
}

const database_url = z
  .url({ protocol: /^postgres(ql)?$/ })
  .superRefine((address, ctx) => {
    const message = URL.canParse(address) && sslProblem(address)
    if (message) ctx.addIssue({ code: 'custom', message })
  })
  .transform(withLibpqSsl)

const smtp_url = z.string().transform((text, ctx) => {
  const server = mailServerOf(text)
  if (typeof server !== 'string') return server
  ctx.addIssue({ code: 'custom', message: server })
  return z.NEVER
})
const mail_address = z.email('must be an e-mail address such as service@mail.example')

/** The variables that the service and its commands read. */
const DatabaseVariables = z.object({
  NODE_ENV: z.string().default('development'),
  DATABASE_URL: database_url.optional(),
  DATA_DIR: z.string().min(1).default('.data'),
  ENVIRONMENT: z
    .string()
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lower-case words joined by hyphens')
    .default('dev'),
  KEY_PEPPER: secrets,
  ENCRYPTION_KEYS: encryption_keys,
})

const Variables = DatabaseVariables.extend({
  PORT: number(0, 65_535, 4000),
  HOST: z.string().min(1).default('127.0.0.1'),
  ALLOWED_HOSTS: list,
  DEMO_DATA: flag.optional(),
  OIDC_ISSUER: z.url().optional(),
  OIDC_AUDIENCE: z.string().min(1).optional(),
  OIDC_JWKS_URL: z.url().refine(isSafeAddress, 'must be an https address').optional(),
  CHAT_SSO_ISSUER: z.url().optional(),
  CHAT_SSO_AUDIENCE: z.string().min(1).optional(),
  CHAT_SSO_JWKS_URL: z.url().refine(isSafeAddress, 'must be an https address').optional(),
  JWT_MAX_AGE_SECONDS: number(60, 4_294_967_295, 86_400),
  SIGNING_SECRETS: secrets,
  MIGRATE_ON_START: flag.default(true),
  METRICS_TOKEN: z.string().min(16).optional(),
  TRUSTED_PROXIES: list
    .transform((all) => all.map(asNetwork))
    .refine((all) => all.every(isNetwork), 'each must be an address, or a network such as 10.0.0.0/8'),
  ROLE: z.enum(['all', 'api', 'worker']).default('all'),
  DB_POOL_SIZE: number(1, 1000, 10),
  DB_TIMEOUT_MS: number(100, 600_000, 5000),
  REQUEST_TIMEOUT_MS: number(100, 600_000, 15_000),
  SUBSCRIBER_LAG_MS: number(100, 3_600_000, 60_000),
  MAX_RESPONSE_BYTES: number(64 * 1024, 1024 ** 3, 32 * 1024 ** 2),
  DRAIN_DELAY_MS: z.coerce.number().int().min(0).max(600_000).optional(),
  EXECUTIONS_AT_ONCE: number(1, 10_000, 20),
  TECHNICIAN_DELETE_APPROVAL: z.enum(['channel', 'always']).default('channel'),
  MODEL_CALLS_AT_ONCE: number(1, 100_000, 1000),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .refine(isPlainAddress, 'must be an address such as https://api.example, without credentials and query')
    .transform((address) => address.replace(/\/$/, ''))
    .default(''),
  CORS_ORIGINS: list.refine(
    (all) => all.every(isOrigin),
    'each must be an origin such as https://dashboard.example, without a path',
  ),
  GRAPHIQL: flag.optional(),
  ALLOW_PRIVATE_ADDRESSES: flag.default(false),
  MODEL_BASE_URL: z
    .url({ protocol: /^https?$/ })
    .refine((address) => URL.canParse(address) && !new URL(address).username, 'must hold no credentials')
    .optional(),
  MODEL_API_KEY: z.string().min(1).optional(),
  MODEL_NAME: z.string().min(1).optional(),
  MODEL_REQUEST_CHARACTERS: number(10_000, 10_000_000, 200_000),
  SMTP_URL: smtp_url.optional(),
  MAIL_FROM: mail_address.optional(),
  SUPPORT_EMAIL: mail_address.optional(),
  POLLED_CHANGES_AN_HOUR: number(1, 10_000_000, 20_000),
  SYNC_ROWS: number(1, 100_000_000, 500_000),
  LIMITS: limits,
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
})

export type Config = ReturnType<typeof readConfig>

type Environment = Record<string, string | undefined>

/** A check that concerns several variables. Each problem begins with the name of one. */
type Check = (isSet: (name: string) => boolean, production: boolean, env: Environment) => string[]

const required = (name: string): string => `${name}: is required in production`

const databaseProblems = (isSet: (name: string) => boolean, production: boolean): string[] =>
  production && !isSet('DATABASE_URL') && !isSet('DATA_DIR')
    ? ['DATABASE_URL: is required in production, or DATA_DIR for an embedded database']
    : []

const PROVIDERS = ['OIDC', 'CHAT_SSO'].map((provider) =>
  ['ISSUER', 'AUDIENCE', 'JWKS_URL'].map((part) => `${provider}_${part}`),
)

const serviceProblems: Check = (isSet, production, { ROLE, DEMO_DATA, ALLOW_PRIVATE_ADDRESSES }) => [
  ...databaseProblems(isSet, production),
  ...(ROLE && ROLE !== 'all' && !isSet('DATABASE_URL')
    ? ['ROLE: must be all on an embedded database, which has one process']
    : []),
  ...(production && flag.safeParse(DEMO_DATA).data ? ['DEMO_DATA: there is no demo in production'] : []),
  ...(production && flag.safeParse(ALLOW_PRIVATE_ADDRESSES).data
    ? ['ALLOW_PRIVATE_ADDRESSES: systems at private addresses are for development alone']
    : []),
  ...PROVIDERS.filter((names) => names.some(isSet) && !names.every(isSet)).map(
    ([issuer, ...others]) => `${issuer}, ${others.join(' and ')}: set all of them or none`,
  ),
  ...(isSet('MODEL_BASE_URL') === isSet('MODEL_NAME')
    ? []
    : ['MODEL_BASE_URL and MODEL_NAME: set both or none']),
  ...(isSet('SMTP_URL') === isSet('MAIL_FROM') ? [] : ['SMTP_URL and MAIL_FROM: set both or none']),
  ...(isSet('MODEL_API_KEY') && !isSet('MODEL_BASE_URL')
    ? ['MODEL_API_KEY: is of no use without MODEL_BASE_URL']
    : []),
  ...['OIDC_ISSUER', 'KEY_PEPPER', 'SIGNING_SECRETS', 'ENCRYPTION_KEYS']
    .filter((name) => production && !isSet(name))
    .map(required),
]

/** The variables, or an Error that names every problem at once. */
function read<Shape extends z.ZodType>(variables: Shape, check: Check, env: Environment): z.infer<Shape> {
  // A list of nothing is not set.
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value?.replace(/[\s,]/g, '')))
  const result = variables.safeParse(set)
  const wrong = result.error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? []
  const problems = [...wrong, ...check((name) => name in set, set.NODE_ENV === 'production', set)]
  if (!result.success || problems.length > 0)
    throw new Error(`The configuration is wrong.\n${problems.join('\n')}`)
  return result.data
}

/** The configuration of the database. */
export type DatabaseConfig = ReturnType<typeof readDatabaseConfig>

export const readDatabaseConfig = (env: Environment) => read(DatabaseVariables, databaseProblems, env)

/** The environment that the installed packages are prepared for: nothing else is configured yet. */
export const readEnvironment = (env: Environment): string =>
  read(DatabaseVariables.pick({ ENVIRONMENT: true }), () => [], env).ENVIRONMENT

export type CommandConfig = ReturnType<typeof readCommandConfig>

/** The configuration of a command: the database, and the secrets of this name. */
const commandConfig = (secret: 'KEY_PEPPER' | 'ENCRYPTION_KEYS') => (env: Environment) =>
  read(
    DatabaseVariables,
    (isSet, production) => [
      ...databaseProblems(isSet, production),
      ...(production && !isSet(secret) ? [required(secret)] : []),
    ],
    env,
  )

/** The configuration of a command that makes API keys. */
export const readCommandConfig = commandConfig('KEY_PEPPER')

/** The configuration of the command that encrypts anew. */
export const readRekeyConfig = commandConfig('ENCRYPTION_KEYS')

/** The configuration of the service in `env`. */
export function readConfig(env: Environment) {
  const config = read(Variables, serviceProblems, env)
  const production = config.NODE_ENV === 'production'
  return {
    ...config,
    production,
    /** By default an embedded database gets demo data. */
    DEMO_DATA: config.DEMO_DATA ?? (!production && config.DATABASE_URL === undefined),
    GRAPHIQL: config.GRAPHIQL ?? !production,
    /** Half of the connections are for requests, if the process answers some. */
    JOBS_AT_ONCE: Math.max(1, Math.floor(config.DB_POOL_SIZE / (config.ROLE === 'worker' ? 1 : 2))),
    DRAIN_DELAY_MS: config.DRAIN_DELAY_MS ?? (production ? 5000 : 0),
  }
}
