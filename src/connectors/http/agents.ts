/** Sockets to other systems, apart for each owner: a site that is slow for one owner keeps no socket from another. */
import { Agent, type buildConnector } from 'undici'

interface AgentOptions {
  connect: buildConnector.connector
  /** The most sockets of an owner at each site. */
  connections: number
}

/** The owners whose sockets are kept open: a new one replaces the oldest. */
const MAX_OWNERS = 1000
/** An idle socket is kept at most so long, even if its site offers longer. */
const MAX_IDLE_MS = 60_000

export interface Agents {
  of(owner: string): Agent
  /** Resolves once requests under way have ended. Later ones are rejected. */
  close(): Promise<void>
}

export function createAgents({ connect, connections }: AgentOptions): Agents {
  const agents = new Map<string, Agent>()
  let is_closed = false
  return {
    of(owner) {
      const known = agents.get(owner)
      if (known) return known
      const [[oldest, replaced] = []] = agents
      if (oldest !== undefined && agents.size === MAX_OWNERS) {
        agents.delete(oldest)
        void replaced?.close()
      }
      const agent = new Agent({ connect, connections, keepAliveMaxTimeout: MAX_IDLE_MS })
      if (is_closed) void agent.close()
      else agents.set(owner, agent)
      return agent
    },
    async close() {
      is_closed = true
      const closing = [...agents.values()].map((agent) => agent.close())
      agents.clear()
      await Promise.all(closing)
    },
  }
}
