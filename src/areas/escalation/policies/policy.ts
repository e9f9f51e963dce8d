/** Escalation policies, as they are stored and as callers see them. */
import { builder, enumFrom } from '../../../schema/builder.ts'
import type { Row } from '../../../schema/models.ts'
import { madeOf, rowType } from '../../../schema/row-type.ts'
import type { Step, TicketChange } from '../rules.ts'

export interface PolicyRow extends Omit<Row<'EscalationPolicy'>, 'steps' | 'ticket_change'> {
  steps: Step[]
  ticket_change: TicketChange | null
}

export const EscalationTrigger = enumFrom('EscalationTrigger')
export const EscalationTargetType = enumFrom('EscalationTargetType')
export const EscalationNotifyVia = enumFrom('EscalationNotifyVia')

/** The most steps of a policy. */
export const MOST_STEPS = 3
/** The most policies of an environment. */
export const MOST_POLICIES = 50
/** The most targets of a step. */
export const MOST_TARGETS = 20

const EscalationStep = builder.objectRef<Step>('EscalationStep').implement({
  description: 'A step of a policy: whom it tells, and when.',
  fields: (t) => ({
    wait_minutes: t.exposeInt('wait_minutes', {
      description: 'The minutes after the step before it; of the first one, after the opening.',
    }),
    target_type: t.expose('target_type', { type: EscalationTargetType, description: 'The kind of targets.' }),
    target_ids: t.idList({
      description: 'The targets, by their ids; those of technicians and schedules in decimal.',
      resolve: ({ target_ids }) => [...target_ids],
    }),
    notify_via: t.field({
      type: [EscalationNotifyVia],
      max_items: 2,
      description: 'The ways in which technicians are told. Empty for channels and webhook endpoints.',
      resolve: ({ notify_via }) => [...notify_via],
    }),
  }),
})

const EscalationTicketChange = builder.objectRef<TicketChange>('EscalationTicketChange').implement({
  description: 'A change of the ticket at the opening of an escalation.',
  fields: (t) => ({
    status: t.exposeString('status', {
      nullable: true,
      description: 'The status that it gets, by its name in the PSA. null: it keeps its own.',
    }),
    queue: t.exposeString('queue', {
      nullable: true,
      description: 'The queue that it gets, by its name in the PSA. null: it keeps its own.',
    }),
    remove_assignee: t.exposeBoolean('remove_assignee', {
      description: 'True if its technician is removed.',
    }),
  }),
})

const from = madeOf<PolicyRow>()

export const EscalationPolicy = rowType('EscalationPolicy', {
  fields: (t) => ({
    ...t.columns('id', 'name', 'enabled', 'is_default', 'agent_ids', 'triggers'),
    ...t.columns('stalled_minutes', 'stalled_statuses'),
    steps: t.field({
      type: [EscalationStep],
      max_items: MOST_STEPS,
      description: 'The steps, as they are taken one after another.',
      ...from(['steps'], ({ steps }) => steps),
    }),
    ticket_change: t.field({
      type: EscalationTicketChange,
      nullable: true,
      description: 'The change of the ticket at the opening. null: it stays as it is.',
      ...from(['ticket_change'], ({ ticket_change }) => ticket_change),
    }),
    ...t.columns('respect_business_hours', 'created_at', 'updated_at', 'revision'),
  }),
})
