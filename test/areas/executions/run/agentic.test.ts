import { beforeAll, expect, it } from 'vitest'
import { addExecutions } from '../../../setup/agents.ts'
import { describeApi, outcome } from '../../../setup/api.ts'
import { limitRequests, playModel, useModel } from '../../../setup/model.ts'
import { psaOfTenant } from '../../../setup/psa.ts'
import { performRun, performRuns, takeRunJobs } from '../../../setup/runs.ts'
import { installQueues } from '../../agents/runnable.ts'
import { agenticMsp, answersIn, END, NOTE, READ, trailOf, turns } from './agentic.ts'
import { executionOf, start } from './chain.ts'

beforeAll(installQueues)

describeApi('an agent that a model leads', (api) => {
  it('works with its tools until the model says that it is done', async () => {
    const msp = await agenticMsp()
    const model = await playModel(turns({ text: 'I read first.', calls: [READ] }, { calls: [NOTE] }))
    const execution_id = await start(api, msp, '4711', { additional_custom_instructions: 'In French.' })
    await performRuns(msp)
    const { execution, calls } = await trailOf(api, msp, execution_id)
    expect(execution).toMatchObject({
      status: 'COMPLETED',
      resolution: 'FULL',
      message_for_dashboard: 'It is done.',
      error: null,
      credits_consumed: 2,
      hours_saved: 0.5,
    })
    expect(calls).toMatchObject([
      { tool_name: 'ticket.read', outcome: 'SUCCEEDED' },
      { tool_name: 'ticket.add_note', outcome: 'SUCCEEDED', arguments: NOTE.args },
    ])
    expect(await psaOfTenant(msp).notesOf('4711')).toMatchObject([
      { text: 'We are on it.', author_name: 'Solver' },
    ])
    const timeline = await api.call(msp.key, 'execution_timeline', { execution_id })
    expect(timeline.data.map(({ kind, text }: { kind: string; text: string }) => [kind, text])).toEqual([
      ['STATUS_CHANGED', 'The work began.'],
      ['MESSAGE', 'I read first.'],
      ['TOOL_CALL', 'Read ticket: done'],
      ['TOOL_CALL', 'Add note: done'],
      ['STATUS_CHANGED', 'The work ended: COMPLETED.'],
    ])
    expect(model.asked).toHaveLength(3)
    const [first, second] = model.asked
    expect(first?.messages.map(({ role }) => role)).toEqual(['system', 'user'])
    expect(first?.messages[0]?.content).toMatch(/Be kind\.[\s\S]*In French\./)
    expect(first?.messages[1]?.content).toContain('{"id":"4711","number":"T-4711"}')
    expect(answersIn(second)).toMatchObject([{ outcome: 'SUCCEEDED', data: { ticket_id: '4711' } }])
  })

  it('is offered its granted tools, and those of the run', async () => {
    const msp = await agenticMsp({}, { toolbox: { tools: ['contact.read'] } })
    const model = await playModel(turns())
    await start(api, msp)
    await performRuns(msp)
    const offered = model.asked[0]?.tools.map((tool) => tool.function.name.replaceAll('__', '.')) ?? []
    for (const name of ['ticket.read', 'ticket.add_note', 'contact.read', 'run.finish', 'run.read_result'])
      expect(offered).toContain(name)
    for (const name of ['device.restart', 'memory.save', 'technician.ask', 'run.propose_plan', 'run.wait'])
      expect(offered).not.toContain(name)
    await start(api, msp, '4712', { supervised_run: true })
    await performRuns(msp)
    const supervised = model.asked[1]?.tools.map((tool) => tool.function.name) ?? []
    expect(supervised).toEqual(expect.arrayContaining(['technician__ask', 'run__propose_plan']))
  })

  it('goes on where it was when another worker takes it over: nothing is asked or made twice', async () => {
    const msp = await agenticMsp()
    const stop = new AbortController()
    const model = await playModel((_asked, turn) => {
      if (turn === 1) stop.abort(new Error('the process stops'))
      return [{ calls: [NOTE] }, { silent_ms: 10_000 }, { calls: [READ] }, { calls: [END] }][turn] as never
    })
    const execution_id = await start(api, msp)
    const [job] = await takeRunJobs(msp)
    if (!job) throw new Error('No job waits')
    await expect(performRun(job, { signal: stop.signal })).rejects.toThrow('the process stops')
    expect(await executionOf(api, msp, execution_id)).toMatchObject({ status: 'RUNNING' })
    await performRun(job, { attempt: 2 })
    const { execution, calls } = await trailOf(api, msp, execution_id)
    expect(execution).toMatchObject({ status: 'COMPLETED', run_count: 1 })
    expect(calls.map(({ tool_name }: { tool_name: string }) => tool_name)).toEqual([
      'ticket.add_note',
      'ticket.read',
    ])
    expect(await psaOfTenant(msp).notesOf('4711')).toHaveLength(1)
    expect(model.asked[2]?.messages).toEqual(model.asked[1]?.messages)
  })

  it('reads on in a result that was too long for one answer', async () => {
    const msp = await agenticMsp()
    const text = Array.from({ length: 4000 }, (_, index) => `${index} `).join('')
    await msp.database.prisma.psaTicket.updateMany({
      where: { tenant_id: msp.tenant_id, ticket_id: '4711' },
      data: { description: text },
    })
    const read_on = { tool: 'run.read_result', args: { call_id: 'call_1_1', offset: 8000 } }
    const model = await playModel(turns({ calls: [READ] }, { calls: [read_on] }))
    const execution_id = await start(api, msp)
    await performRuns(msp)
    const [first, second] = answersIn(model.asked[2])
    expect(first.data_starts_with + second.data_part).toContain('1999 2000 2001')
    const { calls } = await trailOf(api, msp, execution_id)
    expect(calls).toHaveLength(1)
  })

  it('reads on in a result that was too long to be stored as one', async () => {
    const msp = await agenticMsp()
    for (let note = 1; note <= 12; note++) {
      const text = `note${note} `.repeat(2000)
      await psaOfTenant(msp).addNote('4711', { author_name: 'Ada', is_internal: true, text }, `k${note}`)
    }
    const list = { tool: 'ticket.list_notes', args: { ticket_id: '4711' } }
    const read_on = { tool: 'run.read_result', args: { call_id: 'call_1_1', offset: 140_000 } }
    const model = await playModel(turns({ calls: [list] }, { calls: [read_on] }))
    await start(api, msp)
    await performRuns(msp)
    const [shown] = answersIn(model.asked[1])
    expect(shown).toMatchObject({ outcome: 'SUCCEEDED', call_id: 'call_1_1' })
    expect(shown.data_starts_with).toMatch(/^\{"notes":\[\{/)
    expect(shown.characters).toBeGreaterThan(150_000)
    const [first, second] = answersIn(model.asked[2])
    expect(first).toEqual(shown)
    expect(second).toMatchObject({ outcome: 'SUCCEEDED', offset: 140_000, characters: shown.characters })
    expect(second.data_part).toHaveLength(8000)
    expect(second.data_part).toMatch(/note1[012] note/)
  })

  it('asks with requests that are not too long, whatever its tools answered', async () => {
    const [most, description] = [40_000, '"'.repeat(3500)]
    await limitRequests(most)
    const msp = await agenticMsp()
    const where = { tenant_id: msp.tenant_id, ticket_id: '4711' }
    await msp.database.prisma.psaTicket.updateMany({ where, data: { description } })
    const model = await playModel(turns(...Array.from({ length: 8 }, () => ({ calls: [READ] }))))
    const execution_id = await start(api, msp)
    await performRuns(msp)
    expect(await executionOf(api, msp, execution_id)).toMatchObject({ status: 'COMPLETED' })
    for (const { messages, tools } of model.asked)
      expect(JSON.stringify({ messages, tools }).length).toBeLessThan(most)
    const answers = answersIn(model.asked.at(-1)).map(({ outcome }) => outcome)
    expect([answers[0], answers.at(-1)]).toEqual(['LEFT_OUT', 'SUCCEEDED'])
  })

  it('ends by its limit if what it must be told is too long', async () => {
    await limitRequests(1000)
    const msp = await agenticMsp()
    const model = await playModel(turns())
    const execution_id = await start(api, msp)
    await performRuns(msp)
    expect(await executionOf(api, msp, execution_id)).toMatchObject({
      status: 'FAILED',
      failure_kind: 'LIMIT',
      error: expect.stringMatching(/^model_request_too_long: /),
    })
    expect(model.asked).toEqual([])
  })

  it('resolves a part if it is less sure than it must be', async () => {
    const msp = await agenticMsp({ confidence_threshold: 0.9 })
    await playModel([{ calls: [{ ...END, args: { ...END.args, confidence: 0.5 } }] }])
    const execution_id = await start(api, msp)
    await performRuns(msp)
    expect(await executionOf(api, msp, execution_id)).toMatchObject({
      status: 'COMPLETED',
      resolution: 'PARTIAL',
    })
  })

  it('is not retried without a model', async () => {
    const msp = await agenticMsp()
    await addExecutions(msp, [{ execution_id: 'first', agent_id: 1, entity_id: '4711', status: 'FAILED' }])
    await useModel(null)
    const refused = await api.call(msp.key, 'retry_execution', { execution_id: 'first' })
    expect(outcome(refused)).toEqual([409, 'model_not_configured'])
    expect((await api.call(msp.key, 'executions')).data).toHaveLength(1)
  })

  it('whose model is gone when it is taken up ends as FAILED, by the platform', async () => {
    const msp = await agenticMsp()
    const execution_id = await start(api, msp)
    await useModel(null)
    await performRuns(msp)
    expect(await executionOf(api, msp, execution_id)).toMatchObject({
      status: 'FAILED',
      failure_kind: 'PLATFORM',
      resolution: 'NONE',
      error: expect.stringContaining('model_not_configured'),
    })
  })
})
