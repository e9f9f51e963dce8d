/** Every code of the rules, produced by a body: the table says where it can be. */
import { expect, it } from 'vitest'
import { connect, VALID } from '../../setup/agent-bodies.ts'
import { addAgents } from '../../setup/agents.ts'
import { describeApi } from '../../setup/api.ts'
import { type Msp, world } from '../../setup/world.ts'
import { technicians } from '../tenant/technicians.ts'

/** Above the ids that creates take. */
const AGENT = 900_000

interface Case {
  on: 'CREATE' | 'UPDATE'
  field: string
  body: object
  /** GraphQL’s own types refuse it before. */
  rest_only?: true
}

const { AGENTIC, CHAINED_ACTIONS } = VALID
const CHAT = { autonomy_type: 'CONVERSATIONAL', trigger_type: 'CHAT', entity_type: 'NONE' }

const create = (field: string, body: object, more: Partial<Case> = {}): Case => ({
  on: 'CREATE',
  field,
  body: { ...AGENTIC, ...body },
  ...more,
})
const update = (field: string, body: object, more: Partial<Case> = {}): Case => ({
  on: 'UPDATE',
  field,
  body,
  ...more,
})
const REST = { rest_only: true } as const
const rule = (field: string, operator: string, value?: unknown) => ({
  ticket_conditions: { rules: [{ field, operator, value }] },
})
const grant = (entry: object) => ({ integrations: { grants: [{ system: 'HUDU', ...entry }] } })
const NUL = [{ type: 'ticket.close', params: { resolution: 'a\0b' } }]

const ERRORS: Record<string, Case[]> = {
  type_invalid: [
    create('ticket_conditions.rules.0.value', rule('age_hours', 'equals', 'x')),
    update('toolbox', { toolbox: [] }, REST),
    update('name', { name: null }),
  ],
  value_not_allowed: [
    create('agent_settings.supervision_mode', { agent_settings: { supervision_mode: 'X' } }, REST),
  ],
  out_of_range: [
    create('agent_settings.max_tool_calls', { agent_settings: { max_tool_calls: 501 } }),
    update('agent_settings_edits.max_minutes', { agent_settings_edits: { max_minutes: 0 } }),
    update('callback_settings.debounce_seconds', { callback_settings: { debounce_seconds: 3601 } }),
  ],
  too_long: [
    create('description', { description: 'x'.repeat(1025) }),
    update('toolbox.tools', { toolbox: { tools: Array(201).fill('web.search') } }),
  ],
  field_required: [
    create('trigger_type', { trigger_type: undefined }),
    create('integrations.grants.0.system', grant({ system: undefined })),
    update('schedule.cron', { schedule: {} }),
    update('ticket_conditions.rules.0.value', rule('board', 'equals')),
  ],
  text_not_storable: [
    create('name', { name: 'a\0b' }),
    create('agent_settings.custom_instructions', { agent_settings: { custom_instructions: '\ud800' } }),
    create('actions.0.params.resolution', { actions: NUL }),
    update('actions.0.params.resolution', { actions: NUL }),
  ],
  name_required: [
    create('name', { name: undefined }),
    create('name', { name: '' }),
    update('name', { name: '  ' }),
  ],
  name_too_long: [create('name', { name: 'x'.repeat(121) }), update('name', { name: '😀'.repeat(121) })],
  autonomy_type_required: [create('autonomy_type', { autonomy_type: undefined })],
  autonomy_type_fixed: [update('autonomy_type', { autonomy_type: 'CONVERSATIONAL' })],
  combination_not_allowed: [
    create('trigger_type', { trigger_type: 'CHAT' }),
    create('entity_type', { entity_type: 'NONE' }),
    update('entity_type', { entity_type: 'NONE' }),
  ],
  agent_settings_required: [
    create('agent_settings', { agent_settings: undefined }),
    update('agent_settings', { agent_settings: null }),
  ],
  supervisors_required: [
    create('agent_settings.supervisor_technician_ids', { agent_settings: { supervised: true } }),
    update('agent_settings.supervisor_technician_ids', { agent_settings_edits: { supervised: true } }),
  ],
  supervisor_unknown: [
    create('agent_settings.supervisor_technician_ids.0', {
      agent_settings: { supervisor_technician_ids: [2_000_000_000] },
    }),
    update('agent_settings_edits.supervisor_technician_ids.0', {
      agent_settings_edits: { supervisor_technician_ids: [2_000_000_000] },
    }),
  ],
  tool_unknown: [create('toolbox.tools.1', { toolbox: { tools: ['web.search', 'no.such_tool'] } })],
  integration_unknown: [create('integrations.grants.0.system', grant({ system: 'HUD' }), REST)],
  permission_group_unknown: [
    create('integrations.grants.0.permission_groups.0', grant({ permission_groups: ['X'] }), REST),
  ],
  actions_required: [
    create('actions', { ...CHAINED_ACTIONS, agent_settings: {}, actions: [] }),
    create('actions', { ...CHAINED_ACTIONS, agent_settings: {}, actions: undefined }),
  ],
  action_params_invalid: [
    create('actions.0.params.ticket_id', { actions: [{ type: 'ticket.read', params: { ticket_id: 7 } }] }),
    update('actions.1.params.visibility', {
      actions: [
        { type: 'ticket.read' },
        { type: 'ticket.add_note', params: { text: 'x', visibility: 'ALL' } },
      ],
    }),
  ],
  action_type_unknown: [create('actions.0.type', { actions: [{ type: 'run.finish' }] })],
  schedule_required: [
    create('schedule', { trigger_type: 'SCHEDULED', schedule: undefined }),
    update('schedule', { trigger_type: 'SCHEDULED' }),
  ],
  cron_invalid: [create('schedule.cron', { schedule: { cron: '61 * * * *' } })],
  timezone_invalid: [
    update('schedule.timezone', { schedule: { cron: '0 0 * * *', timezone: 'Europe/Londn' } }),
  ],
  schedule_window_invalid: [
    create('schedule.end_at', {
      schedule: { cron: '0 0 * * *', start_at: '2026-12-02T00:00:00Z', end_at: '2026-12-01T00:00:00Z' },
    }),
  ],
  change_type_unknown: [
    create('callback_settings.change_types.0', { callback_settings: { change_types: ['X'] } }, REST),
  ],
  condition_field_unknown: [create('ticket_conditions.rules.0.field', rule('minutes', 'equals', 1))],
  condition_operator_invalid: [
    create('ticket_conditions.rules.0.operator', rule('board', 'greater_than', 1)),
    create('ticket_conditions.rules.0.operator', rule('is_vip', 'contains', true)),
  ],
  config_object_nested: [
    create('toolbox.schedule', { toolbox: { tools: [], schedule: null } }, REST),
    create('actions.0.toolbox', { actions: [{ type: 'ticket.read', toolbox: {} }] }, REST),
    create('actions.0.toolbox', { ...CHAT, actions: [{ toolbox: {} }] }, REST),
    create('agent_settings_edits.actions', { agent_settings_edits: { actions: [] } }, REST),
    update('agent_settings_edits.toolbox', { agent_settings_edits: { toolbox: {} } }, REST),
  ],
}

const WARNINGS: Record<string, Case[]> = {
  ignored_field: [
    create('actions.0.params.colour', { actions: [{ type: 'ticket.read', params: { colour: 'red' } }] }),
    create('actions', { ...CHAT, actions: [] }),
  ],
  agent_settings_edits_on_create: [
    create('agent_settings_edits', { agent_settings_edits: { max_minutes: 5 } }, REST),
  ],
  tool_runtime_only: [update('run.finish', { toolbox: { tools: ['run.finish'] } })],
  tool_not_requestable: [update('technician.ask', { toolbox: { tools: ['technician.ask'] } })],
  tool_granted_by_group: [create('ticket.read TICKETS', { toolbox: { tools: ['ticket.read'] } })],
  action_param_missing: [
    create('actions.0.params.resolution', { actions: [{ type: 'ticket.close', params: {} }] }),
  ],
  integration_not_connected: [create('OKTA', grant({ system: 'OKTA' }))],
}

const flat = (table: Record<string, Case[]>) =>
  Object.entries(table).flatMap(([code, cases]) =>
    cases.map((one) => [code, one.on, one.field, one] as const),
  )

async function msp(): Promise<Msp> {
  const made = await world()
  await technicians(made, 1)
  await connect(made, 'halo-psa')
  await addAgents(made, [{ id: AGENT, agent_settings: { custom_instructions: 'x' } }])
  return made
}

describeApi('agent writes', (api) => {
  const write = (owner: Msp['owner'], { on, body }: Case, name?: string) =>
    on === 'CREATE'
      ? api.call(owner, name ?? 'create_agent', { input: body })
      : api.call(owner, name ?? 'update_agent', { agent_id: AGENT, input: body })
  const possible = (cases: ReturnType<typeof flat>) =>
    cases.filter(([, , , one]) => api.name === 'rest' || !one.rest_only)

  it('have a case of every code that the schema of agents lists', async () => {
    const { owner } = await world()
    const { data } = await api.call(owner, 'agent_schema')
    const listed = (severity: string) =>
      new Set(
        data.rules.flatMap((one: Record<string, string>) => (one.severity === severity ? [one.code] : [])),
      )
    // Bodies that are no JSON, and those of a megabyte, have tests of their own.
    const elsewhere = ['json_unreadable', 'configuration_too_large']
    expect(listed('ERROR')).toEqual(new Set([...Object.keys(ERRORS), ...elsewhere]))
    expect(listed('WARNING')).toEqual(new Set(Object.keys(WARNINGS)))
  })

  it.each(possible(flat(ERRORS)))('are refused with %s: %s, %s', async (code, _on, field, one) => {
    const { owner, database, tenant_id } = await msp()
    const rows = () => database.prisma.agent.findMany({ where: { tenant_id } })
    const before = await rows()
    const { status, error } = await write(owner, one)
    expect([status, error?.code]).toEqual([400, 'validation_error'])
    const problems = error?.details.field_errors ?? []
    expect(problems).toContainEqual(
      expect.objectContaining({ field, code, location: 'body', message: expect.stringMatching(/./) }),
    )
    expect(problems.map((problem) => problem.code)).toEqual(problems.map(() => code))
    expect(error?.message).toContain(field)
    expect(await rows()).toEqual(before)
    const judged = await write(owner, one, 'validate_agent')
    expect(judged.data).toMatchObject({ valid: false, would_write: null })
    expect(judged.data.field_errors[0]).toMatchObject({ field, code, depth: problems[0]?.depth ?? null })
  })

  it.each(possible(flat(WARNINGS)))('warn of %s: %s, %s', async (code, _on, detail, one) => {
    const { owner } = await msp()
    const { status, warnings } = await write(owner, one)
    expect([status, warnings]).toEqual([200, expect.arrayContaining([`${code}: ${detail}`])])
  })

  it('say all that is wrong at once', async () => {
    const { owner } = await msp()
    const body = {
      ...AGENTIC,
      name: '',
      entity_type: 'NONE',
      toolbox: { tools: ['x'] },
      schedule: { cron: '' },
    }
    const supervised = { supervised: true, supervisor_technician_ids: [2_000_000_000], max_minutes: 0 }
    const { error } = await api.call(owner, 'create_agent', {
      input: { ...body, agent_settings: supervised },
    })
    const codes = error?.details.field_errors?.map(({ code }) => code).toSorted()
    expect(codes).toEqual([
      'combination_not_allowed',
      'cron_invalid',
      'name_required',
      'out_of_range',
      'supervisor_unknown',
      'tool_unknown',
    ])
  })
})
