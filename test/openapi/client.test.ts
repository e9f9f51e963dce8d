import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import openapiTS, { astToString } from 'openapi-typescript'
import { beforeAll, expect, test } from 'vitest'
import { openApiDocument } from '../../src/rest/openapi/document.ts'
import { builtSchemas, testApp } from '../setup/app.ts'
import { addCompanies, addLinks } from '../setup/companies.ts'
import { world } from '../setup/world.ts'

const run = promisify(execFile)

/** Inside the repository, where a program finds the installed packages. */
const folder = new URL('../../.cache/client/', import.meta.url)
const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))

const SCRIPT = `
import createClient from 'openapi-fetch'
import type { paths } from './schema.ts'

const client = createClient<paths>({
  baseUrl: process.env.BASE ?? '',
  headers: { authorization: \`Bearer \${process.env.TOKEN}\` },
})

const before = await client.GET('/public-api/settings')
if (!before.data) throw new Error(before.error.error.code)
const start: number = before.data.data.start_business_hours

const after = await client.PUT('/public-api/settings', {
  body: { start_business_hours: start + 1, timezone: 'Europe/London' },
})
if (!after.data) throw new Error(after.error.error.code)
const zone: string | null = after.data.data.timezone
const milliseconds: number = after.data.meta.timings_ms.total

// @ts-expect-error what cannot be cleared is never null
const refused = await client.PUT('/public-api/settings', { body: { start_business_hours: null } })
const code: string | undefined = refused.error?.error.code
const details = refused.error?.error.details
const fields = details && 'field_errors' in details ? details.field_errors?.map(({ field }) => field) : []

const page = await client.GET('/public-api/company-links', { params: { query: { system: 'HUDU' } } })
const link = page.data?.data.links[0]
if (!link) throw new Error('There is no link')
const { system, external_id, psa_company_id } = link
const mapped = await client.PUT('/public-api/company-links', { body: { system, external_id, psa_company_id } })
if (!mapped.data) throw new Error(mapped.error.error.code)
const state: string = mapped.data.data.link_state

const vendor = { vendor_name: 'Acme Backup', use_case: 'Read the results of backups.' }
const asked = await client.POST('/public-api/integrations/requests', { body: vendor })
if (!asked.data && asked.error.error.code === 'integration_exists') throw new Error('It exists')

const own = {
  autonomy_type: 'CHAINED_ACTIONS',
  name: 'Alert clean-up',
  trigger_type: 'SCHEDULED',
  entity_type: 'TICKET',
  agent_settings: { max_minutes: 20 },
  schedule: { cron: '0 2 * * *', timezone: 'Europe/London' },
} as const
const actions = [{ type: 'ticket.close', params: { resolution: 'The alert has cleared.' } } as const]
const made = await client.POST('/public-api/agents', { body: { ...own, actions } })
if (!made.data) throw new Error(made.error.error.code)
const agent: string = made.data.data.state
// @ts-expect-error an agent of actions has actions
const idle = await client.POST('/public-api/agents', { body: own })
const wrong = idle.error?.error.details
const problems = wrong && 'field_errors' in wrong ? wrong.field_errors?.map(({ code }) => code) : []
const chats = { autonomy_type: 'CONVERSATIONAL', name: 'Chat', agent_settings: {} } as const
// @ts-expect-error an agent that chats is made to run by nothing else
const planned = await client.POST('/public-api/agents', { body: { ...chats, trigger_type: 'SCHEDULED' } })
const unfit = planned.error?.error.details
const invalidArguments = unfit && 'field_errors' in unfit ? unfit.field_errors?.map(({ code }) => code) : []

const missing = await client.GET('/public-api/agents/{agent_id}', { params: { path: { agent_id: '1000000' } } })
const missed = missing.error?.error.code
const absent = missing.error?.error.details
const id: string | undefined = absent && 'id' in absent ? absent.id : undefined

type Agent = NonNullable<(typeof missing)['data']>['data']
const later: Agent['state'] = 'ADDED_LATER'
await client.GET('/public-api/agents', { params: { query: { state: [later] } } })

const moved = after.data.data.start_business_hours - start
const request = asked.data?.data.status
const agents = { agent, problems, invalidArguments }
process.stdout.write(JSON.stringify({ moved, later, zone, code, fields, state, request, agents, missed, id }))
export { milliseconds }
`

const TSCONFIG = {
  compilerOptions: {
    target: 'es2024',
    module: 'nodenext',
    lib: ['es2024', 'dom'],
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true,
  },
  include: ['*.ts'],
}

beforeAll(async () => {
  const document = openApiDocument(builtSchemas().operations)
  await mkdir(folder, { recursive: true })
  await writeFile(new URL('package.json', folder), '{ "type": "module" }')
  await writeFile(new URL('schema.ts', folder), astToString(await openapiTS(JSON.stringify(document))))
  await writeFile(new URL('script.ts', folder), SCRIPT)
  await writeFile(new URL('tsconfig.json', folder), JSON.stringify(TSCONFIG))
})

test('a generated client compiles under strict rules', async () => {
  const compiled = run(process.execPath, [tsc, '-p', fileURLToPath(folder)])
  await expect(compiled.catch(({ stdout }) => stdout)).resolves.toMatchObject({ stdout: '' })
})

test('a generated client talks to the service', async () => {
  const { base } = await testApp()
  const msp = await world()
  await addCompanies(msp, [{ id: 'a' }])
  await addLinks(msp, [{ external_id: '1', psa_company_id: 'psa_a' }])
  const script = fileURLToPath(new URL('script.ts', folder))
  const env = { ...process.env, BASE: base, TOKEN: msp.key.token }
  const { stdout } = await run(process.execPath, [script], { env })
  expect(JSON.parse(stdout)).toEqual({
    moved: 1,
    later: 'ADDED_LATER',
    zone: 'Europe/London',
    code: 'request_validation_failed',
    fields: ['start_business_hours'],
    state: 'MANUAL',
    request: 'RECEIVED',
    agents: { agent: 'DRAFT', problems: ['actions_required'], invalidArguments: ['combination_not_allowed'] },
    missed: 'agent_not_found',
    id: '1000000',
  })
})
