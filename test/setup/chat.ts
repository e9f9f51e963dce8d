/** The team chat of the worker's service, as a test wants it. */
import { onTestFinished } from 'vitest'
import { always, budgeted } from '../../src/connectors/budgeted-port.ts'
import { CHAT, type Chat } from '../../src/connectors/chat.ts'
import { PortRefusal, PortUnavailable } from '../../src/connectors/port.ts'
import { testApp } from './app.ts'

/** OPEN: it takes what is sent. CLOSED: it refuses. DOWN: it cannot be reached. BROKEN: the adapter fails. */
type State = 'OPEN' | 'CLOSED' | 'DOWN' | 'BROKEN'

interface PlayedChat {
  state: State
  /** The answers that it took, by their idempotency keys. */
  posted: Map<string, Parameters<Chat['post']>[0]>
}

/** The service sends to a chat of another system, in this state, until the test ends. */
export async function playChat(state: State): Promise<PlayedChat> {
  const { services } = (await testApp()).app
  const played: PlayedChat = { state, posted: new Map() }
  const reached = (): void => {
    if (played.state === 'DOWN') throw new PortUnavailable('The chat is down')
    if (played.state === 'BROKEN') throw new Error('The adapter is broken')
  }
  const chat: Chat = {
    send: () => Promise.reject(new Error('Nothing is sent to technicians')),
    async post(answer, key) {
      reached()
      if (played.state === 'CLOSED') throw new PortRefusal('CHANNEL_CLOSED')
      played.posted.set(key, answer)
      return { message_id: `theirs_${key}` }
    },
    async isOpen() {
      reached()
      return played.state === 'OPEN'
    },
    outcomeOf: async (key) => (played.posted.has(key) ? 'MADE' : 'NOT_MADE'),
  }
  const before = services.connectors
  services.connectors = {
    ...before,
    chat: budgeted(
      CHAT,
      always(() => chat),
      { share_ms: 0 },
    ),
  }
  onTestFinished(() => {
    services.connectors = before
  })
  return played
}
