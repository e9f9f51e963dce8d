/** A message of a chat as it is read and answered. */
import { builder } from '../../../schema/builder.ts'
import type { Row } from '../../../schema/models.ts'
import { madeOf, rowType } from '../../../schema/row-type.ts'

export type MessageRow = Row<'ChannelMessage'>

type Sender = Pick<MessageRow, 'workplace_user_id' | 'end_user_id'>

const MessageSender = builder.objectRef<Sender>('MessageSender').implement({
  description: 'The person who wrote a message.',
  fields: (t) => ({
    workplace_user_id: t.exposeID('workplace_user_id', {
      nullable: true,
      description: 'Their id in the workplace suite. null: it is not known.',
    }),
    end_user_id: t.exposeID('end_user_id', {
      nullable: true,
      description: 'Their id as an end user. null: they are a technician.',
    }),
  }),
})

const from = madeOf<MessageRow>()

export const ChannelMessage = rowType('ChannelMessage', {
  fields: (t) => ({
    ...t.columns('id', 'channel_id', 'conversation_id', 'author'),
    sender: t.field({
      type: MessageSender,
      nullable: true,
      description: 'The person who wrote it. null: the agent did.',
      ...from(['author', 'workplace_user_id', 'end_user_id'], ({ author, ...sender }) =>
        author === 'PERSON' ? sender : null,
      ),
    }),
    ...t.columns('text', 'status', 'error_code', 'reply_to_message_id', 'created_at', 'updated_at'),
  }),
})
