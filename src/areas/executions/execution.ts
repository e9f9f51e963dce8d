/** An execution as it is read and answered. */
import { scope } from '../../access/policies.ts'
import { builder, described } from '../../schema/builder.ts'
import { pageType } from '../../schema/page.ts'
import { wantedFields } from '../../schema/selection.ts'
import { AgentSummary, agentOf } from '../agents/index.ts'
import {
  EXECUTION_STATUSES,
  FAILURE_KINDS,
  type FailureKind as Kind,
  RESOLUTIONS,
  type Resolution,
  type ExecutionStatus as Status,
  TRIGGERS,
  type Trigger,
} from './rules.ts'

export interface ExecutionRow {
  execution_id: string
  agent_id: number
  agent_name: string
  status: Status
  supervised: boolean
  entity_id: string | null
  entity_number: string | null
  processed_sub_entity_ids: string[]
  seconds_spent: number
  error: string | null
  message_for_dashboard: string | null
  additional_custom_instructions: string | null
  created_at: Date
  updated_at: Date
  resolution: Resolution
  trigger: Trigger
  retry_of_execution_id: string | null
  run_count: number
  credits_consumed: number
  hours_saved: number
  callback_id: string | null
  started_at: Date | null
  finished_at: Date | null
  failure_kind: Kind | null
}

export const ExecutionStatus = builder.enumType('ExecutionStatus', {
  description: 'Where an execution stands.',
  values: described(EXECUTION_STATUSES),
})

export const ExecutionResolution = builder.enumType('ExecutionResolution', {
  description: 'How far the work came.',
  values: described(RESOLUTIONS),
})

export const ExecutionTrigger = builder.enumType('ExecutionTrigger', {
  description: 'What started an execution.',
  values: described(TRIGGERS),
})

const FailureKind = builder.enumType('FailureKind', {
  description: 'What made an execution fail.',
  values: described(FAILURE_KINDS),
})

export const Execution = builder.objectRef<ExecutionRow>('Execution').implement({
  description: 'One execution of an agent. Each approval resumes it as a new run.',
  fields: (t) => ({
    execution_id: t.exposeString('execution_id', { description: 'The id of the execution.' }),
    agent_id: t.exposeInt('agent_id', { description: 'The agent.' }),
    agent_name: t.exposeString('agent_name', { description: 'The name that the agent has now.' }),
    status: t.expose('status', { type: ExecutionStatus, description: 'Where it stands.' }),
    supervised: t.exposeBoolean('supervised', {
      description:
        'Whether every write waits for approval: asked for at the start, or by the agent’s setting.',
    }),
    entity_id: t.exposeString('entity_id', {
      nullable: true,
      description: 'The ticket’s or time entry’s id in the PSA. null: it works on none.',
    }),
    entity_number: t.exposeString('entity_number', {
      nullable: true,
      description: 'The number that people know the ticket by.',
    }),
    processed_sub_entity_ids: t.exposeStringList('processed_sub_entity_ids', {
      description: 'What it worked on within that, such as the notes of a ticket.',
    }),
    seconds_spent: t.exposeFloat('seconds_spent', {
      description: 'Seconds of work, without the time it waited.',
    }),
    error: t.exposeString('error', { nullable: true, description: 'Why it did not end well.' }),
    message_for_dashboard: t.exposeString('message_for_dashboard', {
      nullable: true,
      description: 'What it tells the technicians.',
    }),
    additional_custom_instructions: t.exposeString('additional_custom_instructions', {
      nullable: true,
      description: 'What it was told beyond the agent’s own instructions.',
    }),
    created_at: t.expose('created_at', { type: 'DateTime', description: 'When it was accepted.' }),
    updated_at: t.expose('updated_at', { type: 'DateTime', description: 'When it last changed.' }),
    resolution: t.expose('resolution', { type: ExecutionResolution, description: 'How far the work came.' }),
    trigger: t.expose('trigger', { type: ExecutionTrigger, description: 'What started it.' }),
    retry_of_execution_id: t.exposeString('retry_of_execution_id', {
      nullable: true,
      description: 'The execution that it is another attempt at.',
    }),
    run_count: t.exposeInt('run_count', { description: 'Runs so far: 0 before it is picked up.' }),
    credits_consumed: t.exposeFloat('credits_consumed', { description: 'Credits that it consumed so far.' }),
    hours_saved: t.exposeFloat('hours_saved', { description: 'Hours of technicians’ work that it saved.' }),
    callback_id: t.exposeString('callback_id', {
      nullable: true,
      description: 'The PSA’s webhook event that started it.',
    }),
    started_at: t.expose('started_at', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was picked up. null: it has not been.',
    }),
    finished_at: t.expose('finished_at', {
      type: 'DateTime',
      nullable: true,
      description: 'When it came to its final status. null: it has none yet.',
    }),
    failure_kind: t.expose('failure_kind', {
      type: FailureKind,
      nullable: true,
      description: 'What made it fail.',
    }),
    agent: t.field({
      type: AgentSummary,
      graph_only: true,
      access: scope('agents:read'),
      description: 'The agent.',
      resolve: ({ agent_id }, _args, ctx, info) => agentOf(ctx, { id: agent_id, fields: wantedFields(info) }),
    }),
  }),
})

export const ExecutionPage = pageType<ExecutionRow>('Execution', Execution)
