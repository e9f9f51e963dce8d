/** The journey of a skill that is made, given to an agent, changed while a run waits, and restored. */
import { beforeAll, expect, it } from 'vitest'
import { installQueues } from '../areas/agents/runnable.ts'
import { connect } from '../setup/agent-bodies.ts'
import { describeApi } from '../setup/api.ts'
import { playModel } from '../setup/model.ts'
import type { Asked } from '../setup/model-server.ts'
import { skillMd } from '../setup/skill-files.ts'
import { journeyMsp, SUPERVISED, storyOf, TICKET } from './story.ts'
import { expectWholeTrail } from './trail.ts'

beforeAll(installQueues)

const AGENTIC = {
  autonomy_type: 'AGENTIC',
  toolbox: { tools: ['contact.read'] },
  integrations: { grants: [{ system: 'HALO_PSA', permission_groups: ['TICKETS'], access: 'WRITE' }] },
}
const READ = { tool: 'skill.read', args: { slug: 'notes' } }
const FORMS = { tool: 'skill.read', args: { slug: 'notes', path: 'references/forms.md' } }
const NOTE = {
  tool: 'ticket.add_note',
  args: { ticket_id: TICKET, text: 'We are on it.', visibility: 'INTERNAL' },
}
const STATUS = { tool: 'ticket.set_status', args: { ticket_id: TICKET, status: 'In progress' } }
const END = { tool: 'run.finish', args: { message: 'It is done.', resolution: 'FULL' } }

const filesOf = (body: string) => [
  { path: 'SKILL.md', content: skillMd('notes', 'Use for notes.', body) },
  { path: 'references/forms.md', content: `The forms of ${body}` },
]

/** What the tools answered last, as the model reads it. */
const answered = (asked: Asked | undefined): string =>
  asked?.messages.findLast(({ role }) => role === 'tool')?.content ?? ''

describeApi('the journey of a skill', (api) => {
  async function skilled(allowed_tools: string[] = []) {
    const msp = await journeyMsp()
    await connect(msp, 'halo-psa')
    const story = storyOf(api, msp)
    const agent_id = await story.createAgent(AGENTIC)
    const input = { files: filesOf('the first text'), allowed_tools }
    const { id: skill_id } = await story.done(msp.admin, 'create_skill', { input })
    const given = await story.done(msp.admin, 'set_skill_agents', {
      skill_id,
      input: { agent_ids: [agent_id] },
    })
    expect(given).toMatchObject({ agent_ids: [agent_id], version: 1, revision: 2 })
    return { msp, story, agent_id, skill_id }
  }

  it('a run keeps the version with which it began, and the next one has the newest', async () => {
    const { msp, story, agent_id, skill_id } = await skilled()
    const script = [
      { calls: [READ] },
      { calls: [NOTE] },
      { calls: [READ] },
      { calls: [FORMS] },
      { calls: [END] },
    ]
    const model = await playModel(script)
    const { execution_id } = await story.run(agent_id, SUPERVISED)
    await story.work()
    expect(await story.open(execution_id)).toMatchObject({ kind: 'PLAN' })
    const change = { files: filesOf('the second text'), allowed_tools: ['contact.read'] }
    const changed = await story.done(msp.admin, 'update_skill', { skill_id, input: change })
    expect(changed).toMatchObject({ version: 2, agent_ids: [agent_id] })
    await story.approve(execution_id)
    await story.approve(execution_id)
    expect(await story.execution(execution_id)).toMatchObject({ status: 'COMPLETED' })
    expect(await story.notes()).toHaveLength(1)
    const reads = model.asked.map(answered).filter((text) => text.includes('"version"'))
    expect(reads.length).toBeGreaterThanOrEqual(3)
    for (const text of reads) expect(text).toMatch(/"version":\s*1\b.*the first text/s)
    await expectWholeTrail(story, msp, execution_id)

    const newest = await playModel([
      { calls: [READ] },
      { calls: [FORMS] },
      { calls: [STATUS] },
      { calls: [END] },
    ])
    const second = await story.run(agent_id)
    await story.work()
    for (const asked of newest.asked.slice(1, 3)) {
      expect(answered(asked)).toContain('the second text')
      expect(answered(asked)).toMatch(/"version":\s*2\b/)
    }
    expect((await story.calls(second.execution_id)).at(-1)).toMatchObject({
      tool_name: 'ticket.set_status',
      error_code: 'tool_not_allowed_by_skill',
    })

    const restored = await story.done(msp.admin, 'restore_skill_version', { skill_id, version: 1 })
    expect(restored).toMatchObject({ version: 3, allowed_tools: [], agent_ids: [agent_id] })
    const last = await playModel([{ calls: [READ] }, { calls: [STATUS] }, { calls: [END] }])
    await story.run(agent_id)
    await story.work()
    expect(answered(last.asked[1])).toContain('the first text')
    expect(answered(last.asked[1])).toMatch(/"version":\s*3\b/)
    expect(await story.ticket()).toMatchObject({ status: 'In progress' })
  })

  it('one that allows some tools leaves only those from its reading on', async () => {
    const { story, agent_id } = await skilled(['contact.read'])
    const model = await playModel([{ calls: [READ] }, { calls: [NOTE] }, { calls: [END] }])
    const { execution_id } = await story.run(agent_id)
    await story.work()
    const offered = (n: number) => model.asked[n]?.tools.map((tool) => tool.function.name) ?? []
    expect(offered(0)).toContain('ticket__add_note')
    expect(offered(1)).not.toContain('ticket__add_note')
    expect(offered(1)).toContain('contact__read')
    expect((await story.calls(execution_id)).at(-1)).toMatchObject({
      tool_name: 'ticket.add_note',
      error_code: 'tool_not_allowed_by_skill',
    })
    expect(await story.notes()).toEqual([])
  })
})
