import { etagOf } from '../../gateway/entity-tags.ts'
import { builder, enumFrom } from '../../schema/builder.ts'
import type { Row } from '../../schema/models.ts'
import { madeOf, rowType } from '../../schema/row-type.ts'
import { AGENT_IF_SEEN } from '../agents/index.ts'
import { EXECUTION_IF_SEEN } from '../executions/index.ts'
import { EscalationTargetType, MOST_STEPS } from './policies/policy.ts'
import { MOST_TOLD, type Step } from './rules.ts'

type Notification = Row<'EscalationNotification'>

/** A target that was told, as SQL makes it. */
interface Notified extends Pick<Notification, 'step' | 'target_type' | 'target_id' | 'name' | 'via'> {
  at: string
}

/** An escalation with those who were told of it. */
export interface EscalationRow extends Omit<Row<'EscalationEvent'>, 'steps'> {
  steps: Step[]
  notified?: Notified[]
}

const EscalationVia = enumFrom('EscalationVia')

const EscalationNotified = builder.objectRef<Notified>('EscalationNotified').implement({
  description: 'A target that was told of an escalation.',
  fields: (t) => ({
    step: t.exposeInt('step', { description: 'The step that told it, counted from 1.' }),
    target_type: t.expose('target_type', {
      type: EscalationTargetType,
      description: 'The kind of target. Each technician on a schedule is one of TECHNICIANS.',
    }),
    target_id: t.exposeID('target_id', {
      description: 'The technician, by the `id` in decimal, the channel or the webhook endpoint.',
    }),
    name: t.exposeString('name', { description: 'The name that the target had then.' }),
    via: t.expose('via', { type: EscalationVia, description: 'The way in which it was told.' }),
    at: t.field({
      type: 'DateTime',
      description: 'When it was told.',
      resolve: ({ at }) => new Date(at),
    }),
  }),
})

/** The columns that the entity tag is made of beside the revision: the service changes them. */
export const TAGGED = ['status', 'current_step', 'next_step_at', 'ticket_changed', 'notified'] as const

export const escalationEtag = ({ revision, status, current_step, ...escalation }: EscalationRow): string =>
  etagOf(revision, [
    status,
    current_step,
    escalation.next_step_at?.toISOString() ?? null,
    escalation.ticket_changed,
    escalation.notified?.length ?? 0,
  ])

const from = madeOf<EscalationRow>()

export const EscalationEvent = rowType('EscalationEvent', {
  read_apart: true,
  fields: (t) => ({
    ...t.columns('id', 'policy_id', 'policy_name', 'trigger', 'status', 'reason'),
    unanswered: t.boolean({
      description: 'True if the last step was taken and nobody has taken the escalation over.',
      // Contract silent: the last step is over once it was taken.
      ...from(
        ['status', 'current_step', 'steps'],
        ({ status, current_step, steps }) => status === 'OPEN' && current_step >= steps.length,
      ),
    }),
    ...t.columns('current_step', 'next_step_at', 'agent_id', 'execution_id', 'entity_id', 'entity_number'),
    notified: t.field({
      type: [EscalationNotified],
      max_items: 2 * MOST_STEPS * MOST_TOLD,
      description: 'The targets that were told, in the order of the steps.',
      ...from(['notified'], ({ notified }) => notified ?? []),
    }),
    ...t.columns('ticket_changed', 'acknowledged_by_name', 'acknowledged_at'),
    ...t.columns('resolved_by_name', 'resolved_at', 'comment', 'created_at', 'updated_at', 'revision'),
    execution: t.field({
      ...EXECUTION_IF_SEEN,
      description: 'The execution. null: it is about none, or the caller does not see its agent.',
    }),
    agent: t.relation('agent', {
      ...AGENT_IF_SEEN,
      description: 'The agent. null: it is about none, or the caller does not see it.',
    }),
  }),
})
