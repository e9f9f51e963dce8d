import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { connect, VALID } from '../../setup/agent-bodies.ts'
import { addAgents } from '../../setup/agents.ts'
import { type Answer, type Api, apis, describeApi, outcome } from '../../setup/api.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { type Caller, type Msp, world } from '../../setup/world.ts'
import { agentsOfPeople, revisionsOf } from './people.ts'

const { AGENTIC, CONVERSATIONAL } = VALID

const INPUT = [...Object.keys(AGENTIC), 'agent_settings_edits']

/** The agent as it was read, as far as the interface can send it. */
const sentBack = (api: Api, agent: Record<string, unknown>) =>
  api.name === 'rest' ? agent : Object.fromEntries(INPUT.map((name) => [name, agent[name]]))

const read = (api: Api, caller: Caller, agent_id: number) => api.call(caller, 'agent', { agent_id })

async function created(body: object = AGENTIC): Promise<Msp & { agent_id: number }> {
  const msp = await world()
  await connect(msp, 'halo-psa')
  const { data } = await (apis[1] as Api).call(msp.owner, 'create_agent', { input: body })
  return { ...msp, agent_id: data.id }
}

describe.each(['replace_agent', 'update_agent'])('%s', (operation) => {
  describeApi('changes', (api) => {
    const write = (caller: Caller, agent_id: number, input: object, headers = {}): Promise<Answer> =>
      api.call(caller, operation, { agent_id, input }, headers)

    it('the fields that are given, and answers with a summary', async () => {
      const { owner, agent_id, ...msp } = await created()
      const toolbox = { tools: ['web.search'] }
      const before = (await read(api, owner, agent_id)).data
      const { status, data } = await write(owner, agent_id, { name: ' New ', toolbox, description: null })
      expect([status, data]).toMatchObject([200, { id: agent_id, name: 'New', state: 'DRAFT' }])
      if (api.name === 'rest')
        expect(Object.keys(data)).toEqual(['id', 'name', 'state', 'created_at', 'updated_at'])
      const after = (await read(api, owner, agent_id)).data
      expect(after).toEqual({
        ...before,
        name: 'New',
        toolbox,
        description: null,
        revision: 2,
        updated_at: after.updated_at,
      })
      expect((await activitiesOf(msp)).map(({ action }) => action)).toEqual([
        'agent.created',
        'agent.updated',
      ])
      const revisions = await revisionsOf({ owner, ...msp }, agent_id)
      expect(revisions.map(({ revision }) => revision)).toEqual([1, 2])
      expect(revisions[1]?.difference).toMatchObject({ name: 'New', toolbox })
    })

    it('nothing if an agent that was read is sent back, in whatever state it is', async () => {
      const settings = fc.record(
        {
          custom_instructions: fc.string({ unit: 'grapheme', maxLength: 9 }),
          max_minutes: fc.integer({ min: 1, max: 240 }),
        },
        { requiredKeys: [] },
      )
      const bodies = fc.record(
        {
          name: fc.constantFrom('A', 'B'),
          agent_settings: settings,
          agent_settings_edits: settings,
          toolbox: fc.constantFrom(null, {}, { tools: ['memory.save'] }),
          schedule: fc.constantFrom(null, { cron: '0 7 * * 1', start_at: '2026-12-01T00:00:00+01:00' }),
          ticket_conditions: fc.constantFrom(null, AGENTIC.ticket_conditions),
        },
        { requiredKeys: [] },
      )
      const { owner, agent_id } = await created()
      await fc.assert(
        fc.asyncProperty(fc.array(bodies, { maxLength: 2 }), async (changes) => {
          for (const body of changes) expect((await write(owner, agent_id, body)).status).toBe(200)
          const before = await read(api, owner, agent_id)
          const { status } = await write(owner, agent_id, sentBack(api, before.data))
          const after = await read(api, owner, agent_id)
          expect([status, after.data, after.etag]).toEqual([200, before.data, before.etag])
        }),
        { numRuns: 12 },
      )
    })

    it('settings by edits, and remembers what was merged', async () => {
      const { owner, agent_id } = await created()
      await write(owner, agent_id, { agent_settings_edits: { max_minutes: 7 } })
      expect((await read(api, owner, agent_id)).data).toMatchObject({
        agent_settings: { ...AGENTIC.agent_settings, max_minutes: 7 },
        agent_settings_edits: { max_minutes: 7 },
      })
      await write(owner, agent_id, { agent_settings: { max_minutes: 9 } })
      expect((await read(api, owner, agent_id)).data).toMatchObject({
        agent_settings: { max_minutes: 9, max_tool_calls: 100, custom_instructions: '' },
        agent_settings_edits: null,
      })
    })

    it('nothing of an agent that cannot be like that', async () => {
      const { owner, agent_id } = await created()
      const before = (await read(api, owner, agent_id)).data
      const input = { name: 'New', agent_settings_edits: { max_minutes: 0 } }
      expect(outcome(await write(owner, agent_id, input))).toEqual([400, 'validation_error'])
      expect((await read(api, owner, agent_id)).data).toEqual(before)
    })

    it('only the version that If-Match names', async () => {
      const { owner, agent_id } = await created()
      const { etag } = await read(api, owner, agent_id)
      const headers = { 'if-match': etag ?? '' }
      const first = await write(owner, agent_id, { name: 'First' }, headers)
      expect([first.status, first.etag?.startsWith('"2.')]).toEqual([200, true])
      const second = await write(owner, agent_id, { name: 'Second' }, headers)
      expect(outcome(second)).toEqual([409, 'version_conflict'])
      expect((await read(api, owner, agent_id)).data.name).toBe('First')
    })

    it('agents of the caller, those shared to edit, and of an ADMIN all', async () => {
      const msp = await agentsOfPeople()
      const by = async (caller: Caller) =>
        Promise.all([1, 2, 3, 4, 99].map(async (id) => (await write(caller, id, { name: 'x' })).status))
      expect(await by(msp.user)).toEqual([200, 200, 403, 404, 404])
      expect(await by(msp.admin)).toEqual([200, 200, 200, 200, 404])
      expect(await by(msp.viewer)).toEqual([403, 403, 403, 403, 403])
    })

    it('an agent in any state but ARCHIVED, which it keeps', async () => {
      const msp = await world()
      const states = ['DRAFT', 'ACTIVE', 'PAUSED', 'ARCHIVED'] as const
      await addAgents(
        msp,
        states.map((state, index) => ({ id: index + 1, state, agent_settings: {} })),
      )
      const answers = await Promise.all(
        states.map((_, index) => write(msp.key, index + 1, { description: 'y' })),
      )
      expect(answers.map(({ status, data, error }) => [status, data?.state ?? error?.code])).toEqual([
        [200, 'DRAFT'] as const,
        [200, 'ACTIVE'] as const,
        [200, 'PAUSED'] as const,
        [409, 'agent_not_active'],
      ])
    })

    it('nothing if fields are not the agent’s: they are named', async () => {
      const { owner, agent_id } = await created(CONVERSATIONAL)
      const { etag } = await read(api, owner, agent_id)
      const { warnings } = await write(owner, agent_id, {
        actions: [],
        toolbox: { tools: ['memory.search', 'run.wait'] },
      })
      expect(warnings).toEqual(['ignored_field: actions', 'tool_runtime_only: run.wait'])
      if (api.name === 'rest') {
        const { warnings: others } = await write(owner, agent_id, {
          state: 'ACTIVE',
          colour: 1,
          toolbox: { colour: 1, tools: ['memory.search'] },
        })
        expect(others).toEqual([
          'ignored_field: state',
          'ignored_field: colour',
          'ignored_field: toolbox.colour',
        ])
      }
      expect((await read(api, owner, agent_id)).etag).toBe(etag)
    })
  })
})

describe.runIf(process.env.DATABASE_URL).each(apis)('twenty at once through $name:', (api) => {
  const TIMES = Array.from({ length: 20 }, (_, index) => index)

  it('edits of different settings are all kept, each as a revision', async () => {
    const msp = await created()
    const edit = (index: number) =>
      index % 2 ? { max_minutes: 100 + index } : { custom_instructions: `Instruction ${index}` }
    const answers = await Promise.all(
      TIMES.map((index) =>
        api.call(msp.owner, 'update_agent', {
          agent_id: msp.agent_id,
          input: { agent_settings_edits: edit(index) },
        }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(TIMES.map(() => 200))
    const { data } = await read(api, msp.owner, msp.agent_id)
    expect(data.revision).toBe(21)
    expect(data.agent_settings.custom_instructions).toMatch(/^Instruction \d+$/)
    expect(data.agent_settings.max_minutes).toBeGreaterThan(100)
    expect(data.agent_settings).toMatchObject(data.agent_settings_edits)
    expect(await revisionsOf(msp, msp.agent_id)).toHaveLength(21)
  })

  it('one change with the tag that all have read is made', async () => {
    const msp = await created()
    const { etag } = await read(api, msp.owner, msp.agent_id)
    const answers = await Promise.all(
      TIMES.map((index) =>
        api.call(
          msp.owner,
          'replace_agent',
          { agent_id: msp.agent_id, input: { name: `Name ${index}` } },
          { 'if-match': etag ?? '' },
        ),
      ),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ error }) => error?.code === 'version_conflict')).toHaveLength(19)
    expect((await read(api, msp.owner, msp.agent_id)).data.revision).toBe(2)
  })

  it('creates with one Idempotency-Key make one agent', async () => {
    const msp = await world()
    const headers = { 'idempotency-key': `race-${api.name}` }
    const answers = await Promise.all(
      TIMES.map(() => api.call(msp.owner, 'create_agent', { input: CONVERSATIONAL }, headers)),
    )
    // 409 if the first is not done yet; afterwards its answer again.
    for (const { status } of answers) expect([200, 409]).toContain(status)
    expect(answers.map(({ status }) => status)).toContain(200)
    expect(await msp.database.prisma.agent.count({ where: { tenant_id: msp.tenant_id } })).toBe(1)
  })
})
