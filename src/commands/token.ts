/**
 * `npm run token -- --role ADMIN`: a dashboard JWT of the demo user with that role. `npm run token -- --end-user <address>`:
 * an SSO token of an end user of the demo, as the tab of a chat app gets it. Needs no database.
 */
import { parseArgs } from 'node:util'
import {
  type DevelopmentSecrets,
  developmentSecrets,
  developmentTabToken,
  developmentToken,
} from '../access/credentials/development-issuer.ts'
import { DEMO_SUBJECTS, DEMO_TENANT_ID } from '../access/demo.ts'
import { ROLES } from '../access/policies/roles.ts'
import { demoContacts } from '../demo/people.ts'
import { runCommand } from './command.ts'

/** The service takes no token that is valid for longer, unless JWT_MAX_AGE_SECONDS says so. */
const MAX_TTL_SECONDS = 86_400
const EXAMPLE = 'priya.nair@alderfinch.example'

/** The claims of the demo's end user with the address. */
function endUserOf(address: string) {
  const email = address.trim().toLowerCase()
  const contact = demoContacts().find((candidate) => candidate.email === email)
  if (!contact) throw new Error(`The demo has no end user ${address}; there is ${EXAMPLE}.`)
  const { name, workplace_tenant_id, workplace_user_id } = contact
  if (workplace_tenant_id === null || workplace_user_id === null)
    throw new Error(`The workplace suite of ${address} is not known; that of ${EXAMPLE} is.`)
  return { name, email, workplace_tenant_id, workplace_user_id }
}

/** Tokens come from the configured identity provider if there is one. */
function checkNotConfigured(name: 'OIDC_ISSUER' | 'CHAT_SSO_ISSUER', env: NodeJS.ProcessEnv): void {
  if (env[name]) throw new Error(`Tokens come from ${name}, ${env[name]}.`)
}

async function token(args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  if (env.NODE_ENV === 'production') throw new Error('There is no development issuer in production.')
  const { values } = parseArgs({
    args,
    options: {
      role: { type: 'string' },
      'end-user': { type: 'string' },
      ttl: { type: 'string', default: '3600' },
    },
  })
  const address = values['end-user']
  checkNotConfigured(address === undefined ? 'OIDC_ISSUER' : 'CHAT_SSO_ISSUER', env)
  const role = ROLES.find((name) => name === values.role)
  const ttl_seconds = Number(values.ttl)
  if ((role === undefined) === (address === undefined))
    throw new Error(`Say --role and one of ${ROLES.join(', ')}, or --end-user and ${EXAMPLE}.`)
  if (!Number.isInteger(ttl_seconds) || ttl_seconds < 1 || ttl_seconds > MAX_TTL_SECONDS) {
    throw new Error(`--ttl must be a number of seconds from 1 to ${MAX_TTL_SECONDS}.`)
  }
  const environment = env.ENVIRONMENT || 'dev'
  const secretsOf = (): Promise<DevelopmentSecrets> =>
    developmentSecrets(env.DATA_DIR || '.data', environment)
  if (address !== undefined) {
    const end_user = endUserOf(address)
    return developmentTabToken(await secretsOf(), { ...end_user, ttl_seconds })
  }
  const claims = { subject: DEMO_SUBJECTS[role ?? 'VIEWER'], tenant_id: DEMO_TENANT_ID, environment }
  return developmentToken(await secretsOf(), { ...claims, ttl_seconds })
}

await runCommand(async () => console.log(await token(process.argv.slice(2), process.env)))
