/** Arguments for operations that no test knows by name. */
import {
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isScalarType,
} from 'graphql'
import type { System } from '../../src/areas/integrations/registry.ts'
import type { Operation } from '../../src/graphql/operation.ts'
import { addAgents, addExecutions } from './agents.ts'
import type { Arguments } from './api.ts'
import { clock, ENVIRONMENT } from './app.ts'
import type { Msp } from './world.ts'

/** A value that fits the type; optional fields are left out. */
function sampleOf(type: GraphQLInputType): unknown {
  const inner = getNullableType(type)
  if (isListType(inner)) return [sampleOf(inner.ofType)]
  if (isEnumType(inner)) return inner.getValues()[0]?.name
  if (isInputObjectType(inner)) {
    const required = Object.values(inner.getFields()).filter((field) => isNonNullType(field.type))
    return Object.fromEntries(required.map((field) => [field.name, sampleOf(field.type)]))
  }
  const { json_schema } = isScalarType(inner)
    ? (inner.extensions as { json_schema?: Record<string, number> })
    : {}
  if (inner.name === 'Boolean') return true
  if (inner.name === 'Int') return 1
  if (json_schema?.minimum !== undefined) return json_schema.minimum
  if (inner.name === 'DateTime') return clock.now().toISOString()
  return 'sample'
}

/** What the operation cannot be called without. */
export const requiredArguments = ({ field }: Operation): Arguments =>
  Object.fromEntries(
    field.args.filter(({ type }) => isNonNullType(type)).map(({ name, type }) => [name, sampleOf(type)]),
  )

/** The parameters in the operation's path that name something: those of an enum name no row. */
export const pathParameters = ({ rest, field }: Operation): string[] =>
  [...rest.path.matchAll(/\{(\w+)\}/g)]
    .map(([, name]) => name ?? '')
    .filter((name) => field.args.some((arg) => arg.name === name && !isEnumType(getNullableType(arg.type))))

/** The system of the link in `ownRows`: the one that `requiredArguments` asks for. */
export const LINK_SYSTEM: System = 'CONNECTWISE_PSA'

const COMPANY = 'cmp_isolated'
/** Long enough to be found in no other number. */
const AGENT = 1_987_654_321

/** One row of everything that can be named by an id, by the argument that names it. */
export async function ownRows(msp: Msp): Promise<Record<string, string>> {
  const { database, tenant_id, key, user } = msp
  const now = clock.now()
  const owned = { tenant_id, environment: ENVIRONMENT, created_at: now, updated_at: now }
  const psa_company_id = `psa_${tenant_id}`
  await database.prisma.endCompany.create({
    data: { ...owned, id: COMPANY, psa_company_id, name: `Company of ${tenant_id}` },
  })
  await database.prisma.companyLink.create({
    data: {
      ...owned,
      system: LINK_SYSTEM,
      external_id: `ext_${tenant_id}`,
      external_name: `Entity of ${tenant_id}`,
      psa_company_id,
      psa_company_name: `Company of ${tenant_id}`,
      link_state: 'AUTO',
      match_method: 'DOMAIN',
      confidence: 0.8,
    },
  })
  await database.prisma.integrationRequest.create({
    data: {
      ...owned,
      updated_at: undefined,
      id: `req_${tenant_id}`,
      vendor_name: `Vendor of ${tenant_id}`,
      use_case: 'Isolation',
      requested_by_name: 'Owner',
    } as never,
  })
  const execution_id = `exe_${tenant_id}`
  await addAgents(msp, [{ id: AGENT, name: `Agent of ${tenant_id}` }])
  await addExecutions(msp, [{ execution_id, agent_id: AGENT }])
  return {
    key_id: key.id,
    user_id: user.id,
    end_company_id: COMPANY,
    agent_id: String(AGENT),
    execution_id,
    request_id: `req_${tenant_id}`,
    external_id: `ext_${tenant_id}`,
  }
}

/** Names in paths that are the service's own, the same for every tenant. */
export const CATALOGUE_PATHS = ['/integrations/{name}', '/permission-groups/{name}']
