/** The type of agents. */
import { builder, enumFrom } from '../../schema/builder.ts'
import type { Row } from '../../schema/models.ts'

export const AgentState = enumFrom('AgentState')
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
/** Fields that REST’s list leaves out. */
export const CONFIG_OBJECTS = [
  'agent_settings',
  'agent_settings_edits',
  'toolbox',
  'integrations',
  'schedule',
  'callback_settings',
  'actions',
  'ticket_conditions',
  'time_entry_conditions',
] as const satisfies (keyof AgentRow)[]

export const Agent = builder.prismaObject('Agent', {
  fields: (t) => {
    const config = (name: (typeof CONFIG_OBJECTS)[number]) => t.expose(name, { type: 'JSON', nullable: true })
    return {
      id: t.exposeInt('id'),
      name: t.exposeString('name'),
      description: t.exposeString('description', { nullable: true }),
      state: t.expose('state', { type: AgentState }),
      autonomy_type: t.expose('autonomy_type', { type: AutonomyType }),
      trigger_type: t.expose('trigger_type', { type: TriggerType }),
      entity_type: t.expose('entity_type', { type: EntityType }),
      agent_settings: config('agent_settings'),
      agent_settings_edits: config('agent_settings_edits'),
      toolbox: config('toolbox'),
      integrations: config('integrations'),
      schedule: config('schedule'),
      callback_settings: config('callback_settings'),
      actions: config('actions'),
      ticket_conditions: config('ticket_conditions'),
      time_entry_conditions: config('time_entry_conditions'),
      supervised: t.exposeBoolean('supervised'),
      supervisor_technician_ids: t.exposeIntList('supervisor_technician_ids'),
      created_by_user_id: t.exposeString('created_by_user_id', { nullable: true }),
      created_by_name: t.exposeString('created_by_name'),
      shared_with_me: t.boolean({
        description:
          'Whether somebody else shared it with the user, or with the key’s acting user. Always false for an ' +
          'API key with no acting user.',
        resolve: ({ shared_with_me }: AgentRow) => shared_with_me as boolean,
      }),
      revision: t.exposeInt('revision'),
      last_run_at: t.field({
        type: 'DateTime',
        nullable: true,
        description:
          'When its latest execution was created; of a CONVERSATIONAL agent, when it last consumed credits. ' +
          'null: it has not run.',
        resolve: ({ last_run_at = null }: AgentRow) => last_run_at,
      }),
      created_at: t.expose('created_at', { type: 'DateTime' }),
      updated_at: t.expose('updated_at', { type: 'DateTime' }),
    }
  },
})
