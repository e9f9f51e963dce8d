/** The tables of policies and escalations, and their lists. */
import { descending } from '../../db/query/keyset.ts'
import type { Condition } from '../../db/query/list.ts'
import { ApiError } from '../../errors/errors.ts'
import { ofAgentsOrNone, restrictedUserOf } from '../../schema/lists/of-agents.ts'
import { defineTable } from '../../schema/tables/table.ts'
import { sentAt } from '../channels/index.ts'
import { EscalationEvent, type EscalationRow, escalationEtag, TAGGED } from './escalation-event.ts'
import { escalationEvent } from './events.ts'
import { EscalationPolicy, type PolicyRow } from './policies/policy.ts'
import { hasTold, tellsEndpoint, tellsTechnician } from './told.ts'

export const POLICY = defineTable<PolicyRow>()('EscalationPolicy', {
  alias: 'p',
  noun: 'escalation_policy',
  type: EscalationPolicy,
  argument: 'policy_id',
  description: 'The `id` of the policy.',
  not_found: 'escalation_policy_not_found',
  serialised: true,
})

export const POLICIES = POLICY.list({
  name: 'escalation_policies',
  order: [descending('created_at', 'timestamptz'), descending('id', 'int')],
  filters: {},
})

const TOLD_AT = `coalesce(n.at, ${sentAt('n')})`

const NOTIFIED = `coalesce((
  select jsonb_agg(jsonb_build_object('step', n.step, 'target_type', n.target_type, 'target_id', n.target_id,
    'name', n.name, 'via', n.via, 'at', ${TOLD_AT}) order by n.step, n.target_id, n.via)
  from escalation_notification n
  where n.tenant_id = v.tenant_id and n.environment = v.environment and n.event_id = v.id
    and ${TOLD_AT} is not null), '[]')`

/** Escalations of the agents that the user sees, and of no agent. */
const { seen: OF_VISIBLE_AGENTS } = ofAgentsOrNone('v')

const toldWith = (tells: string): Condition => ({
  text: `v.id in (select n.event_id from escalation_notification n where n.tenant_id = $1 and n.environment = $2
    and ${tells})`,
  is_indexed: true,
})
const TOLD_TECHNICIAN = toldWith(tellsTechnician('$user::text'))
const TOLD_ENDPOINT = toldWith(tellsEndpoint('$user::text'))

/** Seen by everybody if it is about no agent, through its agent, and by whoever was told of it by name. */
const SEEN: Condition = {
  text: `(${OF_VISIBLE_AGENTS.text} or ${hasTold('v.id', '$user::text')})`,
  either: [OF_VISIBLE_AGENTS, TOLD_TECHNICIAN, TOLD_ENDPOINT],
}

type Status = EscalationRow['status']

export const ESCALATION = defineTable<EscalationRow, Status>()('EscalationEvent', {
  alias: 'v',
  noun: 'escalation_event',
  type: EscalationEvent,
  argument: 'event_id',
  description: 'The id of the escalation.',
  not_found: 'escalation_event_not_found',
  title: ({ policy_name, entity_number }) => entity_number ?? policy_name,
  etag: escalationEtag,
  visible: (ctx) => (restrictedUserOf(ctx) === null ? null : SEEN),
  parameters: { user: restrictedUserOf },
  constant: ['policy_id', 'policy_name', 'trigger', 'reason', 'steps', 'subject', 'ticket_change'],
  unread: ['agent_or_none'],
  computed: { notified: NOTIFIED },
  tagged: TAGGED,
  events: (verb, escalation) =>
    verb === 'acknowledged' || verb === 'resolved' ? [escalationEvent(verb, escalation)] : [],
  state: {
    of: ({ status }) => status,
    refusal: (_row, status) => new ApiError('escalation_event_closed', { details: { status } }),
  },
})

const FACETS = { status: 'v.status', trigger: 'v.trigger', policy_id: 'v.policy_id' }

/** The escalations that the caller sees, the newest first. */
export const ESCALATIONS = ESCALATION.list({
  name: 'escalation_events',
  facets: FACETS,
  facets_of_agents: FACETS,
  filters: {
    status: ESCALATION.by.isOneOf('status', 'Only escalations with one of these statuses', 'facet'),
    policy_id: ESCALATION.by.is('policy_id', 'Only escalations that this policy opened.', 'facet'),
    trigger: ESCALATION.by.isOneOf('trigger', 'Only escalations with one of these causes', 'facet'),
    execution_id: ESCALATION.by.is('execution_id', 'Only escalations of this execution.', 'indexed'),
    entity_id: ESCALATION.by.is('entity_id', 'Only escalations of this ticket or time entry.', 'indexed'),
    from: ESCALATION.by.since('created_at', 'escalations opened'),
    to: ESCALATION.by.before('created_at', 'escalations opened'),
  },
})
