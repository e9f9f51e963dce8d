/** `npm run integration-requests -- list|set`: what MSPs ask to be integrated, and how far it is. */
import { parseArgs } from 'node:util'
import {
  type IntegrationRequestStatus,
  REQUEST_STATUSES,
  type RequestOfTenant,
  requestsOfAll,
  setRequestStatus,
} from '../areas/integrations/review.ts'
import { readDatabaseConfig } from '../config.ts'
import { runCommand, withDatabase } from './command.ts'
import { runRecorded } from './tenant/recorded.ts'

const STATUSES = REQUEST_STATUSES.join('|')
const USAGE = `npm run integration-requests -- list [--status ${STATUSES}] [--json]   of every tenant, the newest first
npm run integration-requests -- set <id> --status ${STATUSES}`

function lineOf({
  id,
  tenant_id,
  status,
  created_at,
  vendor_name,
  access,
  use_case,
}: RequestOfTenant): string {
  return [
    id,
    tenant_id,
    status,
    created_at.toISOString(),
    access,
    vendor_name,
    use_case.replace(/\s+/g, ' '),
  ].join('\t')
}

const isStatus = (text: string): text is IntegrationRequestStatus =>
  (REQUEST_STATUSES as readonly string[]).includes(text)

function readArguments(args: string[]) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { status: { type: 'string' }, json: { type: 'boolean' } },
  })
  const [command, id, ...more] = positionals
  const { status = null, json = false } = values
  if (more.length > 0 || (status !== null && !isStatus(status))) throw new Error(USAGE)
  if (command === 'list' && id === undefined) return { command, status, json } as const
  if (command === 'set' && id !== undefined && status !== null) return { command, id, status } as const
  throw new Error(USAGE)
}

await runCommand(async () => {
  const given = readArguments(process.argv.slice(2))
  const config = readDatabaseConfig(process.env)
  await withDatabase(config, async (database) => {
    const requests = await requestsOfAll(database.sql, config.ENVIRONMENT)
    if (given.command === 'list') {
      const listed = requests.filter(({ status }) => given.status === null || status === given.status)
      if (given.json) console.log(JSON.stringify(listed))
      else for (const request of listed) console.log(lineOf(request))
      console.error(listed.length === 1 ? '1 request.' : `${listed.length} requests.`)
      return
    }
    const request = requests.find(({ id }) => id === given.id)
    if (!request) throw new Error(`There is no request ${given.id} in the environment ${config.ENVIRONMENT}.`)
    // No key is made.
    const key_peppers = [''] as const
    const place = { database, environment: config.ENVIRONMENT, key_peppers }
    const changed = await runRecorded(
      place,
      request.tenant_id,
      (ctx) => setRequestStatus(ctx, given.id, given.status),
      'npm run integration-requests',
    )
    console.error(changed ? `${given.id} is ${given.status}.` : `${given.id} was ${given.status} already.`)
  })
})
