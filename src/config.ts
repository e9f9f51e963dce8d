/** The configuration: the only reader of the environment's variables. */
import { z } from 'zod'
import { type Limits, readLimits } from './access/limits/catalogue.ts'
import { isNetwork, isSafeAddress } from './access/networks.ts'

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
const limits = z
  .string()
  .optional()
  .transform((text, ctx): Limits => {
    try {
      return readLimits(text)
    } catch (error) {
      ctx.addIssue({ code: 'custom', message: (error as Error).message })
      return z.NEVER
    }
  })

const Variables = z.object({
  NODE_ENV: z.string().default('development'),
  PORT: number(0, 65_535, 4000),
  HOST: z.string().min(1).default('127.0.0.1'),
  ALLOWED_HOSTS: list,
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  DATA_DIR: z.string().min(1).default('.data'),
  ENVIRONMENT: z
    .string()
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lower-case words joined by hyphens')
    .default('dev'),
  DEMO_DATA: flag.optional(),
  OIDC_ISSUER: z.url().optional(),
  OIDC_AUDIENCE: z.string().min(1).optional(),
  OIDC_JWKS_URL: z.url().refine(isSafeAddress, 'must be an https address').optional(),
  KEY_PEPPER: z.string().min(16).optional(),
  SIGNING_SECRETS: list.refine(
    (all) => all.every((secret) => secret.length >= 16),
    'each needs 16 characters',
  ),
  MIGRATE_ON_START: flag.default(true),
  METRICS_TOKEN: z.string().min(16).optional(),
  TRUSTED_PROXIES: list.refine((all) => all.every(isNetwork), 'each must be a network such as 10.0.0.0/8'),
  DB_POOL_SIZE: number(1, 1000, 10),
  DB_TIMEOUT_MS: number(100, 600_000, 5000),
  REQUEST_TIMEOUT_MS: number(100, 600_000, 15_000),
  CORS_ORIGINS: list,
  GRAPHIQL: flag.optional(),
  LIMITS: limits,
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
})

export type Config = ReturnType<typeof readConfig>

type Read = z.infer<typeof Variables>

/** What must be set together, or in production. */
function missing(read: Read): string[] {
  const oidc = [read.OIDC_ISSUER, read.OIDC_AUDIENCE, read.OIDC_JWKS_URL]
  const production = read.NODE_ENV === 'production'
  const problems: string[] = []
  if (oidc.some(Boolean) && !oidc.every(Boolean)) {
    problems.push('OIDC_ISSUER, OIDC_AUDIENCE and OIDC_JWKS_URL: set all of them or none')
  }
  if (production && !read.OIDC_ISSUER) problems.push('OIDC_ISSUER: is required in production')
  if (production && !read.KEY_PEPPER) problems.push('KEY_PEPPER: is required in production')
  if (production && read.SIGNING_SECRETS.length === 0)
    problems.push('SIGNING_SECRETS: is required in production')
  return problems
}

/** The configuration in `env`; an Error that names every problem at once. */
export function readConfig(env: Record<string, string | undefined>) {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const result = Variables.safeParse(set)
  const problems = result.success
    ? missing(result.data)
    : result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  if (!result.success || problems.length > 0)
    throw new Error(`The configuration is wrong.\n${problems.join('\n')}`)
  const read = result.data
  const production = read.NODE_ENV === 'production'
  return {
    ...read,
    production,
    /** Demo data goes into an embedded database unless somebody says otherwise. */
    DEMO_DATA: !production && (read.DEMO_DATA ?? read.DATABASE_URL === undefined),
    GRAPHIQL: read.GRAPHIQL ?? !production,
  }
}
