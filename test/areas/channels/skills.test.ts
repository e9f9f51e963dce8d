/** The skills of agents that answer in chats. */
import { beforeAll, expect, it } from 'vitest'
import { describeApi } from '../../setup/api.ts'
import { playModel } from '../../setup/model.ts'
import type { Asked } from '../../setup/model-server.ts'
import { addSkills } from '../../setup/run-skills.ts'
import { installQueues } from '../agents/runnable.ts'
import { answersIn } from '../executions/run/agentic.ts'
import { answered, chatMsp, post, SITE } from './chats.ts'

beforeAll(installQueues)

const READ = { tool: 'ticket.read', args: { ticket_id: '4711' } }
const CONTACTS = { tool: 'contact.search', args: { query: 'ada' } }
const reading = (slug: string) => ({ tool: 'skill.read', args: { slug } })

const offered = (asked: Asked | undefined): string[] =>
  asked?.tools.map((tool) => tool.function.name.replaceAll('__', '.')) ?? []

const LONG = 'Be kind. '.repeat(2000)

describeApi('the answer of an agent with skills', (api) => {
  it('is made with what they say, and the tools that they leave', async () => {
    const msp = await chatMsp()
    const files = { 'SKILL.md': LONG }
    await addSkills(
      msp,
      { slug: 'answer', allowed_tools: ['contact.search', 'ticket.add_note'], files },
      { slug: 'free' },
      { slug: 'gone', status: 'DISABLED' },
    )
    const model = await playModel([
      { calls: [READ, reading('answer'), READ, reading('gone')] },
      { calls: [reading('free'), READ] },
      { text: 'I looked.' },
    ])
    const { id } = (await post(api, msp.key)).data
    const [, answer] = await answered(api, msp)
    expect(answer.text).toBe('I looked.')
    const instructions = model.asked[0]?.messages[0]?.content
    expect(instructions).toContain('\n- answer: How to answer\n- free: How to free\n')
    expect(instructions).toContain('except skill.read')
    expect(offered(model.asked[0])).toEqual(expect.arrayContaining(['skill.read', 'ticket.read']))
    expect(offered(model.asked[1]).toSorted()).toEqual(['contact.search', 'skill.read'])
    expect(offered(model.asked[2])).toEqual(offered(model.asked[0]))
    expect(answersIn(model.asked[2])).toMatchObject([
      { outcome: 'SUCCEEDED' },
      { outcome: 'SUCCEEDED', data: { slug: 'answer', version: 1, path: 'SKILL.md', content: LONG } },
      { outcome: 'DENIED', error_code: 'tool_not_allowed_by_skill' },
      { outcome: 'FAILED', error_code: 'skill_not_found' },
      { outcome: 'SUCCEEDED' },
      { outcome: 'SUCCEEDED' },
    ])
    const entries = (await api.call(msp.key, 'audit_log')).data.filter(
      (entry: { tool_name: string }) => entry.tool_name === 'skill.read',
    )
    expect(entries).toHaveLength(3)
    expect(entries[0]).toMatchObject({ agent_id: 1, execution_id: null, correlation_id: id, access: 'READ' })
  })

  it('to an end user is made with them too', async () => {
    const msp = await chatMsp()
    await addSkills(msp, { slug: 'answer', allowed_tools: ['ticket.read'] })
    const model = await playModel([{ calls: [reading('answer'), CONTACTS] }, { text: 'I looked.' }])
    await post(api, msp.key, { sender: { end_user_id: 'ada' } }, SITE)
    await answered(api, msp, SITE)
    expect(offered(model.asked[0])).toEqual(expect.arrayContaining(['contact.search', 'skill.read']))
    expect(answersIn(model.asked[1])).toMatchObject([
      { outcome: 'SUCCEEDED', data: { slug: 'answer', content: 'Be thorough.' } },
      { outcome: 'DENIED', error_code: 'tool_not_allowed_by_skill' },
    ])
  })

  it('of an agent that has none is made without any word of them', async () => {
    const msp = await chatMsp()
    await addSkills(msp, { slug: 'answer', assigned_agent_ids: [2] })
    const model = await playModel([{ calls: [reading('answer')] }, { text: 'I may not.' }])
    await post(api, msp.key)
    await answered(api, msp)
    expect(model.asked[0]?.messages[0]?.content).not.toMatch(/skill/i)
    expect(offered(model.asked[0])).not.toContain('skill.read')
    expect(answersIn(model.asked[1])).toMatchObject([{ outcome: 'DENIED', error_code: 'tool_not_granted' }])
  })
})
