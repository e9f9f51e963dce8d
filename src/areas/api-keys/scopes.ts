/** The scopes that a key can have, explained. */
import { requiredScopes } from '../../access/policies/policies.ts'
import { PRESETS, SCOPES, type Scope } from '../../access/policies/scopes.ts'
import type { Operation } from '../../gateway/operation.ts'
import { builder } from '../../schema/builder.ts'

const NOUNS: Record<string, string> = {
  til_requests: 'TIL requests',
  rmm_scripts: 'RMM scripts',
  dispatch: 'dispatch rules and decisions',
  tenant: 'the tenant, its users, its permission groups and its documentation quota',
  escalation: 'escalation policies and events',
  settings: 'the settings and the company filters',
  feedback: 'feedback and feedback links',
  end_companies: 'end companies and company links',
  technicians: 'technicians and their schedules',
  scheduled_work: 'scheduled work',
  inbox: 'the inbox',
  comms: 'messages to end users',
  webhooks: 'webhook endpoints, deliveries and events',
  billing: 'the subscription and credit usage',
  observability: 'the metrics of callbacks, executions and integrations',
  performance: 'performance figures',
  end_users: 'end users',
  audit_log: 'the audit log and the activity log',
}

const VERBS: Record<string, string> = { read: 'See', write: 'Change', run: 'Run', decide: 'Decide' }

/** The description of a scope, in a sentence. */
export function describeScope(scope: Scope): string {
  const [area = '', verb = ''] = scope.split(':')
  return `${VERBS[verb]} ${NOUNS[area] ?? area}.`
}

/** The presets that have the scope. */
const presetsWith = (scope: Scope): string[] =>
  Object.entries(PRESETS)
    .filter(([, scopes]) => (scopes as readonly Scope[]).includes(scope))
    .map(([name]) => name)

interface ExplainedScope {
  name: Scope
  description: string
  operations: string[]
  presets: string[]
}

/** Every scope, with the operations that need it. */
export const scopeCatalogue = (operations: readonly Operation[]): ExplainedScope[] =>
  SCOPES.map((name) => ({
    name,
    description: describeScope(name),
    operations: operations
      .filter(({ access }) => requiredScopes(access).includes(name))
      .map((operation) => operation.name),
    presets: presetsWith(name),
  }))

export const ApiKeyScope = builder.objectRef<ExplainedScope>('ApiKeyScope').implement({
  description: 'One thing that a key can be allowed.',
  fields: (t) => ({
    name: t.exposeString('name', { description: '`<area>:<verb>`, as `scopes` of a key take it.' }),
    description: t.exposeString('description', {
      description: 'The permission that it gives, in a sentence.',
    }),
    operations: t.exposeStringList('operations', {
      description: 'The names of the operations that need it.',
    }),
    presets: t.exposeStringList('presets', {
      description: 'The usual sets of scopes that have it: READ_ONLY, AUTOMATION, FULL.',
    }),
  }),
})
