/** Sample arguments and rows for generated suites. */
import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
} from 'graphql'
import { encryptSecrets, placeOf } from '../../src/areas/integrations/credentials.ts'
import type { System } from '../../src/areas/integrations/registry.ts'
import type { Operation } from '../../src/gateway/operation.ts'
import { createSecretBox } from '../../src/lib/secret-box.ts'
import { boundsOf } from '../../src/schema/bounds/bounds.ts'
import { isRequired } from '../../src/schema/calls/input.ts'
import { addAgents, addExecutions } from './agents.ts'
import type { Arguments } from './api.ts'
import { clock, ENCRYPTION_KEY, ENVIRONMENT } from './app.ts'
import { addMemories } from './memories.ts'
import { addAgentRows } from './rows/agents.ts'
import { ownLogRows } from './rows/audit-log.ts'
import { addBilling } from './rows/billing.ts'
import { callbackRows } from './rows/callbacks.ts'
import { addOwnChannel } from './rows/channels.ts'
import { addCompanyFilters } from './rows/company-filters.ts'
import { ownEndUser } from './rows/end-users.ts'
import { addTechnician } from './rows/technicians.ts'
import { tilRequestRows } from './rows/til-requests.ts'
import { addScheduledWork } from './scheduled-work.ts'
import { days, type Msp } from './world.ts'

type Input = GraphQLArgument | GraphQLInputField

/** A valid value for the argument or field, without optional fields. */
export function sampleOf(input: Input): unknown {
  const { min, min_length = 0, pattern } = boundsOf(input)
  const example = pattern && /such as `([^`]+)`/.exec(input.description ?? '')?.[1]
  const sample = (type: GraphQLInputType): unknown => {
    const inner = getNullableType(type)
    if (isListType(inner)) return [sample(inner.ofType)]
    if (isEnumType(inner)) return inner.getValues()[0]?.name
    if (isInputObjectType(inner)) {
      const required = Object.values(inner.getFields()).filter(isRequired)
      return Object.fromEntries(required.map((field) => [field.name, sampleOf(field)]))
    }
    if (inner.name === 'Boolean') return true
    if (inner.name === 'Int') return min ?? 1
    if (inner.name === 'DateTime') return clock.now().toISOString()
    return example ?? 'sample'.padEnd(min_length, 'x')
  }
  return sample(input.type)
}

/** The required arguments of the operation. */
export const requiredArguments = ({ name: operation, field }: Operation): Arguments => ({
  ...Object.fromEntries(field.args.filter(isRequired).map((arg) => [arg.name, sampleOf(arg)])),
  ...(field.args.some(({ name }) => name === 'system') && {
    system: operation === 'unconfirmed_company_links' ? FOLDERS : SYSTEM,
  }),
})

/** The path parameters that identify a row; enumerations do not. */
export const pathParameters = ({ rest, field }: Operation): string[] =>
  [...rest.path.matchAll(/\{(\w+)\}/g)]
    .map(([, name]) => name ?? '')
    .filter((name) => field.args.some((arg) => arg.name === name && !isEnumType(getNullableType(arg.type))))

/** The integration of the rows of `ownRows`. */
export const SYSTEM = 'HUDU' satisfies System
/** An integration whose entities are folders: the row of `ownRows` waits for a person. */
const FOLDERS = 'SHAREPOINT' satisfies System

/** Rows of one tenant in one environment, by which they can be told from those of others. */
export interface OwnRows {
  /** A word in every text of these rows and of no others. */
  mark: string
  /** A number that identifies the rows if there is no text. */
  number: number
  /** Ids of rows, by the argument that takes them. */
  ids: Record<string, string | number>
  psa_company_id: string
}

let made = 0

/**
 * One row of everything that operations answer from. With `same` their ids are those that every other caller of `same`
 * gets; otherwise nobody else has them.
 */
export async function ownRows(
  msp: Msp,
  { environment = ENVIRONMENT, same = false }: { environment?: string; same?: boolean } = {},
): Promise<OwnRows> {
  const { database, tenant_id } = msp
  const { prisma } = database
  const number = 1_500_000_000 + ++made
  const mark = `${tenant_id}-${environment}-${same ? 'same' : 'own'}`
  const id = same ? 'isolated' : mark
  const agent_id = same ? 1_400_000_000 : number
  const now = clock.now()
  const owned = { tenant_id, environment, created_at: now, updated_at: now }
  const { updated_at: _, ...created } = owned
  const { created_at: __, ...updated } = owned
  const there = { ...msp, environment }
  await prisma.settings.upsert({
    where: { tenant_id_environment: { tenant_id, environment } },
    create: { ...updated, human_friendly_client_name: mark },
    update: { human_friendly_client_name: mark },
  })
  await prisma.endCompany.create({
    data: { ...owned, id: `cmp_${id}`, psa_company_id: `psa_${id}`, name: mark },
  })
  const endUser = await ownEndUser(there, { id, mark, end_company_id: `cmp_${id}` })
  await prisma.companyLink.createMany({
    data: [SYSTEM, FOLDERS].map((system) => ({
      ...owned,
      system,
      external_id: `ext_${id}`,
      external_name: mark,
      psa_company_id: `psa_${id}`,
      psa_company_name: mark,
      link_state: 'AUTO',
      match_method: 'DOMAIN',
      confidence: 0.8,
    })),
  })
  await prisma.integrationRequest.create({
    data: { ...created, id: `irq_${id}`, vendor_name: mark, use_case: mark, requested_by_name: mark },
  })
  await prisma.integrationConnection.upsert({
    where: { tenant_id_environment_name: { tenant_id, environment, name: 'hudu' } },
    create: { ...updated, name: 'hudu', connected: true, health_message: mark },
    update: { health_message: mark },
  })
  const place = { tenant_id, environment, name: 'connectwise-psa' }
  const secret_box = createSecretBox([ENCRYPTION_KEY])
  const filled = {
    settings: { site: 'https://psa.example', company: mark, client_id: 'c' },
    secret_names: ['public_key', 'private_key'],
    secrets: encryptSecrets(secret_box, place, { public_key: 'p', private_key: 'q' }),
    ingest_secret: secret_box.encrypt('i', placeOf(place, 'ingest_secret')),
    updated_by_name: mark,
  }
  await prisma.systemConnection.upsert({
    where: { tenant_id_environment_name: place },
    create: { ...updated, ...place, connection_id: `con_${mark}`, ...filled },
    update: filled,
  })
  await prisma.integrationSync.create({
    data: {
      ...updated,
      created_at: updated.updated_at,
      id: `syn_${id}`,
      name: 'hudu',
      is_full: true,
      requested_by_name: mark,
      stages: [],
    },
  })
  await prisma.chatAppWorkspace.upsert({
    where: { tenant_id_environment: { tenant_id, environment } },
    create: {
      tenant_id,
      environment,
      team_id: mark,
      team_name: mark,
      installer_email: `${mark}@example.test`,
      installed_at: now,
    },
    update: { team_name: mark },
  })
  const approvers = { requires_approval: true, approver_technician_ids: [number] }
  await prisma.permissionGroupSetting.upsert({
    where: { tenant_id_environment_name: { tenant_id, environment, name: 'TICKETS' } },
    create: { ...updated, name: 'TICKETS', ...approvers },
    update: approvers,
  })
  await prisma.tenantUser.create({
    data: {
      ...owned,
      id: `usr_${id}`,
      subject: `sub_${mark}`,
      name: mark,
      email: `${mark}@example.test`,
      role: 'VIEWER',
    },
  })
  await prisma.apiKey.create({
    data: {
      ...owned,
      id: `key_${id}`,
      name: mark,
      key_hash: Buffer.from(mark),
      prefix: 'svc',
      last_four: '0000',
      created_by_user_id: `usr_${id}`,
      created_by_name: mark,
      expires_at: new Date(now.getTime() + days(9)),
    },
  })
  const day = new Date(`${now.toISOString().slice(0, 10)}T00:00:00Z`)
  await prisma.apiKeyUsage.create({
    data: {
      tenant_id,
      environment,
      key_id: `key_${id}`,
      day,
      operation: mark,
      requests: 1,
      errors: 0,
    },
  })
  await addAgents(there, [{ id: agent_id, name: mark }])
  await addAgentRows(there, { agent_id, user_id: `usr_${id}`, mark })
  await addExecutions(there, [
    {
      execution_id: `exe_${id}`,
      agent_id,
      message_for_dashboard: mark,
      credits_consumed: number,
      created_at: now,
    },
  ])
  await addScheduledWork(there, [
    { id: agent_id, workflow_id: agent_id, ticket_number: mark, created_by: mark },
  ])
  const of_logs = await ownLogRows(there, { id, mark, number, agent_id, system: SYSTEM })
  await addTechnician(there, { id: agent_id, mark })
  await addMemories(there, [{ id: `mem_${id}`, content: mark, evidence: mark }])
  await addBilling(there, { mark, number, id })
  await tilRequestRows(there, { id, mark, agent_id })
  const callback = await callbackRows(there, { id, mark, number, agent_id })
  await addCompanyFilters(there, mark)
  const channel = await addOwnChannel(there, { id, mark, agent_id })
  return {
    mark,
    number,
    psa_company_id: `psa_${id}`,
    ids: {
      key_id: `key_${id}`,
      user_id: `usr_${id}`,
      end_company_id: `cmp_${id}`,
      agent_id,
      revision: 1,
      execution_id: `exe_${id}`,
      til_request_id: `til_${id}`,
      external_id: `ext_${id}`,
      request_id: `irq_${id}`,
      sync_id: `syn_${id}`,
      memory_id: `mem_${id}`,
      ...of_logs,
      profile_id: agent_id,
      schedule_id: agent_id,
      ...callback,
      ...endUser,
      ...channel,
    },
  }
}

/** The id as the argument takes it: some are numbers. */
export const idFor = (
  { type }: GraphQLArgument,
  id: string | number | undefined,
): string | number | undefined => (String(type) === 'Int!' && id !== undefined ? Number(id) : id)

/** Path parameters that name things of the service, equal for every tenant. */
export const CATALOGUE_PATHS = ['/integrations/{name}', '/permission-groups/{name}']

/** Arguments of the operation that name these rows, with samples of the others that it requires. */
export function argumentsOf(operation: Operation, ids: OwnRows['ids']): Arguments {
  const named = pathParameters(operation).flatMap((name) => {
    const arg = operation.field.args.find((argument) => argument.name === name)
    return name in ids && arg ? [[name, idFor(arg, ids[name])]] : []
  })
  const catalogued = operation.rest.path.startsWith('/integrations/{name}')
    ? { name: operation.access.kind === 'dashboard' ? 'connectwise-psa' : 'hudu' }
    : { name: 'TICKETS' }
  const hasName = pathParameters(operation).includes('name')
  return { ...requiredArguments(operation), ...(hasName && catalogued), ...Object.fromEntries(named) }
}
