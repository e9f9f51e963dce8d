import { expect, it } from 'vitest'
import { PUBLISHED_RULES } from '../../../src/areas/agents/index.ts'
import { connect, VALID } from '../../setup/agent-bodies.ts'
import { addAgents } from '../../setup/agents.ts'
import { type Api, describeApi, outcome } from '../../setup/api.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { json, request } from '../../setup/http.ts'
import { countStatements } from '../../setup/statements.ts'
import { type Caller, type Msp, world } from '../../setup/world.ts'
import { technicians } from '../tenant/technicians.ts'
import { revisionsOf } from './people.ts'

const { AGENTIC, CHAINED_ACTIONS, CONVERSATIONAL } = VALID

const read = async (api: Api, caller: Caller, agent_id: number) =>
  (await api.call(caller, 'agent', { agent_id })).data

async function msp(): Promise<Msp> {
  const made = await world()
  await connect(made, 'halo-psa')
  return made
}

const withSupervisor = async (made: Msp) => {
  const [id] = await technicians(made, 1)
  const agent_settings = { ...CHAINED_ACTIONS.agent_settings, supervisor_technician_ids: [id] }
  return { ...CHAINED_ACTIONS, agent_settings }
}

describeApi('a new agent', (api) => {
  const create = (caller: Caller, input: object, headers = {}) =>
    api.call(caller, 'create_agent', { input }, headers)

  it.each(['AGENTIC', 'CHAINED_ACTIONS', 'CONVERSATIONAL'] as const)(
    'of the kind %s is stored as it was sent, as a DRAFT of its creator',
    async (kind) => {
      const made = await msp()
      const body = kind === 'CHAINED_ACTIONS' ? await withSupervisor(made) : VALID[kind]
      const { status, data, warnings, headers } = await create(made.user, body)
      expect([status, warnings]).toEqual([200, []])
      expect(data).toMatchObject({ id: expect.any(Number), name: body.name, state: 'DRAFT' })
      if (api.name === 'rest') {
        expect(Object.keys(data)).toEqual(['id', 'name', 'state', 'created_at', 'updated_at'])
        expect(headers.get('location')).toBe(`/public-api/agents/${data.id}`)
      }
      const none = Object.fromEntries(
        Object.keys(AGENTIC).flatMap((name) => (name in body ? [] : [[name, null]])),
      )
      const chat = kind === 'CONVERSATIONAL' && { trigger_type: 'CHAT', entity_type: 'NONE' }
      const agent = await read(api, made.user, data.id)
      expect(agent).toMatchObject({
        ...none,
        ...body,
        ...chat,
        agent_settings_edits: null,
        supervised: kind === 'CHAINED_ACTIONS',
        supervisor_technician_ids: body.agent_settings.supervisor_technician_ids,
        created_by_user_id: made.user.id,
        revision: 1,
        last_run_at: null,
      })
    },
  )

  it('that is activated at once is ACTIVE', async () => {
    const made = await msp()
    const { data } = await create(made.key, { ...CONVERSATIONAL, activate: true })
    expect(data.state).toBe('ACTIVE')
    expect(await read(api, made.key, data.id)).toMatchObject({ state: 'ACTIVE', created_by_user_id: null })
  })

  it('that says little has the defaults', async () => {
    const made = await msp()
    const { data } = await create(made.owner, {
      name: '  Least  ',
      autonomy_type: 'AGENTIC',
      trigger_type: 'ON_DEMAND',
      entity_type: 'NONE',
      agent_settings: {},
      integrations: { grants: [{ system: 'HALO_PSA' }] },
      schedule: { cron: '0 7 * * 1' },
    })
    expect(await read(api, made.owner, data.id)).toMatchObject({
      name: 'Least',
      description: null,
      agent_settings: {
        max_tool_calls: 100,
        max_minutes: 60,
        supervised: false,
        supervision_mode: 'ENFORCED',
      },
      integrations: { grants: [{ system: 'HALO_PSA', permission_groups: [], access: 'READ' }] },
      schedule: { cron: '0 7 * * 1', timezone: 'UTC', start_at: null, end_at: null },
      toolbox: null,
    })
  })

  it('keeps of its tools those that can be requested', async () => {
    const made = await msp()
    const { status, data, warnings } = await create(made.owner, {
      ...AGENTIC,
      toolbox: { tools: ['run.finish', 'web.search', 'technician.ask', 'ticket.read'] },
    })
    expect([status, warnings.map((warning) => warning.split(':')[0]).sort()]).toEqual([
      200,
      ['tool_granted_by_group', 'tool_not_requestable', 'tool_runtime_only'],
    ])
    const { toolbox } = await read(api, made.owner, data.id)
    expect(toolbox.tools).toEqual(['web.search'])
  })

  it('leaves one activity and its first revision', async () => {
    const made = await msp()
    const { data } = await create(made.admin, AGENTIC)
    const [activity, ...others] = await activitiesOf(made)
    expect(others).toEqual([])
    expect(activity).toMatchObject({
      action: 'agent.created',
      targets: [{ type: 'agent', id: String(data.id), name: 'Triage' }],
      after: { name: 'Triage', state: 'DRAFT' },
    })
    expect(await revisionsOf(made, data.id)).toMatchObject([
      { revision: 1, snapshot: { toolbox: AGENTIC.toolbox } },
    ])
  })

  it('is made once for an Idempotency-Key, and another body with the key is refused', async () => {
    const made = await msp()
    const headers = { 'idempotency-key': `create-${api.name}` }
    const first = await create(made.owner, AGENTIC, headers)
    const second = await create(made.owner, AGENTIC, headers)
    expect(second.data).toEqual(first.data)
    expect(second.headers.get('idempotency-replayed')).toBe('true')
    const other = await create(made.owner, { ...AGENTIC, name: 'Another' }, headers)
    expect(outcome(other)).toEqual([422, 'idempotency_key_reused'])
    expect(await made.database.prisma.agent.count({ where: { tenant_id: made.tenant_id } })).toBe(1)
  })

  it('is made by a USER, never by a VIEWER', async () => {
    const made = await msp()
    expect((await create(made.user, CONVERSATIONAL)).status).toBe(200)
    expect(outcome(await create(made.viewer, CONVERSATIONAL))).toEqual([403, 'forbidden'])
  })

  it('takes technicians and connections of its own tenant alone', async () => {
    const [made, other] = [await msp(), await world()]
    const [foreign] = await technicians(other, 1)
    await connect(other, 'okta')
    const refused = await create(made.owner, {
      ...AGENTIC,
      agent_settings: { supervisor_technician_ids: [foreign] },
    })
    expect(refused.error?.details.field_errors).toMatchObject([{ code: 'supervisor_unknown' }])
    const grants = [{ system: 'OKTA', permission_groups: ['IDENTITY'], access: 'READ' }]
    const { warnings } = await create(made.owner, { ...AGENTIC, integrations: { grants } })
    expect(warnings).toEqual(['integration_not_connected: OKTA'])
  })

  it('costs as many statements whatever is in it', async () => {
    const made = await msp()
    const [small, large] = [
      CONVERSATIONAL,
      { ...AGENTIC, actions: Array(100).fill({ type: 'ticket.read', params: { ticket_id: 'x' } }) },
    ]
    const count = (body: object) => countStatements(made.database, () => create(made.owner, body))
    await count(small)
    expect(await count(large)).toBe(await count(small))
  })
})

describeApi('a body to validate', (api) => {
  const validate = (caller: Caller, input: object, agent_id?: number) =>
    api.call(caller, 'validate_agent', { input, ...(agent_id && { agent_id }) })

  it('is answered with what would be stored, and nothing is', async () => {
    const made = await msp()
    const { status, data } = await validate(made.owner, AGENTIC)
    expect([status, data]).toMatchObject([
      200,
      {
        valid: true,
        field_errors: [],
        warnings: [],
        would_write: { ...AGENTIC, state: 'DRAFT', supervised: false },
      },
    ])
    expect(await made.database.prisma.agent.count({ where: { tenant_id: made.tenant_id } })).toBe(0)
    expect(await activitiesOf(made)).toEqual([])
  })

  it('of a change is answered with the fields that would change', async () => {
    const made = await msp()
    await addAgents(made, [{ id: 1, description: 'x', created_by_user_id: made.user.id }, { id: 2 }])
    const input = { name: 'New', description: 'x', toolbox: { tools: ['run.wait'] } }
    const { data } = await validate(made.user, input, 1)
    expect(data).toEqual({
      valid: true,
      field_errors: [],
      warnings: ['tool_runtime_only: run.wait'],
      would_write: { name: 'New', toolbox: { tools: [] } },
    })
    expect((await read(api, made.user, 1)).name).toBe('Agent 1')
    expect(outcome(await validate(made.user, input, 2))).toEqual([404, 'agent_not_found'])
    expect(outcome(await validate(made.user, input, 3))).toEqual([404, 'agent_not_found'])
  })

  it('of a change of an ARCHIVED agent is refused, as the change is', async () => {
    const made = await msp()
    await addAgents(made, [{ id: 1, state: 'ARCHIVED' }])
    const input = { name: 'New' }
    const judged = await validate(made.owner, input, 1)
    const changed = await api.call(made.owner, 'update_agent', { agent_id: 1, input })
    expect(outcome(changed)).toEqual([409, 'agent_not_active'])
    expect([outcome(judged), judged.error?.details]).toEqual([outcome(changed), changed.error?.details])
  })

  it('that is wrong says what a write would be refused with', async () => {
    const made = await msp()
    const { status, data } = await validate(made.owner, { ...AGENTIC, name: 'x'.repeat(121) })
    expect([status, data]).toEqual([
      200,
      {
        valid: false,
        field_errors: [
          { field: 'name', code: 'name_too_long', message: 'must be at most 120 characters', depth: null },
        ],
        warnings: [],
        would_write: null,
      },
    ])
  })
})

const RULE_CODES = new Set(PUBLISHED_RULES.rules.map(({ code }) => code))

it.each([
  ['{', 400, 'bad_request'],
  ['[]', 400, 'bad_request'],
  ['{"name": "\u00e9', 400, 'bad_request'],
  [`{"a":${'['.repeat(40)}${']'.repeat(40)}}`, 400, 'bad_request'],
  ['', 400, 'validation_error'],
  [`{"name": "${'x'.repeat(1_500_000)}"}`, 400, 'validation_error'],
  [`{"name": "${'x'.repeat(2_100_000)}"}`, 413, 'payload_too_large'],
  ['{"__proto__": {"name": "x"}, "constructor": 1, "toolbox": {"__proto__": 2}}', 400, 'validation_error'],
  [`{"actions": [${'{"type":1},'.repeat(5000)}{}]}`, 400, 'validation_error'],
])('what is no agent is refused with codes of rules, body %#', async (body, status, code) => {
  const { owner } = await world()
  const headers = { 'content-type': 'application/json' }
  const response = await request('/public-api/agents', { method: 'POST', headers, body }, owner)
  const answer = await response.json()
  expect([response.status, answer.error.code]).toEqual([status, code])
  const codes = (answer.error.details.field_errors ?? []).map((problem: { code: string }) => problem.code)
  expect(codes.length).toBeLessThanOrEqual(200)
  if (status !== 400) return
  expect(codes).not.toEqual([])
  expect(codes.filter((each: string) => !RULE_CODES.has(each))).toEqual([])
})

it('a create by GraphQL may take its config objects from variables and literals', async () => {
  const made = await msp()
  const query = `mutation ($tools: [String!]) {
    create_agent(input: {
      name: "Mixed", autonomy_type: CONVERSATIONAL, agent_settings: { supervision_mode: SHADOW }, toolbox: { tools: $tools }
    }) { name state toolbox agent_settings revision }
  }`
  const variables = { tools: ['web.search'] }
  const { data } = await (await request('/graphql', json({ query, variables }), made.owner)).json()
  expect(data.create_agent).toMatchObject({
    name: 'Mixed',
    toolbox: { tools: ['web.search'] },
    agent_settings: { supervision_mode: 'SHADOW', max_minutes: 60 },
    revision: 1,
  })
})
