/** The skills of runs: what the model is told and reads, and the tools that they leave. */
import { beforeAll, expect, it } from 'vitest'
import { addAgents } from '../../../setup/agents.ts'
import { describeApi } from '../../../setup/api.ts'
import { testApp } from '../../../setup/app.ts'
import { playModel, useModel } from '../../../setup/model.ts'
import type { Asked } from '../../../setup/model-server.ts'
import { psaOfTenant } from '../../../setup/psa.ts'
import { addSkills, changeSkill } from '../../../setup/run-skills.ts'
import { performRuns } from '../../../setup/runs.ts'
import type { Msp } from '../../../setup/world.ts'
import { installQueues } from '../../agents/runnable.ts'
import { agenticMsp, answersIn, NOTE, READ, trailOf, turns } from './agentic.ts'
import { entriesOf, executionOf, NOTE as NOTE_ACTION, start } from './chain.ts'

beforeAll(installQueues)

const reading = (slug: string, path?: string) => ({
  tool: 'skill.read',
  args: { slug, ...(path && { path }) },
})
const CONTACT = { tool: 'contact.read', args: { contact_id: 'c1' } }

const told = (asked: Asked | undefined): string => asked?.messages[0]?.content ?? ''
const offered = (asked: Asked | undefined): string[] =>
  asked?.tools.map((tool) => tool.function.name.replaceAll('__', '.')) ?? []

/** Does this before each turn of the model that is played. */
async function beforeEachTurn(work: (turn: number) => Promise<void>): Promise<void> {
  const { model } = (await testApp()).app.services
  let turn = 0
  await useModel({
    async turn(question) {
      await work(turn++)
      if (model === null) throw new Error('No model plays')
      return await model.turn(question)
    },
  })
}

describeApi('a run of an agent with skills', (api) => {
  const run = async (msp: Msp, input: object = {}): Promise<string> => {
    const execution_id = await start(api, msp, '4711', input)
    await performRuns(msp)
    return execution_id
  }

  it('is told of them, and reads their files, which are calls as others are', async () => {
    const msp = await agenticMsp()
    const files = { 'SKILL.md': 'Look first.', 'notes/more.md': 'Then think.' }
    await addSkills(msp, { slug: 'triage', files }, { slug: 'close', description: 'How to end.' })
    const model = await playModel(turns({ calls: [reading('triage'), reading('triage', 'notes/more.md')] }))
    const execution_id = await run(msp)
    expect(told(model.asked[0])).toContain('\n- close: How to end.\n- triage: How to triage\n')
    expect(told(model.asked[0])).not.toContain('Look first.')
    expect(offered(model.asked[0])).toContain('skill.read')
    const answers = [
      { slug: 'triage', version: 1, path: 'SKILL.md', content: 'Look first.' },
      { slug: 'triage', version: 1, path: 'notes/more.md', content: 'Then think.' },
    ]
    expect(answersIn(model.asked[1])).toEqual(answers.map((data) => ({ outcome: 'SUCCEEDED', data })))
    const { execution, calls } = await trailOf(api, msp, execution_id)
    expect(execution).toMatchObject({ status: 'COMPLETED' })
    expect(calls[0]).toMatchObject({
      tool_name: 'skill.read',
      access: 'READ',
      outcome: 'SUCCEEDED',
      arguments: { slug: 'triage' },
    })
    const timeline = await api.call(msp.key, 'execution_timeline', { execution_id })
    expect(timeline.data.map(({ text }: { text: string }) => text)).toContain('Read skill: done')
  })

  it('has them as they were when it began, whatever becomes of them meanwhile', async () => {
    const msp = await agenticMsp()
    await addSkills(msp, {
      slug: 'triage',
      files: { 'SKILL.md': 'Old.' },
      allowed_tools: ['ticket.add_note'],
    })
    const model = await playModel(turns({ calls: [NOTE] }, { calls: [reading('triage')] }))
    const { tenant_id, database } = msp
    await beforeEachTurn(async (turn) => {
      if (turn === 0) await changeSkill(msp, 'triage', { files: { 'SKILL.md': 'New.' } })
      if (turn === 1)
        await database.prisma.skill.updateMany({ where: { tenant_id }, data: { status: 'ARCHIVED' } })
    })
    await run(msp)
    const [, answer] = answersIn(model.asked[2])
    expect(answer).toMatchObject({ data: { version: 1, content: 'Old.' } })
    expect(told(model.asked[2])).toBe(told(model.asked[0]))
    expect(offered(model.asked[2])).not.toContain('ticket.read')
    await database.prisma.skill.updateMany({ where: { tenant_id }, data: { status: 'ACTIVE' } })
    const next = await playModel(turns({ calls: [reading('triage')] }))
    await run(msp)
    expect(answersIn(next.asked[1])).toMatchObject([{ data: { version: 2, content: 'New.' } }])
    expect(told(next.asked[0])).toContain('- triage: Changed.')
  })

  it('reads on in a file that is too long for one answer', async () => {
    const msp = await agenticMsp()
    const content = Array.from({ length: 17_000 }, (_, index) => `${index} `).join('')
    expect(content.length).toBeGreaterThan(90_000)
    await addSkills(msp, { slug: 'triage', files: { 'SKILL.md': content } })
    const read_on = { tool: 'run.read_result', args: { call_id: 'call_1_1', offset: 88_000 } }
    const model = await playModel(turns({ calls: [reading('triage')] }, { calls: [read_on] }))
    await run(msp)
    const [first, rest] = answersIn(model.asked[2])
    expect(first).toMatchObject({ outcome: 'SUCCEEDED', call_id: 'call_1_1' })
    expect(first.data_starts_with).toContain('"content":"0 1 2 3')
    expect(rest).toMatchObject({ outcome: 'SUCCEEDED', characters: first.characters })
    expect(rest.data_part).toContain('16997 16998 16999 ')
  })

  it('reads nothing that its skills do not have', async () => {
    const msp = await agenticMsp()
    await addSkills(msp, { slug: 'triage', allowed_tools: ['ticket.add_note'] })
    const calls = [
      reading('gone'),
      reading('triage', '../SKILL.md'),
      { tool: 'skill.read', args: { slug: 'triage', version: 2 } },
      READ,
    ]
    const model = await playModel(turns({ calls }))
    await run(msp)
    expect(answersIn(model.asked[1])).toMatchObject([
      { outcome: 'FAILED', error_code: 'skill_not_found' },
      { outcome: 'FAILED', error_code: 'skill_file_not_found' },
      { outcome: 'FAILED', error_code: 'arguments_invalid' },
      { outcome: 'SUCCEEDED' },
    ])
  })

  it('has from the reading on the tools that the skill allows, and its own, until it reads another one', async () => {
    const msp = await agenticMsp()
    await addSkills(
      msp,
      { slug: 'triage', allowed_tools: ['ticket.read', 'device.restart'] },
      { slug: 'close', allowed_tools: ['contact.read'] },
      { slug: 'free' },
    )
    const model = await playModel(
      turns(
        { calls: [CONTACT, reading('triage'), CONTACT, READ] },
        { calls: [reading('gone'), NOTE, reading('close'), READ, CONTACT] },
        { calls: [reading('free'), READ] },
      ),
    )
    const execution_id = await run(msp)
    const granted = offered(model.asked[0])
    expect(granted).toEqual(expect.arrayContaining(['ticket.read', 'ticket.add_note', 'contact.read']))
    const own = ['run.finish', 'run.read_result', 'skill.read']
    expect(offered(model.asked[1]).toSorted()).toEqual([...own, 'ticket.read'].toSorted())
    expect(offered(model.asked[2]).toSorted()).toEqual([...own, 'contact.read'].toSorted())
    expect(offered(model.asked[3])).toEqual(granted)
    const { calls } = await trailOf(api, msp, execution_id)
    type Entry = { tool_name: string; outcome: string; error_code: string | null; error_message: string }
    expect(calls.map((call: Entry) => [call.tool_name, call.outcome, call.error_code])).toEqual([
      ['contact.read', 'SUCCEEDED', null],
      ['skill.read', 'SUCCEEDED', null],
      ['contact.read', 'DENIED', 'tool_not_allowed_by_skill'],
      ['ticket.read', 'SUCCEEDED', null],
      ['skill.read', 'FAILED', 'skill_not_found'],
      ['ticket.add_note', 'DENIED', 'tool_not_allowed_by_skill'],
      ['skill.read', 'SUCCEEDED', null],
      ['ticket.read', 'DENIED', 'tool_not_allowed_by_skill'],
      ['contact.read', 'SUCCEEDED', null],
      ['skill.read', 'SUCCEEDED', null],
      ['ticket.read', 'SUCCEEDED', null],
    ])
    expect(calls[2].error_message).toContain('The skill triage')
    expect(await psaOfTenant(msp).notesOf('4711')).toEqual([])
  })

  it('gets no tool by a skill that its agent does not have', async () => {
    const msp = await agenticMsp({}, { toolbox: { tools: [] } })
    await addSkills(msp, { slug: 'triage', allowed_tools: ['contact.read', 'ticket.read', 'shell.execute'] })
    const model = await playModel(turns({ calls: [reading('triage'), CONTACT] }))
    await run(msp)
    expect(offered(model.asked[1])).not.toContain('contact.read')
    expect(answersIn(model.asked[1])[1]).toMatchObject({ outcome: 'DENIED', error_code: 'tool_not_granted' })
  })

  it('has no skill that is not ACTIVE, another agent’s or another tenant’s, and then no tool for skills', async () => {
    const msp = await agenticMsp()
    await addAgents(msp, [{ id: 2 }])
    await addSkills(
      msp,
      { slug: 'disabled', status: 'DISABLED' },
      { slug: 'archived', status: 'ARCHIVED' },
      { slug: 'other', assigned_agent_ids: [2] },
    )
    await addSkills(await agenticMsp(), { slug: 'foreign' })
    const slugs = ['disabled', 'archived', 'other', 'foreign']
    const model = await playModel(turns({ calls: slugs.map((slug) => reading(slug)) }))
    await run(msp)
    expect(told(model.asked[0])).not.toMatch(/skill/i)
    expect(offered(model.asked[0])).not.toContain('skill.read')
    for (const answer of answersIn(model.asked[1]))
      expect(answer).toMatchObject({ outcome: 'DENIED', error_code: 'tool_not_granted' })
    await addSkills(msp, { slug: 'triage' })
    const next = await playModel(turns({ calls: slugs.map((slug) => reading(slug)) }))
    await run(msp)
    expect(told(next.asked[0])).not.toMatch(/- (?:disabled|archived|other|foreign):/)
    for (const answer of answersIn(next.asked[1]))
      expect(answer).toMatchObject({ outcome: 'FAILED', error_code: 'skill_not_found' })
  })

  it('of a chain of actions is not changed by them', async () => {
    const msp = await agenticMsp({}, { autonomy_type: 'CHAINED_ACTIONS', actions: [NOTE_ACTION] as never })
    await addSkills(msp, { slug: 'triage', allowed_tools: ['contact.read'] })
    const execution_id = await run(msp)
    expect(await executionOf(api, msp, execution_id)).toMatchObject({ status: 'COMPLETED' })
    expect(await entriesOf(api, msp, execution_id)).toMatchObject([
      { tool_name: 'ticket.add_note', outcome: 'SUCCEEDED' },
    ])
  })
})
