/** Feedback, and the link by which it is given: one entry. */
import { etagOf } from '../../gateway/entity-tags.ts'
import { enumFrom } from '../../schema/builder.ts'
import type { Row } from '../../schema/models.ts'
import { rowType } from '../../schema/row-type.ts'
import { AGENT_IF_SEEN } from '../agents/index.ts'
import { EXECUTION_IF_SEEN } from '../executions/index.ts'

export type EntryRow = Row<'FeedbackEntry'>

export const FeedbackStatus = enumFrom('FeedbackStatus')
export const FeedbackRating = enumFrom('FeedbackRating')

/** The columns that the entity tag is made of beside the revision: the service changes them. */
export const TAGGED = ['status'] as const

export const entryEtag = ({ revision, status }: EntryRow): string => etagOf(revision, [status])

/** The name by which activities know feedback. */
export const titleOf = ({
  id,
  ticket_number,
  end_user_name,
}: Pick<EntryRow, 'id' | 'ticket_number' | 'end_user_name'>): string => ticket_number ?? end_user_name ?? id

type Fields = Parameters<Parameters<typeof rowType<'FeedbackEntry'>>[1]['fields']>[0]

export const fieldsOf = (t: Fields) => ({
  ...t.columns('id', 'status', 'rating', 'comment', 'execution_id', 'ticket_id', 'ticket_number', 'agent_id'),
  ...t.columns('end_company_id', 'end_user_id', 'end_user_name', 'created_at', 'submitted_at', 'expires_at'),
  ...t.columns('revoked_at', 'updated_at', 'revision'),
  execution: t.field({
    ...EXECUTION_IF_SEEN,
    description: 'The execution. null: it is about none, or the caller does not see its agent.',
  }),
  agent: t.relation('agent', {
    ...AGENT_IF_SEEN,
    description: 'The agent. null: it is about none, or the caller does not see it.',
  }),
})

export const FeedbackEntry = rowType('FeedbackEntry', { read_apart: true, fields: fieldsOf })
