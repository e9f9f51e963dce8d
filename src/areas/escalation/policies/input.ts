/** The fields of a policy that callers give. */
import { builder } from '../../../schema/builder.ts'
import {
  EscalationNotifyVia,
  EscalationTargetType,
  EscalationTrigger,
  MOST_STEPS,
  MOST_TARGETS,
} from './policy.ts'

const EscalationStepInput = builder.inputType('EscalationStepInput', {
  description: 'A step of a policy: whom it tells, and when.',
  fields: (t) => ({
    wait_minutes: t.int({
      min: 0,
      max: 1440,
      defaultValue: 0,
      description: 'The minutes after the step before it; of the first one, after the opening.',
    }),
    target_type: t.field({ type: EscalationTargetType, required: true, description: 'The kind of targets.' }),
    target_ids: t.idList({
      required: true,
      min_items: 1,
      max_items: MOST_TARGETS,
      description:
        'The targets, by their ids: technicians and schedules in decimal, channels for technicians, or webhook endpoints. A schedule ' +
        'tells its technicians who are at work, or all of them if nobody is, and at most 200.',
    }),
    notify_via: t.field({
      type: [EscalationNotifyVia],
      max_items: 2,
      description: 'The ways in which technicians are told: INBOX if it is left out. Not for other targets.',
    }),
  }),
})

/** The name of a status or queue in the PSA. */
const PSA_NAME = { min_length: 1, max_length: 120 } as const

const psaName = (description: string) => ({ ...PSA_NAME, nullable: true, description }) as const

const EscalationTicketChangeInput = builder.inputType('EscalationTicketChangeInput', {
  description: 'A change of the ticket at the opening of an escalation.',
  fields: (t) => ({
    status: t.string(psaName('The status that it gets, by its name in the PSA. null: it keeps its own.')),
    queue: t.string(psaName('The queue that it gets, by its name in the PSA. null: it keeps its own.')),
    remove_assignee: t.boolean({ defaultValue: false, description: 'True to remove its technician.' }),
  }),
})

const POLICY_FIELDS = {
  name: { min_length: 1, max_length: 120, description: 'The name of the policy.' },
  enabled: { description: 'false: it opens no escalations. The default policy stays enabled.' },
  is_default: {
    description:
      'true: the policy is the default, in place of the one that was: on its own triggers it acts where no other one does. The first ' +
      'policy is the default.',
  },
  agent_ids: {
    max_items: 200,
    description: 'The agents whose work it is for. Empty: all. The default policy acts for all others too.',
  },
  triggers: {
    type: [EscalationTrigger] as [typeof EscalationTrigger],
    min_items: 1,
    max_items: 6,
    description: 'The causes that open an escalation.',
  },
  stalled_minutes: {
    min: 15,
    max: 43_200,
    nullable: true,
    description:
      'The minutes after which a ticket that nobody touched is stalled. With TICKET_STALLED, and only with it.',
  },
  stalled_statuses: {
    ...PSA_NAME,
    max_items: 20,
    description:
      'The statuses in which a ticket can stall, by their names in the PSA. With TICKET_STALLED, and only with it.',
  },
  steps: {
    type: [EscalationStepInput] as [typeof EscalationStepInput],
    min_items: 1,
    max_items: MOST_STEPS,
    description: 'The steps, as they are taken one after another.',
  },
  ticket_change: {
    type: EscalationTicketChangeInput,
    nullable: true,
    description: 'The change of the ticket at the opening. null: it stays as it is.',
  },
  respect_business_hours: { description: 'true: steps wait for the tenant’s business hours.' },
} as const

export const EscalationPolicyDraft = builder.inputType('EscalationPolicyDraft', {
  description: 'The policy to create.',
  fields: (t) => ({
    name: t.string({ ...POLICY_FIELDS.name, required: true }),
    enabled: t.boolean({ ...POLICY_FIELDS.enabled, defaultValue: true }),
    is_default: t.boolean({ ...POLICY_FIELDS.is_default, defaultValue: false }),
    agent_ids: t.intList(POLICY_FIELDS.agent_ids),
    triggers: t.field({ ...POLICY_FIELDS.triggers, required: true }),
    stalled_minutes: t.int(POLICY_FIELDS.stalled_minutes),
    stalled_statuses: t.stringList(POLICY_FIELDS.stalled_statuses),
    steps: t.field({ ...POLICY_FIELDS.steps, required: true }),
    ticket_change: t.field(POLICY_FIELDS.ticket_change),
    respect_business_hours: t.boolean({ ...POLICY_FIELDS.respect_business_hours, defaultValue: false }),
  }),
})

export const EscalationPolicyUpdate = builder.inputType('EscalationPolicyUpdate', {
  description: 'The fields to change. A field that is left out keeps its value; lists are replaced whole.',
  fields: (t) => ({
    name: t.string(POLICY_FIELDS.name),
    enabled: t.boolean(POLICY_FIELDS.enabled),
    is_default: t.boolean(POLICY_FIELDS.is_default),
    agent_ids: t.intList(POLICY_FIELDS.agent_ids),
    triggers: t.field(POLICY_FIELDS.triggers),
    stalled_minutes: t.int(POLICY_FIELDS.stalled_minutes),
    stalled_statuses: t.stringList(POLICY_FIELDS.stalled_statuses),
    steps: t.field(POLICY_FIELDS.steps),
    ticket_change: t.field(POLICY_FIELDS.ticket_change),
    respect_business_hours: t.boolean(POLICY_FIELDS.respect_business_hours),
  }),
})
