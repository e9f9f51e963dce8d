/**
 * The access of every kind of caller, stated by hand: every operation's line says what decisions and contract ask of
 * its callers, and none of it is taken from the code that judges them.
 */
import { describe, expect, it, test } from 'vitest'
import { type Access, requiredScopes } from '../src/access/policies/policies.ts'
import type { Role } from '../src/access/policies/roles.ts'
import { PRESETS, ROLE_SCOPES, SCOPES } from '../src/access/policies/scopes.ts'
import { apis, published } from './setup/api.ts'
import { requiredArguments } from './setup/samples.ts'
import { subscribe } from './setup/streams.ts'
import { type Caller, world } from './setup/world.ts'

const { operations, subscriptions } = await published()
const msp = await world()

const AREAS_READ_AND_WRITTEN = [
  'agents',
  'executions',
  'callbacks',
  'til_requests',
  'rmm_scripts',
  'dispatch',
  'tenant',
  'escalation',
  'settings',
  'feedback',
  'end_companies',
  'channels',
  'integrations',
  'technicians',
  'scheduled_work',
  'inbox',
  'comms',
  'skills',
  'memories',
  'webhooks',
]
const AREAS_READ = ['billing', 'observability', 'performance', 'end_users', 'audit_log']
const READS = [...AREAS_READ_AND_WRITTEN, ...AREAS_READ].map((area) => `${area}:read`)
const WRITES = AREAS_READ_AND_WRITTEN.map((area) => `${area}:write`)
const VERBS = ['agents:run', 'rmm_scripts:run', 'til_requests:decide']

const OF_USERS = [
  'agents:write',
  'agents:run',
  'til_requests:decide',
  'inbox:write',
  'memories:write',
  'scheduled_work:write',
  'executions:write',
]
const SCOPES_OF: Record<Role, readonly string[]> = {
  OWNER: [...READS, ...WRITES, ...VERBS],
  ADMIN: [...READS, ...WRITES, ...VERBS],
  USER: [...READS, ...OF_USERS],
  VIEWER: READS,
}

describe('scopes', () => {
  test('are those of the areas, and every one is in the preset FULL', () => {
    expect([...SCOPES].sort()).toEqual([...READS, ...WRITES, ...VERBS].sort())
    expect([...PRESETS.FULL].sort()).toEqual([...SCOPES].sort())
    expect([...PRESETS.READ_ONLY].sort()).toEqual([...READS].sort())
  })

  test.each(Object.entries(SCOPES_OF))('of the role %s are what it may do', (role, scopes) => {
    expect([...ROLE_SCOPES[role as Role]].sort()).toEqual([...scopes].sort())
  })
})

/** A scope; `admins` and a scope; or who else may call. */
type Rule =
  | 'anyone'
  | 'any caller'
  | 'dashboard admins'
  | 'end users'
  | { scope: string; and?: string; admins?: true }

const WHO_MAY: Record<string, Rule> = {
  health: 'anyone',
  error_codes: 'anyone',
  enum_catalog: 'anyone',
  tool_schemas: 'any caller',
  event_types: 'any caller',
  agent_schema: 'any caller',
  discover: 'any caller',
  tenant: 'any caller',
  me: 'any caller',
  permission_groups: 'any caller',
  permission_group: 'any caller',
  tenant_users: { scope: 'tenant:read', admins: true },
  tenant_user: { scope: 'tenant:read', admins: true },
  set_user_role: 'dashboard admins',
  link_user_technician: 'dashboard admins',
  update_permission_group: { scope: 'tenant:write', admins: true },
  settings: { scope: 'settings:read' },
  update_settings: { scope: 'settings:write' },
  api_keys: 'dashboard admins',
  api_key: 'dashboard admins',
  api_key_scopes: 'dashboard admins',
  api_key_usage: 'dashboard admins',
  create_api_key: 'dashboard admins',
  update_api_key: 'dashboard admins',
  rotate_api_key: 'dashboard admins',
  revoke_api_key: 'dashboard admins',
  company_links: { scope: 'end_companies:read' },
  unconfirmed_company_links: { scope: 'end_companies:read' },
  company_link: { scope: 'end_companies:read' },
  map_company_link: { scope: 'end_companies:write' },
  confirm_company_links: { scope: 'end_companies:write' },
  end_companies: { scope: 'end_companies:read' },
  end_company: { scope: 'end_companies:read' },
  company_filters: { scope: 'settings:read' },
  company_filter_options: { scope: 'settings:read' },
  replace_company_filters: { scope: 'settings:write' },
  remove_unmatched_companies: { scope: 'settings:write', admins: true },
  map_workplace_tenant: { scope: 'end_companies:write' },
  unmap_workplace_tenant: { scope: 'end_companies:write' },
  end_users: { scope: 'end_users:read' },
  end_user: { scope: 'end_users:read' },
  end_user_tickets: 'end users',
  integrations: { scope: 'integrations:read' },
  integration: { scope: 'integrations:read' },
  chat_app_status: { scope: 'integrations:read' },
  integration_requests: { scope: 'integrations:read' },
  integration_request: { scope: 'integrations:read' },
  request_integration: { scope: 'integrations:write' },
  connection_schemas: 'any caller',
  integration_connection: 'dashboard admins',
  connect_integration: 'dashboard admins',
  disconnect_integration: 'dashboard admins',
  test_integration: 'dashboard admins',
  integration_syncs: { scope: 'integrations:read' },
  integration_sync: { scope: 'integrations:read' },
  sync_integration: { scope: 'integrations:write' },
  cancel_integration_sync: { scope: 'integrations:write' },
  put_integration_customers: { scope: 'integrations:write', admins: true },
  integration_sync_updates: { scope: 'integrations:read' },
  agents: { scope: 'agents:read' },
  agent: { scope: 'agents:read' },
  create_agent: { scope: 'agents:write' },
  replace_agent: { scope: 'agents:write' },
  update_agent: { scope: 'agents:write' },
  validate_agent: { scope: 'agents:write' },
  activate_agent: { scope: 'agents:write' },
  pause_agent: { scope: 'agents:write' },
  archive_agent: { scope: 'agents:write' },
  agent_shares: { scope: 'agents:read' },
  set_agent_shares: { scope: 'agents:write' },
  agent_revision: { scope: 'agents:read' },
  agent_revisions: { scope: 'agents:read' },
  restore_agent_revision: { scope: 'agents:write' },
  scheduled_work: { scope: 'scheduled_work:read' },
  scheduled_work_entry: { scope: 'scheduled_work:read' },
  create_scheduled_work: { scope: 'scheduled_work:write', and: 'agents:run' },
  reschedule_work: { scope: 'scheduled_work:write' },
  cancel_execution: { scope: 'executions:write' },
  retry_execution: { scope: 'agents:run' },
  cancel_scheduled_work: { scope: 'scheduled_work:write' },
  run_agent_now: { scope: 'agents:run' },
  callbacks: { scope: 'callbacks:read' },
  callback: { scope: 'callbacks:read' },
  callback_matches: { scope: 'callbacks:read' },
  test_callback_match: { scope: 'callbacks:read' },
  reprocess_callback: { scope: 'callbacks:write' },
  callback_change_options: 'any caller',
  callback_funnel: { scope: 'observability:read' },
  execution_health: { scope: 'observability:read' },
  integration_health: { scope: 'observability:read' },
  executions: { scope: 'executions:read' },
  execution: { scope: 'executions:read' },
  execution_tool_calls: { scope: 'audit_log:read' },
  audit_log: { scope: 'audit_log:read' },
  audit_log_entry: { scope: 'audit_log:read' },
  audit_log_summary: { scope: 'audit_log:read' },
  audit_log_export: { scope: 'audit_log:read', admins: true },
  verify_audit_log: { scope: 'audit_log:read', admins: true },
  activity_log: { scope: 'audit_log:read', admins: true },
  technicians: { scope: 'technicians:read' },
  technician: { scope: 'technicians:read' },
  technician_availability: { scope: 'technicians:read' },
  create_technician: { scope: 'technicians:write' },
  delete_technician: { scope: 'technicians:write' },
  update_technician: { scope: 'technicians:write' },
  technician_schedules: { scope: 'technicians:read' },
  technician_schedule: { scope: 'technicians:read' },
  create_technician_schedule: { scope: 'technicians:write' },
  replace_technician_schedule: { scope: 'technicians:write' },
  delete_technician_schedule: { scope: 'technicians:write' },
  assign_schedule_technicians: { scope: 'technicians:write' },
  billing_subscription: { scope: 'billing:read', admins: true },
  billing_usage: { scope: 'billing:read' },
  billing_alerts: { scope: 'billing:read', admins: true },
  update_billing_alerts: 'dashboard admins',
  documentation_quota: { scope: 'tenant:read' },
  execution_runs: { scope: 'executions:read' },
  execution_timeline: { scope: 'executions:read' },
  execution_til_requests: { scope: 'til_requests:read' },
  execution_updates: { scope: 'executions:read' },
  til_request_updates: { scope: 'til_requests:read' },
  til_requests: { scope: 'til_requests:read' },
  til_request: { scope: 'til_requests:read' },
  approve_til_request: { scope: 'til_requests:decide' },
  reject_til_request: { scope: 'til_requests:decide' },
  answer_til_request: { scope: 'til_requests:decide' },
  reassign_til_request: { scope: 'til_requests:decide' },
  channels: { scope: 'channels:read' },
  channel: { scope: 'channels:read' },
  channel_installs: { scope: 'channels:read' },
  channel_messages: { scope: 'channels:read' },
  post_channel_message: { scope: 'channels:write' },
  create_channel: { scope: 'channels:write' },
  update_channel: { scope: 'channels:write' },
  pause_channel: { scope: 'channels:write' },
  resume_channel: { scope: 'channels:write' },
  test_channel: { scope: 'channels:write' },
  delete_channel: { scope: 'channels:write' },
  memories: { scope: 'memories:read' },
  memory: { scope: 'memories:read' },
  create_memory: { scope: 'memories:write' },
  update_memory: { scope: 'memories:write' },
  pin_memory: { scope: 'memories:write' },
  unpin_memory: { scope: 'memories:write' },
  confirm_memory: { scope: 'memories:write' },
  delete_memory: { scope: 'memories:write' },
  restore_memory: { scope: 'memories:write' },
  performance_summary: { scope: 'performance:read' },
  performance_timeseries: { scope: 'performance:read' },
  performance_by_agent: { scope: 'performance:read' },
}

/** The rule by which the code judges the callers of an operation, as a line of the table would state it. */
function lineOf({ name, access }: { name: string; access: Access }): string {
  const [scope, and] = requiredScopes(access)
  const scoped = [
    `scope: '${scope}'`,
    ...(and ? [`and: '${and}'`] : []),
    ...(access.kind === 'role' ? ['admins: true'] : []),
  ]
  const others = {
    anyone: "'anyone'",
    caller: "'any caller'",
    dashboard: "'dashboard admins'",
    only: "'end users'",
  }
  return `${name}: ${access.kind === 'scope' || access.kind === 'role' ? `{ ${scoped.join(', ')} }` : others[access.kind]},`
}

const unstated = [...operations, ...subscriptions].filter(({ name }) => !(name in WHO_MAY))

test('every operation says here who may call it', () => {
  const lines = unstated.map(lineOf).join('\n')
  expect(
    unstated.map(({ name }) => name),
    `WHO_MAY in test/access.test.ts lacks these lines. Compare each with what the contract asks:\n${lines}\n`,
  ).toEqual([])
  const names = new Set([...operations, ...subscriptions].map(({ name }) => name))
  expect(Object.keys(WHO_MAY).filter((name) => !names.has(name))).toEqual([])
})

interface Kind {
  name: string
  credential: 'none' | 'wrong' | 'key' | 'user'
  /** The user's role, or the acting user's. */
  role?: Role
  /** The scopes of the key itself; all of them unless given. */
  scopes?: readonly string[]
}

const callers: [Kind, Caller | null][] = [
  [{ name: 'nobody', credential: 'none' }, null],
  [
    { name: 'a wrong key', credential: 'wrong' },
    { id: '', token: 'svc_sk_test_wrong' },
  ],
  [{ name: 'a key without scopes', credential: 'key', scopes: [] }, await msp.newKey({ scopes: [] })],
  [{ name: 'a key with every scope', credential: 'key' }, msp.key],
  [{ name: 'an OWNER', credential: 'user', role: 'OWNER' }, msp.owner],
  [{ name: 'an ADMIN', credential: 'user', role: 'ADMIN' }, msp.admin],
  [{ name: 'a USER', credential: 'user', role: 'USER' }, msp.user],
  [{ name: 'a VIEWER', credential: 'user', role: 'VIEWER' }, msp.viewer],
  [
    { name: 'a key acting for an ADMIN', credential: 'key', role: 'ADMIN' },
    await msp.newKey({ acting_user_id: msp.admin.id }),
  ],
  [
    { name: 'a key acting for a USER', credential: 'key', role: 'USER' },
    await msp.newKey({ acting_user_id: msp.user.id }),
  ],
  [
    { name: 'a key acting for a VIEWER', credential: 'key', role: 'VIEWER' },
    await msp.newKey({ acting_user_id: msp.viewer.id }),
  ],
  [
    { name: 'a reading key', credential: 'key', scopes: READS },
    await msp.newKey({ scopes: PRESETS.READ_ONLY }),
  ],
  [
    {
      name: 'a key that writes and runs nothing',
      credential: 'key',
      scopes: [...READS, ...WRITES],
    },
    await msp.newKey({ scopes: SCOPES.filter((name) => !VERBS.includes(name)) }),
  ],
]

function expected(rule: Rule, { credential, role, scopes = [...READS, ...WRITES, ...VERBS] }: Kind): string {
  if (credential === 'wrong') return 'invalid_credentials'
  if (rule === 'anyone') return 'allowed'
  if (credential === 'none') return 'unauthenticated'
  if (rule === 'any caller') return 'allowed'
  if (rule === 'end users') return 'invalid_credentials'
  const isAdmin = role === 'OWNER' || role === 'ADMIN'
  if (rule === 'dashboard admins') {
    if (credential === 'key') return 'dashboard_jwt_required'
    return isAdmin ? 'allowed' : 'forbidden'
  }
  const needed = rule.and ? [rule.scope, rule.and] : [rule.scope]
  if (credential === 'key' && !needed.every((one) => scopes.includes(one))) return 'insufficient_scope'
  if (role && !needed.every((one) => SCOPES_OF[role].includes(one))) return 'forbidden'
  return rule.admins && role && !isAdmin ? 'forbidden' : 'allowed'
}

function ruleOf(name: string): Rule {
  const rule = WHO_MAY[name]
  if (!rule) throw new Error(`WHO_MAY does not say who may call ${name}.`)
  return rule
}

describe.each(apis)('access through $name', (api) => {
  it.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s',
    async (name, operation) => {
      const args = requiredArguments(operation)
      const answers: Record<string, string> = {}
      for (const [kind, caller] of callers) {
        const { status, error } = await api.call(caller, name, args)
        expect(status, `${name} by ${kind.name}`).toBeLessThan(500)
        answers[kind.name] = status === 401 || status === 403 ? (error?.code ?? '') : 'allowed'
      }
      expect(answers).toEqual(
        Object.fromEntries(callers.map(([kind]) => [kind.name, expected(ruleOf(name), kind)])),
      )
    },
  )
})

describe('access to a subscription', () => {
  it.each(subscriptions.map(({ name }) => [name]))('%s', async (name) => {
    const answers: Record<string, string> = {}
    for (const [kind, caller] of callers) {
      const stream = await subscribe(caller, `subscription { ${name} { id } }`)
      expect(stream.status, `${name} by ${kind.name}`).toBeLessThan(500)
      answers[kind.name] = [401, 403].includes(stream.status) ? (stream.code() ?? '') : 'allowed'
      stream.close()
    }
    expect(answers).toEqual(
      Object.fromEntries(callers.map(([kind]) => [kind.name, expected(ruleOf(name), kind)])),
    )
  })
})
