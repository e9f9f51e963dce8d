/** The port to a team chat. What holds of every port is in `port.ts`. */
import type { Connector, Outcomes, PortContext, PortDescription } from './port.ts'

interface ChatDraft {
  /** The technician who gets it, by their id in the PSA. */
  technician_psa_id: number
  author_name: string
  text: string
}

/** The team chat of one tenant. */
export interface Chat extends Outcomes {
  send(message: ChatDraft, idempotency_key: string): Promise<{ message_id: string }>
}

export const CHAT: PortDescription<Chat> = {
  upstream: 'TEAM_CHAT',
  calls: { send: 'WRITE', outcomeOf: 'OUTCOME' },
}

export type ChatConnector = Connector<Chat>

/** The team chat of the caller's tenant, through the budgeted client. */
export const chatOf = (ctx: PortContext & { services: { connectors: { chat: ChatConnector } } }): Chat =>
  ctx.services.connectors.chat(ctx)
