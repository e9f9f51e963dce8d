/** The rules of items: which events make an item, whose inboxes it is in, and what joins it. */
import { type FeedEvent, numberOf, numbersOf, ofTicket, oneLine, textOf, timeOf } from './feed-event.ts'

export type Kind =
  | 'TIL_REQUEST'
  | 'EXECUTION_FAILED'
  | 'ESCALATION'
  | 'DISPATCH'
  | 'INTEGRATION_HEALTH'
  | 'COMPANY_LINK_REVIEW'
  | 'CREDIT_THRESHOLD'
  | 'FEEDBACK'
  | 'API_KEY_EXPIRING'
  | 'WEBHOOK_DISABLED'
  | 'ANNOUNCEMENT'

type SubjectType =
  | 'TIL_REQUEST'
  | 'EXECUTION'
  | 'ESCALATION'
  | 'DISPATCH_DECISION'
  | 'INTEGRATION'
  | 'COMPANY_LINK'
  | 'SUBSCRIPTION'
  | 'FEEDBACK'
  | 'API_KEY'
  | 'WEBHOOK_ENDPOINT'
  | 'NONE'

/** The facts that the events do not tell. */
export interface Facts {
  agents: ReadonlyMap<number, string>
  /** The titles of requests to technicians. */
  requests: ReadonlyMap<string, string>
  /** The label of each integration, by its name and by its system. */
  labels: ReadonlyMap<string, string>
  /** The words for the causes of escalations. */
  headlines: Readonly<Record<string, string>>
  /** The category of integrations that an execution failed for. */
  failed_for: ReadonlyMap<string, string>
  /** The technicians whom a step of an escalation told in their inbox, by `stepOf`. */
  told: ReadonlyMap<string, readonly number[]>
}

/** The users in whose inboxes an item is. */
export type Audience =
  | { to: 'TECHNICIANS'; technician_ids: readonly number[] }
  | { to: 'EDITORS'; agent_id: number }
  | { to: 'ADMINS' }
  | { to: 'EVERYBODY' }

/** Something that happened, once or several times, for one cause. */
export interface Occurrence {
  kind: Kind
  cause: string
  severity: 'INFO' | 'WARNING' | 'CRITICAL'
  title: string
  body: string | null
  subject_type: SubjectType
  subject_id: string | null
  action_required: boolean
  first_at: Date
  last_at: Date
  /** The category of integrations of which a healthy one settles it. */
  waits_on: string | null
  /** When the time settles it. */
  over_at: Date | null
  audience: Audience
  /** 0: nothing new happened, and only those who have no item get it. */
  count: number
  agent_ids: readonly number[]
  entity_numbers: readonly string[]
}

/** The agents and the numbers of tickets that an item names at most. */
export const MOST_AFFECTED = 20

const DAY_MS = 86_400_000

/** The rating of feedback that makes an item, which every other one settles. */
export const BAD_RATING = 'NEGATIVE'

/** The failure of an execution of which a tool call could not reach its system. */
export const OUTAGE = 'integration_unavailable'

/** The failure of an execution whose conditions could not be read from the PSA. */
const PSA_OUTAGE = 'upstream_unavailable'

function waitsOn(code: string, execution_id: string, { failed_for }: Facts): string | null {
  if (code === PSA_OUTAGE) return 'PSA'
  return code === OUTAGE ? (failed_for.get(execution_id) ?? null) : null
}

export const stepOf = (event_id: string, step: unknown): string => `${event_id}/${step}`

type Outline = Pick<Occurrence, 'kind' | 'cause' | 'severity' | 'title' | 'subject_type' | 'audience'> &
  Partial<Pick<Occurrence, 'body' | 'subject_id' | 'action_required' | 'count' | 'waits_on' | 'over_at'>>

type Rule = (event: FeedEvent, facts: Facts) => Outline | null

const agentOf = ({ agent_id }: FeedEvent, { agents }: Facts): string =>
  (agent_id === null ? null : agents.get(agent_id)) ?? 'An agent'

const requested =
  (count: number): Rule =>
  (event, { requests }) => ({
    kind: 'TIL_REQUEST',
    cause: event.entity_id,
    severity: event.data.risk === 'HIGH' ? 'CRITICAL' : 'WARNING',
    title: requests.get(event.entity_id) ?? 'A technician is asked to decide',
    subject_type: 'TIL_REQUEST',
    subject_id: event.entity_id,
    action_required: true,
    audience: { to: 'TECHNICIANS', technician_ids: numbersOf(event.data.technician_ids) },
    count,
  })

const labelOf = ({ labels }: Facts, name: unknown): string => labels.get(String(name)) ?? String(name)

const integrationFails = (name: string, title: string, body: string | null): Outline => ({
  kind: 'INTEGRATION_HEALTH',
  cause: name,
  severity: 'CRITICAL',
  title,
  body,
  subject_type: 'INTEGRATION',
  subject_id: name,
  action_required: true,
  audience: { to: 'ADMINS' },
})

const ofDecision = ({ entity_id }: FeedEvent) =>
  ({
    kind: 'DISPATCH',
    cause: entity_id,
    severity: 'INFO',
    subject_type: 'DISPATCH_DECISION',
    subject_id: entity_id,
  }) as const

/** The item of the technician whom a decision chose. */
const chosen =
  (words: string, more: (event: FeedEvent) => Partial<Outline>): Rule =>
  (event) => {
    const { technician_id } = event.data
    if (typeof technician_id !== 'number') return null
    const ticket = textOf(event.data.ticket_number)
    return {
      ...ofDecision(event),
      title: `${ticket === null ? 'A ticket' : `Ticket ${ticket}`} ${words}`,
      audience: { to: 'TECHNICIANS', technician_ids: [technician_id] },
      ...more(event),
    }
  }

// A given ticket has a cause of its own, since the same event settles the suggestion.
const given = chosen('is yours', ({ entity_id }) => ({ cause: `${entity_id}/given` }))

// Contract silent: a person who disconnects an integration knows of it, so that no item tells of it.
/** The item of each type of event; null: this event makes none. */
const RULES: Readonly<Record<string, Rule>> = {
  'til_request.created': requested(1),
  'til_request.reassigned': requested(0),
  'execution.failed': (event, facts) => {
    const { entity_id, agent_id, data } = event
    if (agent_id === null) return null
    const code = textOf(data.error_code) ?? 'unknown'
    return {
      kind: 'EXECUTION_FAILED',
      cause: `${agent_id}/${code}`,
      severity: 'CRITICAL',
      title: `${agentOf(event, facts)}: executions fail (${code})`,
      subject_type: 'EXECUTION',
      subject_id: entity_id,
      audience: { to: 'EDITORS', agent_id },
      waits_on: waitsOn(code, entity_id, facts),
    }
  },
  'escalation.notified': (event, { told, headlines }) => {
    const technician_ids = told.get(stepOf(event.entity_id, event.data.current_step)) ?? []
    if (technician_ids.length === 0) return null
    return {
      kind: 'ESCALATION',
      cause: event.entity_id,
      severity: 'CRITICAL',
      title: `${headlines[String(event.data.trigger)] ?? 'Work is handed over'}${ofTicket(event)}`,
      subject_type: 'ESCALATION',
      subject_id: event.entity_id,
      action_required: true,
      audience: { to: 'TECHNICIANS', technician_ids },
    }
  },
  'dispatch.suggested': chosen('is suggested for you', () => ({ action_required: true })),
  'dispatch.applied': given,
  'dispatch.overridden': given,
  'dispatch.closed': (event) =>
    event.data.status === 'FAILED'
      ? {
          ...ofDecision(event),
          cause: `${event.entity_id}/failed`,
          severity: 'WARNING',
          title: `A ticket could not be given to its technician${ofTicket(event)}`,
          audience: { to: 'ADMINS' },
        }
      : null,
  // Contract silent: after a day nobody is asked any more for somebody who takes the ticket.
  'dispatch.none_fits': (event) => ({
    ...ofDecision(event),
    severity: 'WARNING',
    title: `No technician fits a ticket${ofTicket(event)}`,
    action_required: true,
    audience: { to: 'ADMINS' },
    over_at: new Date(event.at.getTime() + DAY_MS),
  }),
  'integration.disconnected': ({ data: { name, reason } }, facts) =>
    reason === 'CREDENTIALS_REFUSED'
      ? integrationFails(String(name), `${labelOf(facts, name)}: the system refuses the credentials`, null)
      : null,
  'integration.sync_finished': ({ data: { name, status, error } }, facts) =>
    status === 'FAILED'
      ? integrationFails(String(name), `${labelOf(facts, name)}: a sync failed`, textOf(error))
      : null,
  'company_link.needs_review': ({ entity_id, data }, facts) => ({
    kind: 'COMPANY_LINK_REVIEW',
    cause: String(data.system),
    severity: 'WARNING',
    title: `${labelOf(facts, data.system)}: company links need a check`,
    body: `${textOf(data.external_name) ?? data.external_id} seems to be ${textOf(data.psa_company_name) ?? data.psa_company_id}.`,
    subject_type: 'COMPANY_LINK',
    subject_id: entity_id,
    action_required: true,
    audience: { to: 'ADMINS' },
  }),
  'billing.threshold_reached': ({ data }) => ({
    kind: 'CREDIT_THRESHOLD',
    cause: String(data.period_start),
    severity: Number(data.threshold_pct) >= 100 ? 'CRITICAL' : 'WARNING',
    title: `${data.threshold_pct} % of the credits of the billing period are used`,
    body: `${data.credits_used} of ${data.credits_included} credits.`,
    subject_type: 'SUBSCRIPTION',
    audience: { to: 'ADMINS' },
    over_at: timeOf(data.period_end),
  }),
  'api_key.expiring': ({ entity_id, data }) => ({
    kind: 'API_KEY_EXPIRING',
    cause: entity_id,
    severity: 'WARNING',
    title: `The API key ${data.name} expires soon`,
    body: `It expires at ${data.expires_at}. Rotate it before.`,
    subject_type: 'API_KEY',
    subject_id: entity_id,
    action_required: true,
    audience: { to: 'ADMINS' },
    over_at: timeOf(data.expires_at),
  }),
  'feedback.submitted': (event, facts) => {
    const { entity_id, agent_id, data } = event
    if (data.rating !== BAD_RATING) return null
    return {
      kind: 'FEEDBACK',
      cause: entity_id,
      severity: 'WARNING',
      title: `${agent_id === null ? 'An' : `${agentOf(event, facts)}: an`} end user gave a bad rating${ofTicket(event)}`,
      subject_type: 'FEEDBACK',
      subject_id: entity_id,
      audience: agent_id === null ? { to: 'ADMINS' } : { to: 'EDITORS', agent_id },
    }
  },
  'webhook_endpoint.disabled': ({ entity_id, data }) => ({
    kind: 'WEBHOOK_DISABLED',
    cause: entity_id,
    severity: 'CRITICAL',
    title: 'The service turned a webhook endpoint off',
    body: `Reason: ${data.disabled_reason}.`,
    subject_type: 'WEBHOOK_ENDPOINT',
    subject_id: entity_id,
    action_required: true,
    audience: { to: 'ADMINS' },
  }),
}

/** The types of events that make items. */
export const OPENING: readonly string[] = Object.keys(RULES)

/** The occurrence that the event tells of; null: it makes no item. */
export function occurrenceOf(event: FeedEvent, facts: Facts): Occurrence | null {
  const outline = RULES[event.type]?.(event, facts)
  if (!outline) return null
  const number = numberOf(event)
  return {
    body: null,
    subject_id: null,
    action_required: false,
    count: 1,
    waits_on: null,
    over_at: null,
    ...outline,
    title: oneLine(outline.title),
    first_at: event.at,
    last_at: event.at,
    agent_ids: event.agent_id === null ? [] : [event.agent_id],
    entity_numbers: number === null ? [] : [number],
  }
}
