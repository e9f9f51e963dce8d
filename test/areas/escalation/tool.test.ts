/** The tool by which agents hand their work to people. */
import { beforeAll, expect, it } from 'vitest'
import type { Escalations, EscalationsConnector } from '../../../src/connectors/escalations.ts'
import type { Services } from '../../../src/gateway/context.ts'
import { serviceContext } from '../../../src/jobs/service-context.ts'
import { addAgents } from '../../setup/agents.ts'
import { type Api, describeApi } from '../../setup/api.ts'
import { testApp } from '../../setup/app.ts'
import { addPolicy, disablePolicies, escalationsOf } from '../../setup/escalations.ts'
import { playModel } from '../../setup/model.ts'
import type { Asked } from '../../setup/model-server.ts'
import { performRun, performRuns, takeRunJobs } from '../../setup/runs.ts'
import { makeTechnician } from '../../setup/til-requests.ts'
import type { Msp } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'
import { agenticMsp, answersIn, END, READ, trailOf, turns } from '../executions/run/agentic.ts'
import { start, withPsa } from '../executions/run/chain.ts'
import { ADMIN } from '../til-requests/people.ts'

beforeAll(installQueues)

const RAISE = { tool: 'escalation.raise', args: { reason: 'The printer needs hands.' } }
const ASKED = { tool: 'escalation.raise', args: { reason: 'She wants a person.', end_user_asked: true } }

const toolsIn = (asked: Asked | undefined) => asked?.tools.map((tool) => tool.function.name) ?? []

/** Runs agent 1 on the ticket; the execution and its calls. */
async function run(api: Api, msp: Msp, entity_id = '4711', input: object = {}) {
  const execution_id = await start(api, msp, entity_id, input)
  await performRuns(msp)
  return await trailOf(api, msp, execution_id)
}

/** The service with escalations in which some calls are played. */
async function withEscalations(played: (port: Escalations) => Partial<Escalations>): Promise<Services> {
  const { services } = (await testApp()).app
  const escalations: EscalationsConnector = (ctx) => {
    const port = services.connectors.escalations(ctx)
    return { ...port, ...played(port) }
  }
  return { ...services, connectors: { ...services.connectors, escalations } }
}

/** The port of the tenant's escalations. */
async function portOf({ tenant_id, environment }: Msp) {
  const { services } = (await testApp()).app
  return services.connectors.escalations(serviceContext(services, 'test', 'test', { tenant_id, environment }))
}

describeApi('an agent that cannot go on', (api) => {
  it('hands its work over, and people see why, and of which ticket', async () => {
    const msp = await agenticMsp()
    const policy_id = await addPolicy(msp)
    const model = await playModel(turns({ calls: [RAISE] }))
    const { execution, calls } = await run(api, msp)
    const { data } = await api.call(msp.key, 'escalation_events')
    expect(data).toMatchObject([
      {
        policy_id,
        trigger: 'AGENT_GAVE_UP',
        status: 'OPEN',
        reason: 'The printer needs hands.',
        agent_id: 1,
        execution_id: execution.execution_id,
        entity_id: '4711',
        entity_number: 'T-4711',
      },
    ])
    expect(execution.status).toBe('COMPLETED')
    expect(calls).toMatchObject([{ tool_name: 'escalation.raise', access: 'WRITE', outcome: 'SUCCEEDED' }])
    expect(answersIn(model.asked[1])).toMatchObject([
      { outcome: 'SUCCEEDED', data: { event_id: data[0].id } },
    ])
    expect(toolsIn(model.asked[0])).toContain('escalation__raise')
    expect(model.asked[0]?.messages[0]?.content).toContain('escalation.raise')
  })

  it('says why in any characters that there are', async () => {
    const msp = await agenticMsp()
    await addPolicy(msp)
    const reason = `a${'😀'.repeat(1000)}`
    await playModel(turns({ calls: [{ ...RAISE, args: { reason } }] }))
    const { execution } = await run(api, msp)
    expect(execution.status).toBe('COMPLETED')
    expect(await escalationsOf(msp)).toMatchObject([{ reason }])
  })

  it('says so if an end user asks for a person', async () => {
    const msp = await agenticMsp()
    await addPolicy(msp, { triggers: ['AGENT_GAVE_UP', 'END_USER_ASKED_FOR_HUMAN'] })
    await playModel(turns({ calls: [ASKED] }))
    await run(api, msp)
    expect(await escalationsOf(msp)).toMatchObject([
      { trigger: 'END_USER_ASKED_FOR_HUMAN', reason: 'She wants a person.', subject: 'TICKET/4711' },
    ])
  })

  it.each([
    ['the other cause', RAISE, 'END_USER_ASKED_FOR_HUMAN'],
    ['the cause of the agent', ASKED, 'AGENT_GAVE_UP'],
  ] as const)('is heard by a policy for %s alone', async (_name, call, trigger) => {
    const msp = await agenticMsp()
    await addPolicy(msp, { triggers: [trigger] })
    await playModel(turns({ calls: [call] }))
    await run(api, msp)
    expect(await escalationsOf(msp)).toMatchObject([{ trigger }])
  })

  it('gets the escalation that its ticket has already, and that of its execution if it has no ticket', async () => {
    const msp = await agenticMsp()
    await addPolicy(msp)
    const model = await playModel(turns({ calls: [RAISE] }))
    await run(api, msp)
    const [first] = await escalationsOf(msp)
    model.play(turns({ calls: [{ ...RAISE, args: { reason: 'Still.' } }] }))
    await run(api, msp)
    expect(answersIn(model.asked[1])).toMatchObject([{ data: { event_id: first?.id } }])
    expect(await escalationsOf(msp)).toHaveLength(1)
    const { prisma } = msp.database
    await prisma.escalationEvent.updateMany({
      where: { tenant_id: msp.tenant_id },
      data: { status: 'RESOLVED' },
    })
    model.play(turns({ calls: [RAISE] }))
    await run(api, msp)
    expect(await escalationsOf(msp)).toHaveLength(2)
    await prisma.agent.updateMany({
      where: { tenant_id: msp.tenant_id },
      data: { entity_type: 'NONE', trigger_type: 'ON_DEMAND' },
    })
    model.play(turns({ calls: [RAISE] }))
    const { data } = await api.call(msp.key, 'run_agent_now', { agent_id: 1, input: {} })
    await performRuns(msp)
    const { execution_id } = data
    expect((await escalationsOf(msp)).at(-1)).toMatchObject({
      execution_id,
      entity_id: null,
      subject: `EXECUTION/${execution_id}`,
    })
  })

  it('opens one escalation for a call, which may be repeated', async () => {
    const msp = await agenticMsp()
    await addPolicy(msp)
    await playModel(turns({}))
    const execution_id = await start(api, msp)
    const port = await portOf(msp)
    const raised = {
      agent_id: 1,
      work: { execution_id },
      reason: 'Bearer abcdefghijkl is the key.',
      end_user_asked: false,
    }
    expect(await port.outcomeOf('key')).toBe('NOT_MADE')
    const first = await port.raise(raised, 'key')
    expect(await port.outcomeOf('key')).toBe('MADE')
    expect(await port.raise(raised, 'key')).toEqual(first)
    const { tenant_id } = msp
    await msp.database.prisma.escalationEvent.updateMany({
      where: { tenant_id },
      data: { status: 'RESOLVED' },
    })
    expect(await port.raise(raised, 'key')).toEqual(first)
    await disablePolicies(msp)
    expect(await port.raise(raised, 'key')).toEqual(first)
    expect(await port.raise(raised, 'another key')).toEqual({ problem: 'NO_POLICY' })
    expect(await escalationsOf(msp)).toMatchObject([{ reason: '[removed] is the key.' }])
  })

  it.each([
    ['before the escalation is open', false],
    ['once it is', true],
  ])('whose worker is lost %s, hands its work over once', async (_name, opens) => {
    const msp = await agenticMsp()
    await addPolicy(msp)
    await playModel(turns({ calls: [RAISE] }))
    const execution_id = await start(api, msp)
    const [job] = await takeRunJobs(msp)
    if (!job) throw new Error('No job')
    const lost = Promise.withResolvers<void>()
    const services = await withEscalations((port) => ({
      async raise(...given) {
        if (opens) await port.raise(...given)
        lost.resolve()
        return await new Promise<never>(() => {})
      },
    }))
    void performRun(job, { services })
    await lost.promise
    await performRun(job, { attempt: 2 })
    const { execution, calls } = await trailOf(api, msp, execution_id)
    expect(execution.status).toBe('COMPLETED')
    expect(calls).toMatchObject([{ tool_name: 'escalation.raise', outcome: 'SUCCEEDED' }])
    expect(await escalationsOf(msp)).toHaveLength(1)
  })

  it('waits for no approval if it is supervised', async () => {
    const msp = await agenticMsp()
    await makeTechnician(msp, msp.admin.id, ADMIN)
    await addPolicy(msp)
    await playModel(turns({ calls: [RAISE] }))
    const supervised = { supervised_run: true, supervisor_technician_ids: [ADMIN] }
    const { execution } = await run(api, msp, '4711', supervised)
    expect(execution).toMatchObject({ status: 'COMPLETED', supervised: true })
    expect((await api.call(msp.key, 'til_requests')).data).toEqual([])
    expect(await escalationsOf(msp)).toHaveLength(1)
  })

  it('tells nobody in shadow mode', async () => {
    const msp = await agenticMsp({ supervision_mode: 'SHADOW' })
    await makeTechnician(msp, msp.admin.id, ADMIN)
    await addPolicy(msp)
    await playModel(turns({ calls: [RAISE] }))
    const { calls } = await run(api, msp)
    expect(calls.at(-1)).toMatchObject({ tool_name: 'escalation.raise', outcome: 'SKIPPED' })
    expect(await escalationsOf(msp)).toEqual([])
  })

  it.each([
    ['no policy', null],
    ['a policy of another agent', { agent_ids: [2] }],
    ['a policy that is off', { enabled: false }],
    ['a policy for other causes', { triggers: ['EXECUTION_FAILED'] as const }],
  ])('has no tool for that with %s', async (_name, policy) => {
    const msp = await agenticMsp()
    if (policy) await addPolicy(msp, policy as Parameters<typeof addPolicy>[1])
    const model = await playModel(turns({ calls: [RAISE] }))
    const { calls } = await run(api, msp)
    expect(calls).toMatchObject([{ outcome: 'DENIED', error_code: 'tool_not_granted' }])
    expect(toolsIn(model.asked[0])).not.toContain('escalation__raise')
    expect(model.asked[0]?.messages[0]?.content).not.toContain('escalation.raise')
    expect(await escalationsOf(msp)).toEqual([])
  })

  it.each([
    ['of its own', { agent_ids: [1] }],
    ['that is the default', { agent_ids: [2], is_default: true }],
  ])('has the tool by a policy %s', async (_name, policy) => {
    const msp = await agenticMsp()
    await addPolicy(msp, policy)
    await playModel(turns({ calls: [RAISE] }))
    await run(api, msp)
    expect(await escalationsOf(msp)).toHaveLength(1)
  })

  it('has the tool no more once the policy is off', async () => {
    const msp = await agenticMsp()
    await addPolicy(msp)
    await playModel(turns({ calls: [READ] }, { calls: [RAISE] }))
    const execution_id = await start(api, msp)
    const [job] = await takeRunJobs(msp)
    if (!job) throw new Error('No job')
    const services = await withPsa((psa) => ({
      async ticket(ticket_id) {
        await disablePolicies(msp)
        return await psa.ticket(ticket_id)
      },
    }))
    await performRun(job, { services })
    const { calls } = await trailOf(api, msp, execution_id)
    expect(calls).toMatchObject([
      { tool_name: 'ticket.read', outcome: 'SUCCEEDED' },
      { tool_name: 'escalation.raise', outcome: 'DENIED', error_code: 'tool_not_granted' },
    ])
    expect(await escalationsOf(msp)).toEqual([])
  })

  it('is told if its policy goes while the call is made', async () => {
    const msp = await agenticMsp()
    await addPolicy(msp)
    await playModel(turns({ calls: [RAISE] }))
    const execution_id = await start(api, msp)
    const [job] = await takeRunJobs(msp)
    if (!job) throw new Error('No job')
    const services = await withEscalations((port) => ({
      async raise(...given) {
        await disablePolicies(msp)
        return await port.raise(...given)
      },
    }))
    await performRun(job, { services })
    const { calls } = await trailOf(api, msp, execution_id)
    expect(calls).toMatchObject([{ outcome: 'FAILED', error_code: 'no_escalation_policy' }])
    expect(await escalationsOf(msp)).toEqual([])
  })
})

const RACES = Number(process.env.TEST_RACES ?? 5)

describeApi('two agents that cannot go on with one ticket', (api) => {
  it.runIf(process.env.DATABASE_URL)('open one escalation at once, and both get it', async () => {
    const model = await playModel((asked) =>
      answersIn(asked).length === 0 ? { calls: [RAISE] } : { calls: [END] },
    )
    for (let race = 0; race < RACES; race++) {
      const msp = await agenticMsp()
      const { integrations, toolbox, agent_settings } = (await msp.database.prisma.agent.findFirstOrThrow({
        where: { tenant_id: msp.tenant_id, id: 1 },
      })) as { integrations: object; toolbox: object; agent_settings: object }
      await addAgents(msp, [{ id: 2, integrations, toolbox, agent_settings }])
      await addPolicy(msp)
      await start(api, msp)
      await api.call(msp.key, 'run_agent_now', { agent_id: 2, input: { entity_id: '4711' } })
      const jobs = await takeRunJobs(msp)
      expect(jobs).toHaveLength(2)
      const before = model.asked.length
      await Promise.all(jobs.map((job) => performRun(job)))
      const answers = model.asked.slice(before).flatMap((asked) => answersIn(asked))
      const [escalation, ...others] = await escalationsOf(msp)
      expect(others).toEqual([])
      expect(answers.map(({ data }) => data.event_id)).toEqual([escalation?.id, escalation?.id])
    }
  })
})
