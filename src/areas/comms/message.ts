import { etagOf } from '../../gateway/entity-tags.ts'
import { enumFrom } from '../../schema/builder.ts'
import type { Row } from '../../schema/models.ts'
import { rowType } from '../../schema/row-type.ts'
import { AGENT_IF_SEEN } from '../agents/index.ts'
import { EXECUTION_IF_SEEN } from '../executions/index.ts'

export type MessageRow = Row<'CommsMessage'>

/** The columns that the entity tag is made of beside the revision: the service changes them. */
export const TAGGED = ['status', 'til_request_id', 'error', 'sent_at', 'body'] as const

export const messageEtag = ({ revision, status, til_request_id, error, sent_at, body }: MessageRow): string =>
  etagOf(revision, [status, til_request_id, error, sent_at?.toISOString() ?? null, body.length])

export const CommsMedium = enumFrom('CommsMedium')
export const CommsRecipientType = enumFrom('CommsRecipientType')

export const CommsMessage = rowType('CommsMessage', {
  read_apart: true,
  fields: (t) => ({
    ...t.columns('id', 'direction', 'medium', 'status', 'recipient_type', 'recipient_id', 'recipient_name'),
    ...t.columns('subject', 'body', 'ticket_id', 'channel_id', 'conversation_id', 'execution_id', 'agent_id'),
    ...t.columns('til_request_id', 'error', 'sent_at', 'created_at', 'updated_at', 'revision'),
    execution: t.field({
      ...EXECUTION_IF_SEEN,
      description: 'The execution. null: none sends it, or the caller does not see its agent.',
    }),
    agent: t.relation('agent', {
      ...AGENT_IF_SEEN,
      description: 'The agent. null: none, or the caller does not see it.',
    }),
  }),
})
