/** `callback_change_options`: the changes that TRIGGERED agents choose from. */
import { anyCaller } from '../../access/policies/policies.ts'
import { builder, described } from '../../schema/builder.ts'
import { type ChangeOption, ChangeType, changeOptions } from '../change-types/index.ts'
import { readPsaType } from '../tenant/index.ts'
import { area } from './area.ts'

const ChangeEntityType = builder.enumType('ChangeEntityType', {
  description: 'The kind of entity that a change is made to.',
  values: described({ TICKET: 'A ticket.', TIME_ENTRY: 'A time entry.' }),
})

const ChangeGroup = builder.enumType('ChangeGroup', {
  description: 'The group under which a change is shown.',
  values: described({
    LIFECYCLE: 'The entity came into being, ended, or became another one.',
    FIELDS: 'A field of the entity was changed.',
    CONVERSATION: 'Somebody wrote or attached something.',
  }),
})

const CallbackChangeOption = builder.objectRef<ChangeOption>('CallbackChangeOption').implement({
  description: 'A change in the PSA that an agent’s `callback_settings.change_types` can name.',
  fields: (t) => ({
    code: t.expose('code', { type: ChangeType, description: 'Stable: store it.' }),
    label: t.exposeString('label', { description: 'The change in a few words.' }),
    description: t.exposeString('description', { description: 'The change in a sentence.' }),
    entity_type: t.expose('entity_type', {
      type: ChangeEntityType,
      description: 'The kind of entity that it is made to.',
    }),
    supported: t.exposeBoolean('supported', {
      description:
        'True if this change is told apart in the tenant’s PSA. Otherwise it is TICKET_OTHER_CHANGED there.',
    }),
    group: t.expose('group', { type: ChangeGroup, description: 'The group under which it is shown.' }),
  }),
})

interface ChangeOptions {
  psa_type: string | null
  options: ChangeOption[]
}

const CallbackChangeOptions = builder.objectRef<ChangeOptions>('CallbackChangeOptions').implement({
  description: 'The changes that callbacks of the PSA can report.',
  fields: (t) => ({
    psa_type: t.exposeString('psa_type', {
      nullable: true,
      description: 'The kind of PSA system the tenant works in. null: none was chosen yet.',
    }),
    options: t.expose('options', {
      type: [CallbackChangeOption],
      max_items: 100,
      description: 'Every change, supported or not.',
    }),
  }),
})

area.query('callback_change_options', (t) =>
  t.field({
    type: CallbackChangeOptions,
    description: 'Lists the changes in the PSA that a TRIGGERED agent can be started by.',
    rest: { method: 'GET', path: '/schemas/callback-change-options' },
    access: anyCaller,
    cacheable: true,
    resolve: async (_root, _args, ctx) => {
      const psa_type = await readPsaType(ctx)
      return { psa_type, options: changeOptions(psa_type) }
    },
  }),
)
