/** The local team chat: an adapter of the port that keeps everything in the service's own database. */
import { scoped, sql } from '../../db/db.ts'
import { newId } from '../../lib/ids.ts'
import type { Chat, ChatConnector } from '../chat.ts'
import type { PortContext } from '../port.ts'
import { need, once, outcomesOf } from './once.ts'

const SEND = scoped(
  'chat.send',
  `insert into chat_message (tenant_id, environment, message_id, technician_psa_id, author_name, text, sent_at)
   select t.tenant_id, t.environment, $3::text, t.psa_id, $5::text, $6::text, $7::timestamptz from psa_technician t
   where t.tenant_id = $1 and t.environment = $2 and t.psa_id = $4::int
   returning message_id`,
)

const connect = (ctx: PortContext): Chat => ({
  async send({ technician_psa_id, author_name, text }, key) {
    const id = newId('msg')
    const values = [id, technician_psa_id, author_name, text, ctx.now]
    const message_id = await once(ctx, 'TEAM_CHAT', key, id, (own) =>
      need(sql(own, SEND, values), 'TECHNICIAN_NOT_FOUND'),
    )
    return { message_id }
  },
  // The messages of a channel are stored with the channel.
  post: async (_answer, key) => ({
    message_id: await once(ctx, 'TEAM_CHAT', key, newId('msg'), async () => {}),
  }),
  isOpen: async () => true,
  outcomeOf: outcomesOf(ctx, 'TEAM_CHAT'),
})

export const localChat: ChatConnector = Object.assign(connect, { joins_transactions: true as const })
