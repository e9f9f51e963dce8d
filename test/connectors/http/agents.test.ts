import { expect, it } from 'vitest'
import { judgedConnector } from '../../../src/connectors/http/addresses.ts'
import { createAgents } from '../../../src/connectors/http/agents.ts'

const connect = judgedConnector({ allow_private: true, connect_ms: 1000 })

it('a thousand owners have sockets, and a new one replaces the oldest', async () => {
  const agents = createAgents({ connect, connections: 1 })
  const [first, second] = [agents.of('1'), agents.of('2')]
  for (let owner = 3; owner <= 1001; owner++) agents.of(String(owner))
  expect(agents.of('2')).toBe(second)
  expect([first.closed, second.closed]).toEqual([true, false])
  await agents.close()
})

it('all agents are closed at the end, with those that are asked for later', async () => {
  const agents = createAgents({ connect, connections: 1 })
  const agent = agents.of('1')
  await agents.close()
  await agents.close()
  for (const closed of [agent, agents.of('1'), agents.of('2')]) expect(closed.closed).toBe(true)
})
