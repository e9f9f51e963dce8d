/** `npm run token -- --role ADMIN`: a dashboard JWT of the demo user with that role. Needs no database. */
import { parseArgs } from 'node:util'
import { DEMO_SUBJECTS, DEMO_TENANT_ID } from '../access/demo.ts'
import { developmentSecrets, developmentToken } from '../access/development-issuer.ts'
import { ROLES } from '../access/roles.ts'
import { runCommand } from './command.ts'

const MAX_TTL_SECONDS = 365 * 86_400

async function token(args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  if (env.NODE_ENV === 'production') throw new Error('There is no development issuer in production.')
  if (env.OIDC_ISSUER) throw new Error(`Tokens come from OIDC_ISSUER, ${env.OIDC_ISSUER}.`)
  const { values } = parseArgs({
    args,
    options: { role: { type: 'string' }, ttl: { type: 'string', default: '3600' } },
  })
  const role = ROLES.find((name) => name === values.role)
  const ttl_seconds = Number(values.ttl)
  if (!role) throw new Error(`Say --role and one of ${ROLES.join(', ')}.`)
  if (!Number.isInteger(ttl_seconds) || ttl_seconds < 1 || ttl_seconds > MAX_TTL_SECONDS) {
    throw new Error(`--ttl must be a number of seconds from 1 to ${MAX_TTL_SECONDS}.`)
  }
  const environment = env.ENVIRONMENT || 'dev'
  const secrets = await developmentSecrets(env.DATA_DIR || '.data', environment)
  const claims = { subject: DEMO_SUBJECTS[role], tenant_id: DEMO_TENANT_ID, environment, ttl_seconds }
  return developmentToken(secrets, claims)
}

await runCommand(async () => console.log(await token(process.argv.slice(2), process.env)))
