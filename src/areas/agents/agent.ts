/** The type of agents, its row and its entity tag. */
import { etagOf } from '../../gateway/entity-tags.ts'
import { enumFrom } from '../../schema/builder.ts'
import type { Row } from '../../schema/models.ts'
import { madeOf, rowType } from '../../schema/row-type.ts'
import { CONFIG_NAMES } from './configuration/rules/config-objects.ts'

export const AutonomyType = enumFrom('AutonomyType')
export type AutonomyType = (typeof AutonomyType)['$inferType']
export const TriggerType = enumFrom('TriggerType')
export const EntityType = enumFrom('EntityType')

/** The row of an agent, with the columns that are computed for the caller. */
export interface AgentRow extends Row<'Agent'> {
  shared_with_me?: boolean
  last_run_at?: Date | null
}

// Contract silent: edits are merged into agent_settings; what was merged last can be read back as it was sent.
/** REST answers a change of an agent with its id, name, state and timestamps. */
export const LEAN_ANSWER = {
  omit: [
    ...CONFIG_NAMES,
    'description',
    'autonomy_type',
    'trigger_type',
    'entity_type',
    'supervised',
    'supervisor_technician_ids',
    'created_by_user_id',
    'created_by_name',
    'shared_with_me',
    'revision',
    'last_run_at',
  ] satisfies (keyof AgentRow)[],
  omitted_name: 'ChangedAgent',
} as const

export const agentId = {
  type: 'Int',
  required: true,
  unknown: 'agent_not_found',
  description: 'The `id` of the agent.',
} as const

/** Runs and shares change the representation of an agent without a new revision. */
export const agentEtag = ({ revision, shared_with_me = false, last_run_at = null }: AgentRow): string =>
  etagOf(revision, [shared_with_me, last_run_at])

const from = madeOf<AgentRow>()

export const Agent = rowType('Agent', {
  read_apart: true,
  fields: (t) => ({
    ...t.columns('id', 'name', 'description', 'state', 'autonomy_type', 'trigger_type', 'entity_type'),
    ...t.columns('agent_settings', 'agent_settings_edits', 'toolbox', 'integrations', 'schedule'),
    ...t.columns('callback_settings', 'actions', 'ticket_conditions', 'time_entry_conditions'),
    ...t.columns('supervised', 'supervisor_technician_ids', 'created_by_user_id', 'created_by_name'),
    shared_with_me: t.boolean({
      description:
        'True if somebody else shared it with the user, or with the key’s acting user. Always false for an ' +
        'API key with no acting user.',
      ...from('shared_with_me'),
    }),
    ...t.columns('revision'),
    last_run_at: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        'When its latest execution was created; of a CONVERSATIONAL agent, when it last consumed credits. ' +
        'null: it has not run.',
      ...from('last_run_at'),
    }),
    ...t.columns('created_at', 'updated_at'),
  }),
})
