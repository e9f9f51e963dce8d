/** An item of an inbox, as it is stored and as its user sees it. */
import { etagOf } from '../../gateway/entity-tags.ts'
import { builder, enumFrom } from '../../schema/builder.ts'
import type { Row } from '../../schema/models.ts'
import { madeOf, rowType } from '../../schema/row-type.ts'
import { MOST_AFFECTED } from './rules/items.ts'

interface AffectedAgent {
  id: number
  name: string
}

export interface InboxItemRow extends Row<'InboxItem'> {
  affected_agents?: AffectedAgent[]
}

export const InboxKind = enumFrom('InboxKind')
export const InboxState = enumFrom('InboxState')
const InboxSubjectType = enumFrom('InboxSubjectType')

interface Subject {
  type: Row<'InboxItem'>['subject_type']
  id: string | null
}

const InboxSubject = builder.objectRef<Subject>('InboxSubject').implement({
  description: 'The thing that an item is about.',
  fields: (t) => ({
    type: t.expose('type', { type: InboxSubjectType, description: 'The kind of thing.' }),
    id: t.exposeID('id', {
      nullable: true,
      description:
        'The thing, as it was the last time: an integration by its name, a company link by its system and external id ' +
        'with a slash between them, others by their ids. null: SUBSCRIPTION and NONE have no id.',
    }),
  }),
})

const InboxAgent = builder.objectRef<AffectedAgent>('InboxAgent').implement({
  description: 'An agent that an item is about.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'The `id` of the agent.' }),
    name: t.exposeString('name', { description: 'The name of the agent.' }),
  }),
})

/** The columns that the entity tag is made of beside the revision: the service changes them. */
export const TAGGED = [
  'state',
  'resolved',
  'occurrence_count',
  'last_mailed_at',
  'updated_at',
  'affected_agents',
] as const

export const inboxItemEtag = ({
  revision,
  state,
  resolved,
  occurrence_count,
  ...item
}: InboxItemRow): string =>
  etagOf(revision, [
    state,
    resolved,
    occurrence_count,
    item.last_mailed_at?.toISOString() ?? null,
    item.updated_at.toISOString(),
    (item.affected_agents ?? []).map(({ id, name }) => [id, name]),
  ])

const from = madeOf<InboxItemRow>()

export const InboxItem = rowType('InboxItem', {
  fields: (t) => ({
    ...t.columns('id', 'kind', 'severity', 'title', 'body', 'state'),
    subject: t.field({
      type: InboxSubject,
      description: 'The thing that it is about.',
      ...from(['subject_type', 'subject_id'], ({ subject_type: type, subject_id: id }) => ({ type, id })),
    }),
    ...t.columns('action_required', 'resolved', 'occurrence_count', 'first_at', 'last_at'),
    affected_agents: t.field({
      type: [InboxAgent],
      max_items: MOST_AFFECTED,
      description: `The first ${MOST_AFFECTED} agents that it is about, in the order in which they came to it.`,
      ...from(['affected_agents'], ({ affected_agents }) => affected_agents ?? []),
    }),
    affected_entity_numbers: t.stringList({
      max_items: MOST_AFFECTED,
      description: `The numbers of the first ${MOST_AFFECTED} tickets and time entries that it is about.`,
      ...from('affected_entity_numbers'),
    }),
    ...t.columns('last_mailed_at', 'read_at', 'revision', 'updated_at'),
  }),
})
