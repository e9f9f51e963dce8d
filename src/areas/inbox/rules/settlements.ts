/** The rules of settling: which events settle the items that are open. */
import type { FeedEvent } from './feed-event.ts'
import { BAD_RATING, type Kind } from './items.ts'

/** Items that are settled, up to the event. */
export type Settlement =
  | {
      by: 'CAUSE'
      kind: Kind
      value: string
      /** The technicians and the user who keep the item. */
      kept_technician_ids?: readonly number[]
      kept_user_id?: string | null
    }
  | { by: 'SUBJECT'; kind: Kind; value: string }
  | { by: 'WAITS_ON'; value: string }
  | { by: 'AGENT'; value: number }

/** The facts that the events do not tell. */
export interface SettlingFacts {
  /** The category of each integration, by its name. */
  categories: ReadonlyMap<string, string>
  /** The execution that an execution is another attempt at. */
  retried: ReadonlyMap<string, string>
  /** The user who has taken an escalation over. */
  claimed_by: ReadonlyMap<string, string | null>
}

type Rule = (event: FeedEvent, facts: SettlingFacts) => readonly Settlement[]

const ofEntity =
  (kind: Kind): Rule =>
  ({ entity_id }) => [{ by: 'CAUSE', kind, value: entity_id }]

/** The integration is healthy: what failed for it is over. */
const isHealthy: Rule = ({ data }, { categories }) => {
  const name = String(data.name)
  const category = categories.get(name)
  return [
    { by: 'CAUSE', kind: 'INTEGRATION_HEALTH', value: name },
    ...(category === undefined ? [] : [{ by: 'WAITS_ON', value: category } as const]),
  ]
}

const settled = ofEntity('TIL_REQUEST')

const RULES: Readonly<Record<string, Rule>> = {
  'til_request.approved': settled,
  'til_request.rejected': settled,
  'til_request.answered': settled,
  'til_request.expired': settled,
  'til_request.cancelled': settled,
  'til_request.reassigned': ({ entity_id, data }) => [
    {
      by: 'CAUSE',
      kind: 'TIL_REQUEST',
      value: entity_id,
      kept_technician_ids: Array.isArray(data.technician_ids) ? data.technician_ids : [],
    },
  ],
  // Contract silent: whoever takes an escalation over keeps the item until it is resolved.
  'escalation.acknowledged': ({ entity_id }, { claimed_by }) => [
    { by: 'CAUSE', kind: 'ESCALATION', value: entity_id, kept_user_id: claimed_by.get(entity_id) ?? null },
  ],
  'escalation.resolved': ofEntity('ESCALATION'),
  'dispatch.applied': ofEntity('DISPATCH'),
  'dispatch.overridden': ofEntity('DISPATCH'),
  'dispatch.closed': ofEntity('DISPATCH'),
  'integration.healthy': isHealthy,
  'integration.sync_finished': (event, facts) =>
    event.data.status === 'SUCCEEDED' ? isHealthy(event, facts) : [],
  'integration.disconnected': ({ data: { name, reason } }) =>
    reason === 'BY_PERSON' ? [{ by: 'CAUSE', kind: 'INTEGRATION_HEALTH', value: String(name) }] : [],
  // Contract silent: revoked feedback keeps its rating, and its item.
  'feedback.submitted': (event, facts) =>
    event.data.rating === BAD_RATING ? [] : ofEntity('FEEDBACK')(event, facts),
  'api_key.rotated': ofEntity('API_KEY_EXPIRING'),
  'api_key.revoked': ofEntity('API_KEY_EXPIRING'),
  'webhook_endpoint.switched': ofEntity('WEBHOOK_DISABLED'),
  'webhook_endpoint.deleted': ofEntity('WEBHOOK_DISABLED'),
  // Contract silent: the failure of an execution is settled by a retry that completes, and with its agent.
  'execution.completed': ({ entity_id }, { retried }) => {
    const first = retried.get(entity_id)
    return first === undefined ? [] : [{ by: 'SUBJECT', kind: 'EXECUTION_FAILED', value: first }]
  },
  'agent.archived': ({ agent_id }) => (agent_id === null ? [] : [{ by: 'AGENT', value: agent_id }]),
}

/** The types of events that settle items. */
export const SETTLING: readonly string[] = Object.keys(RULES)

export const settlementsOf = (event: FeedEvent, facts: SettlingFacts): readonly Settlement[] =>
  RULES[event.type]?.(event, facts) ?? []
