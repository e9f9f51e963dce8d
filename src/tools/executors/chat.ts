/** The team chat. */

import { requireFound } from '../failure.ts'
import { inChat } from '../tool-context.ts'

export const CHAT_EXECUTORS = {
  'chat.send': inChat(
    async (chat, args: { technician_id: number; text: string }, { run, key }, { technicians }) => {
      const { psa_id } = requireFound(
        await technicians.technician(args.technician_id),
        'technician_not_found',
      )
      const message = { technician_psa_id: psa_id, author_name: run.agent_name, text: args.text }
      return { message_id: (await chat.send(message, key)).message_id }
    },
  ),
}
