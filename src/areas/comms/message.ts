/** A message as it is stored and as callers see it. */
import { scope } from '../../access/policies/policies.ts'
import { etagOf } from '../../gateway/entity-tags.ts'
import { enumFrom } from '../../schema/builder.ts'
import type { Row } from '../../schema/models.ts'
import { loadedBy } from '../../schema/relations.ts'
import { madeOf, rowType } from '../../schema/row-type.ts'
import { wantedFields } from '../../schema/selection.ts'
import { agentIfSeen } from '../agents/index.ts'
import { Execution, executionIfSeen } from '../executions/index.ts'

export type MessageRow = Row<'CommsMessage'>

/** The columns that the entity tag is made of beside the revision: the service changes them. */
export const TAGGED = ['status', 'til_request_id', 'error', 'sent_at', 'body'] as const

export const messageEtag = ({ revision, status, til_request_id, error, sent_at, body }: MessageRow): string =>
  etagOf(revision, [status, til_request_id, error, sent_at?.toISOString() ?? null, body.length])

export const CommsMedium = enumFrom('CommsMedium')
export const CommsRecipientType = enumFrom('CommsRecipientType')

const from = madeOf<MessageRow>()

export const CommsMessage = rowType('CommsMessage', {
  read_apart: true,
  fields: (t) => ({
    ...t.columns('id', 'direction', 'medium', 'status', 'recipient_type', 'recipient_id', 'recipient_name'),
    ...t.columns('subject', 'body', 'ticket_id', 'channel_id', 'conversation_id', 'execution_id', 'agent_id'),
    ...t.columns('til_request_id', 'error', 'sent_at', 'created_at', 'updated_at', 'revision'),
    execution: t.field({
      type: Execution,
      nullable: true,
      graph_only: true,
      access: scope('executions:read'),
      description: 'The execution. null: none sends it, or the caller does not see its agent.',
      ...from(['execution_id'], ({ execution_id: id }, _args, ctx, info) =>
        id === null ? null : executionIfSeen(ctx, { id, fields: wantedFields(info) }),
      ),
    }),
    agent: t.relation('agent', {
      nullable: true,
      graph_only: true,
      access: scope('agents:read'),
      description: 'The agent. null: none, or the caller does not see it.',
      ...loadedBy<MessageRow>()(['agent_id'], ({ agent_id: id }, ctx, info) =>
        id === null ? null : agentIfSeen(ctx, { id, fields: wantedFields(info) }),
      ),
    }),
  }),
})
