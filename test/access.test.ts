/** The access of every kind of caller, by what each area says who may call its operations. */
import { describe, expect, it, test } from 'vitest'
import { type Access, requiredScopes } from '../src/access/policies/policies.ts'
import type { Role } from '../src/access/policies/roles.ts'
import { PRESETS, ROLE_SCOPES, SCOPES } from '../src/access/policies/scopes.ts'
import { type Api, apis, published } from './setup/api.ts'
import { requiredArguments } from './setup/samples.ts'
import { subscribe } from './setup/streams.ts'
import type { WhoMay } from './setup/suites/area.ts'
import { linesToAdd, together } from './setup/suites/areas.ts'
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
  'dispatch:write',
  'feedback:write',
]
const SCOPES_OF: Record<Role, readonly string[]> = {
  OWNER: [...READS, ...WRITES, ...VERBS],
  ADMIN: [...READS, ...WRITES, ...VERBS],
  USER: [...READS, ...OF_USERS],
  VIEWER: [...READS, 'inbox:write'],
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

const WHO_MAY = together(({ who_may }) => who_may)

/** The rule by which the code judges the callers of an operation, as its line would state it. */
function lineOf({ name, access }: { name: string; access: Access }): string {
  const [scope, and] = requiredScopes(access)
  const scoped = [
    `scope: '${scope}'`,
    ...(and ? [`and: '${and}'`] : []),
    ...(access.kind === 'role' ? ['admins: true'] : []),
    ...(access.kind === 'person' ? ['people: true'] : []),
  ]
  const others = {
    anyone: "'anyone'",
    caller: "'any caller'",
    dashboard: "'dashboard admins'",
    only: "'end users'",
    signed: "'holders of a link'",
  }
  const line =
    access.kind === 'scope' || access.kind === 'role' || access.kind === 'person'
      ? `{ ${scoped.join(', ')} }`
      : others[access.kind]
  return `${name}: ${line},`
}

const unstated = [...operations, ...subscriptions].filter(({ name }) => !(name in WHO_MAY))

test('every operation says here who may call it', () => {
  const lines = unstated.map((operation) => ({ area: operation.area.name, line: lineOf(operation) }))
  expect(
    unstated.map(({ name }) => name),
    `Compare each line with what the contract asks:\n${linesToAdd('who_may', lines)}\n`,
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

function expected(
  rule: WhoMay,
  { credential, role, scopes = [...READS, ...WRITES, ...VERBS] }: Kind,
  through: Api['name'],
): string {
  // GraphQL judges the header of a request before its document.
  if (rule === 'holders of a link' && (through === 'rest' || credential !== 'wrong'))
    return 'invalid_signature'
  if (credential === 'wrong') return 'invalid_credentials'
  if (rule === 'anyone') return 'allowed'
  if (credential === 'none') return 'unauthenticated'
  if (rule === 'any caller') return 'allowed'
  if (rule === 'end users' || rule === 'holders of a link') return 'invalid_credentials'
  const isAdmin = role === 'OWNER' || role === 'ADMIN'
  if (rule === 'dashboard admins') {
    if (credential === 'key') return 'dashboard_jwt_required'
    return isAdmin ? 'allowed' : 'forbidden'
  }
  const needed = rule.and ? [rule.scope, rule.and] : [rule.scope]
  if (credential === 'key' && !needed.every((one) => scopes.includes(one))) return 'insufficient_scope'
  if (role && !needed.every((one) => SCOPES_OF[role].includes(one))) return 'forbidden'
  if (rule.people && !role) return 'acting_user_required'
  return rule.admins && role && !isAdmin ? 'forbidden' : 'allowed'
}

function ruleOf(name: string): WhoMay {
  const rule = WHO_MAY[name]
  if (!rule) throw new Error(`No who_may of test/areas/<area>/suites.ts says who may call ${name}.`)
  return rule
}

/** The callers of the three outcomes: admitted by every rule, without the scope, without credentials. */
const OF_EACH_OUTCOME = ['an OWNER', 'a key without scopes', 'nobody']

/** Both interfaces ask the same function whom an operation admits: one tries every kind, the other that it asks. */
const CALLERS_THROUGH: Record<Api['name'], typeof callers> = {
  graphql: callers,
  rest: callers.filter(([{ name }]) => OF_EACH_OUTCOME.includes(name)),
}

test('a caller of each outcome is tried through REST', () => {
  expect(CALLERS_THROUGH.rest.map(([{ name }]) => name).sort()).toEqual([...OF_EACH_OUTCOME].sort())
})

describe.each(apis)('access through $name', (api) => {
  const tried = CALLERS_THROUGH[api.name]

  it.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s',
    async (name, operation) => {
      const args = requiredArguments(operation)
      const answers: Record<string, string> = {}
      for (const [kind, caller] of tried) {
        const { status, error } = await api.call(caller, name, args)
        expect(status, `${name} by ${kind.name}`).toBeLessThan(500)
        answers[kind.name] = status === 401 || status === 403 ? (error?.code ?? '') : 'allowed'
      }
      expect(answers).toEqual(
        Object.fromEntries(tried.map(([kind]) => [kind.name, expected(ruleOf(name), kind, api.name)])),
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
      Object.fromEntries(callers.map(([kind]) => [kind.name, expected(ruleOf(name), kind, 'graphql')])),
    )
  })
})
