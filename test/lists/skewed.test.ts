/** Whatever a list is filtered by, a page reads few rows of a tenant that has many. */
import { getNamedType, isEnumType } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Arguments, published } from '../setup/api.ts'
import { SAMPLERS } from '../setup/lists/index.ts'
import { makeTechnician } from '../setup/til-requests.ts'
import { type Caller, days, type Msp, world } from '../setup/world.ts'
import { type Measuring, measure, pagesOf, startMeasuring } from './deep-pages.ts'
import { fillTenant, ROWS } from './skewed-rows.ts'

const ROWS_AT_MOST = 5000

/** The lists of the tenant that grow, each with values of what is no enumeration: common, rare, and never met. */
const GROWING: Record<string, Record<string, readonly unknown[]>> = {
  activity_log: {
    actor_id: ['usr_7', '-'],
    action: ['agent.1', 'settings.1', '-'],
    target_type: ['api_key', '-'],
    target_id: [`key_${ROWS - 50}`, '-'],
  },
  audit_log: {
    agent_id: [1, 200, 301, 9999],
    execution_id: ['exe_0000007', '-'],
    tool_name: ['ticket.1', 'device.1', '-'],
    entity_id: ['7', '-'],
    acting_user_id: ['usr_1', '-'],
    system: ['CONNECTWISE_PSA', 'HUDU', 'SYNCRO'],
  },
  callbacks: {
    change_type: ['TICKET_STATUS_CHANGED', 'TICKET_MERGED', 'TICKET_REOPENED'],
    entity_id: ['7', '-'],
    psa_company_id: ['7', '-'],
  },
  channel_installs: { channel_id: ['chn_1', 'chn_2'] },
  channel_messages: { channel_id: ['chn_1', 'chn_2'], conversation_id: ['con_1', 'con_8', '-'] },
  company_links: { psa_company_id: ['psa_7', '-'] },
  end_users: { end_company_id: ['cmp_7', '-'] },
  executions: { agent_id: [1, 200, 301, 9999], entity_id: ['7', '-'] },
  memories: { scope_id: ['7', '-'], agent_id: [1, 200, 301, 9999], min_confidence: [0.4, 0.505, 0.9, 1] },
  scheduled_work: { ticket_id: ['7', '-'], workflow_id: [1, 200, 301, 9999] },
  unconfirmed_company_links: {},
  til_requests: {
    technician_id: [1, 2, 12, 99],
    agent_id: [1, 200, 301, 9999],
    execution_id: ['exe_0000007', '-'],
  },
}

/** The other lists, each with the reason why it does not grow with what the tenant does. */
const STEADY: Record<string, string> = {
  ...Object.fromEntries(
    ['agents', 'api_keys', 'channels', 'technicians', 'technician_schedules', 'tenant_users'].map((list) => [
      list,
      'people make its rows, one by one',
    ]),
  ),
  end_companies: 'its rows are the customers of one MSP',
  integrations: 'its rows are the service’s own',
  integration_requests: 'a tenant may make a few a day',
  integration_syncs: 'a system is synced a few times a day, one sync after the other',
  performance_by_agent: 'its rows are agents',
  agent_revisions: 'its rows are of one agent',
  callback_matches: 'its rows are of one callback',
  ...Object.fromEntries(
    ['runs', 'timeline', 'til_requests', 'tool_calls'].map((part) => [
      `execution_${part}`,
      'its rows are of one execution',
    ]),
  ),
}

/** Filters whose cost grows with the tenant, each with the reason. CONTRIBUTING.md has what they cost. */
const NOT_BOUNDED: Record<string, string> = {
  search:
    'it finds any part of the text, and one or two letters have no trigrams; text whose parts are common, but not the whole, is looked for in the rows that have the parts',
}

const { operations } = await published()

/** The same for one caller alone. */
const NOT_BOUNDED_FOR: Record<string, Record<string, string>> = {
  VIEWER: {
    'til_requests.technician_id':
      'the requests that name two technicians are among those that name the one, and can be few of them',
  },
}

let measuring: Measuring
let msp: Msp

const INSTANTS = [0, 1, 17.3].map((past) => new Date(Date.now() - days(past)).toISOString())

/** Each filter of the list with each of its values. */
function filtersOf(list: string): [string, Arguments][] {
  const operation = operations.find(({ name }) => name === list)
  const filters = operation?.field.args.filter(({ name }) => name in (SAMPLERS[list]?.filters ?? {})) ?? []
  return filters.flatMap(({ name, type }) => {
    const named = getNamedType(type)
    const values =
      GROWING[list]?.[name] ??
      (isEnumType(named) ? named.getValues().map((one) => one.name) : undefined) ??
      { Boolean: [true, false], DateTime: INSTANTS }[named.name] ??
      []
    if (NOT_BOUNDED[`${list}.${name}`] ?? NOT_BOUNDED[name]) return []
    if (values.length === 0) throw new Error(`There is no value of ${list}.${name}`)
    return values.map((value): [string, Arguments] => [`${name} ${value}`, { [name]: value }])
  })
}

it('every list grows with the tenant, or is known not to', () => {
  expect(Object.keys({ ...GROWING, ...STEADY }).sort()).toEqual(Object.keys(SAMPLERS).sort())
})

describe.runIf(process.env.DATABASE_URL)('a page of a tenant with many rows', () => {
  beforeAll(async () => {
    measuring = await startMeasuring()
    msp = await world(measuring.database)
    await makeTechnician(msp, msp.viewer.id, 1)
    await fillTenant(measuring.url, msp)
    await measuring.client.query('analyze agent, end_company, channel')
  }, 240_000)

  afterAll(() => measuring.close())

  /** The USER sees nearly all agents; the VIEWER sees two, and is a technician whom every tenth request names. */
  function callersOf(list: string): Record<string, Caller> {
    const { owner: OWNER, user: USER, viewer: VIEWER } = msp
    return SAMPLERS[list]?.isSeenBy || list === 'callbacks' ? { OWNER, USER, VIEWER } : { OWNER }
  }

  async function rowsRead(list: string, caller: Caller, args: Arguments): Promise<number> {
    const { whole } = pagesOf(measuring, list, caller, { ...SAMPLERS[list]?.required, ...args })
    const { costs } = await measure(measuring, () => whole({ page_size: 50, cursor: null }))
    return Math.max(...costs.map(({ rows }) => rows))
  }

  describe.each(Object.keys(GROWING))('in the list %s', (list) => {
    it.each([['no filter', {}] as [string, Arguments], ...filtersOf(list)])(
      'reads few of them with %s',
      async (_name, args) => {
        const sorts = Object.keys(SAMPLERS[list]?.orders ?? {}).map((sort) => (sort ? { sort } : {}))
        for (const sort of sorts)
          for (const [who, caller] of Object.entries(callersOf(list))) {
            if (Object.keys(args).some((name) => NOT_BOUNDED_FOR[who]?.[`${list}.${name}`])) continue
            const rows = await rowsRead(list, caller, { ...args, ...sort })
            expect.soft(rows, `rows of the ${who}, ${JSON.stringify(sort)}`).toBeLessThanOrEqual(ROWS_AT_MOST)
          }
      },
    )
  })
})
