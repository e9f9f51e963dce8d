/** The scopes there are, and which of them each role allows. */
import { ROLES, type Role } from './roles.ts'

const READ_WRITE = [
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
] as const
const READ = ['billing', 'observability', 'performance', 'end_users', 'audit_log'] as const
const VERBS = ['agents:run', 'rmm_scripts:run', 'til_requests:decide'] as const

export type Scope =
  | `${(typeof READ_WRITE)[number]}:${'read' | 'write'}`
  | `${(typeof READ)[number]}:read`
  | (typeof VERBS)[number]

export const SCOPES: readonly Scope[] = [
  ...READ_WRITE.flatMap((area) => [`${area}:read`, `${area}:write`] as const),
  ...READ.map((area) => `${area}:read` as const),
  ...VERBS,
]

const reads = SCOPES.filter((scope) => scope.endsWith(':read'))

/** Sets of scopes that most keys want. */
export const PRESETS = {
  READ_ONLY: reads,
  AUTOMATION: [
    ...reads,
    'agents:run',
    'til_requests:decide',
    'scheduled_work:write',
    'comms:write',
    'memories:write',
  ],
  FULL: SCOPES,
} as const satisfies Record<string, readonly Scope[]>

const user: readonly Scope[] = [
  ...reads,
  'agents:write',
  'agents:run',
  'executions:write',
  'til_requests:decide',
  'scheduled_work:write',
  'dispatch:write',
  'feedback:write',
  'inbox:write',
  'memories:write',
]

/** Ownership and billing changes have no scope, so OWNER and ADMIN hold the same ones. */
export const ROLE_SCOPES: Record<Role, ReadonlySet<Scope>> = {
  OWNER: new Set(SCOPES),
  ADMIN: new Set(SCOPES),
  USER: new Set(user),
  VIEWER: new Set([...reads, 'inbox:write']),
}

/** The lowest role that allows the scopes. */
export const leastRoleWith = (scopes: readonly Scope[]): Role =>
  ROLES.findLast((role) => scopes.every((name) => ROLE_SCOPES[role].has(name))) ?? 'OWNER'

export const isScope = (name: string): name is Scope => (SCOPES as readonly string[]).includes(name)
