/** Channels in the statements of other areas. */

/** When the chat took the message that the row names by `message_id`; null: it has not. */
export const sentAt = (row: string): string => `(select m.updated_at from channel_message m
  where m.tenant_id = ${row}.tenant_id and m.environment = ${row}.environment and m.id = ${row}.message_id
    and m.status = 'SENT')`
