/** The port to a team chat. What holds of every port is in `port.ts`. */
import type { Connector, Outcomes, PortContext, PortDescription } from './port.ts'

interface ChatDraft {
  /** The technician who gets it, by their id in the PSA. */
  technician_psa_id: number
  author_name: string
  text: string
}

/** A channel, as its chat knows it. */
export interface ChatChannel {
  channel_id: string
  transport: string
  /** null: a white-label app, which many workspaces install. */
  workspace_id: string | null
}

interface ChatAnswer {
  channel: ChatChannel
  conversation_id: string
  author_name: string
  text: string
}

/** The team chat of one tenant. */
export interface Chat extends Outcomes {
  send(message: ChatDraft, idempotency_key: string): Promise<{ message_id: string }>
  /** Sends an answer into a conversation of a channel. */
  post(answer: ChatAnswer, idempotency_key: string): Promise<{ message_id: string }>
  /** True if the chat takes messages of the channel. */
  isOpen(channel: ChatChannel): Promise<boolean>
}

export const CHAT: PortDescription<Chat> = {
  upstream: 'TEAM_CHAT',
  calls: { send: 'WRITE', post: 'WRITE', isOpen: 'READ', outcomeOf: 'OUTCOME' },
}

export type ChatConnector = Connector<Chat>

/** The team chat of the caller's tenant, through the budgeted client. */
export const chatOf = (ctx: PortContext & { services: { connectors: { chat: ChatConnector } } }): Chat =>
  ctx.services.connectors.chat(ctx)
