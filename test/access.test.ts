/**
 * Who may call what, stated by hand: every operation's line says what decisions and contract ask of its callers, and
 * none of it is taken from the code that judges them.
 */
import { describe, expect, it, test } from 'vitest'
import type { Role } from '../src/access/roles.ts'
import { PRESETS, ROLE_SCOPES, SCOPES } from '../src/access/scopes.ts'
import { apis, published } from './setup/api.ts'
import { requiredArguments } from './setup/samples.ts'
import { type Caller, world } from './setup/world.ts'

const { operations } = await published()
const msp = await world()

const AREAS_READ_AND_WRITTEN = [
  ...['agents', 'executions', 'callbacks', 'til_requests', 'rmm_scripts', 'dispatch', 'tenant', 'escalation'],
  ...['settings', 'feedback', 'end_companies', 'channels', 'integrations', 'technicians', 'scheduled_work'],
  ...['inbox', 'comms', 'skills', 'memories', 'webhooks'],
]
const AREAS_READ = ['billing', 'observability', 'performance', 'end_users', 'audit_log']
const READS = [...AREAS_READ_AND_WRITTEN, ...AREAS_READ].map((area) => `${area}:read`)
const WRITES = AREAS_READ_AND_WRITTEN.map((area) => `${area}:write`)
const VERBS = ['agents:run', 'rmm_scripts:run', 'til_requests:decide']

const OF_USERS = [
  ...['agents:write', 'agents:run', 'til_requests:decide', 'inbox:write'],
  ...['memories:write', 'scheduled_work:write', 'executions:write'],
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
type Rule = 'anyone' | 'any caller' | 'dashboard admins' | { scope: string; admins?: true }

const WHO_MAY: Record<string, Rule> = {
  health: 'anyone',
  error_codes: 'anyone',
  enum_catalog: 'anyone',
  discover: 'any caller',
  tenant: 'any caller',
  me: 'any caller',
  permission_groups: 'any caller',
  permission_group: 'any caller',
  tenant_users: { scope: 'tenant:read', admins: true },
  tenant_user: { scope: 'tenant:read', admins: true },
  set_user_role: 'dashboard admins',
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
  company_link: { scope: 'end_companies:read' },
  map_company_link: { scope: 'end_companies:write' },
  confirm_company_links: { scope: 'end_companies:write' },
  end_companies: { scope: 'end_companies:read' },
  end_company: { scope: 'end_companies:read' },
  integrations: { scope: 'integrations:read' },
  integration: { scope: 'integrations:read' },
  chat_app_status: { scope: 'integrations:read' },
  integration_requests: { scope: 'integrations:read' },
  integration_request: { scope: 'integrations:read' },
  request_integration: { scope: 'integrations:write' },
  agents: { scope: 'agents:read' },
  agent: { scope: 'agents:read' },
  executions: { scope: 'executions:read' },
  execution: { scope: 'executions:read' },
  performance_summary: { scope: 'performance:read' },
}

test('every operation says here who may call it', () => {
  expect(operations.map(({ name }) => name).sort()).toEqual(Object.keys(WHO_MAY).sort())
})

interface Kind {
  name: string
  credential: 'none' | 'wrong' | 'key' | 'user'
  /** The user's role, or the acting user's. */
  role?: Role
  /** What the key itself may do; everything unless said. */
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
]

function expected(rule: Rule, { credential, role, scopes = [...READS, ...WRITES, ...VERBS] }: Kind): string {
  if (credential === 'wrong') return 'invalid_credentials'
  if (rule === 'anyone') return 'allowed'
  if (credential === 'none') return 'unauthenticated'
  if (rule === 'any caller') return 'allowed'
  const isAdmin = role === 'OWNER' || role === 'ADMIN'
  if (rule === 'dashboard admins') {
    if (credential === 'key') return 'dashboard_jwt_required'
    return isAdmin ? 'allowed' : 'forbidden'
  }
  if (credential === 'key' && !scopes.includes(rule.scope)) return 'insufficient_scope'
  if (role && !SCOPES_OF[role].includes(rule.scope)) return 'forbidden'
  return rule.admins && role && !isAdmin ? 'forbidden' : 'allowed'
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
      const rule = WHO_MAY[name] ?? 'anyone'
      expect(answers).toEqual(Object.fromEntries(callers.map(([kind]) => [kind.name, expected(rule, kind)])))
    },
  )
})
