import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { VALIDATOR } from '../../src/areas/agents/configuration/published-rules.ts'
import { FACTS, VALID } from '../setup/agent-bodies.ts'

type Fields = Record<string, unknown>
type Agent = Fields & { autonomy_type: keyof typeof VALID }

const stored = (kind: keyof typeof VALID): Agent => {
  const { problems, fields } = VALIDATOR.draft(VALID[kind], FACTS)
  expect(problems).toEqual([])
  return JSON.parse(JSON.stringify({ id: 7, revision: 1, state: 'DRAFT', ...fields }))
}

const change = (agent: Agent, body: Fields) => {
  const { problems, fields, warnings } = VALIDATOR.patch(agent, JSON.parse(JSON.stringify(body)), FACTS)
  return { problems, warnings, fields, agent: JSON.parse(JSON.stringify({ ...agent, ...fields })) as Agent }
}

const settings = fc.record(
  {
    custom_instructions: fc.constantFrom('', 'Be brief.', 'Be kind.'),
    max_tool_calls: fc.integer({ min: 1, max: 500 }),
    max_minutes: fc.integer({ min: 1, max: 240 }),
    approval_minutes: fc.integer({ min: 5, max: 20_160 }),
    confidence_threshold: fc.double({ min: 0, max: 1, noNaN: true }),
    supervision_mode: fc.constantFrom('ENFORCED', 'SHADOW'),
    supervised: fc.boolean(),
    supervisor_technician_ids: fc.subarray([1, 2], { minLength: 1 }),
  },
  { requiredKeys: ['supervisor_technician_ids'] },
)
const edits = fc.record(
  {
    custom_instructions: fc.constantFrom('', 'Be brief.', 'Be exact.'),
    max_minutes: fc.integer({ min: 1, max: 240 }),
    approval_minutes: fc.integer({ min: 5, max: 20_160 }),
    supervision_mode: fc.constantFrom('ENFORCED', 'SHADOW'),
  },
  { requiredKeys: [] },
)
const patches = fc.record(
  {
    name: fc.constantFrom('A', ' B ', 'Č'),
    description: fc.option(fc.constantFrom('x', 'y')),
    agent_settings: settings,
    agent_settings_edits: fc.option(edits),
    toolbox: fc.option(
      fc.record({ tools: fc.subarray(['contact.read', 'ticket.read', 'run.finish', 'web.search']) }),
    ),
    schedule: fc.constantFrom(
      null,
      { cron: '5 4 * * *', start_at: '2026-12-01' },
      { cron: '0 0 1 1 0', timezone: 'Asia/Tokyo' },
    ),
    callback_settings: fc.constantFrom({}, { change_types: ['TICKET_CLOSED'] }),
  },
  { requiredKeys: [] },
)

describe('an agent that was read and is sent back', () => {
  it('stays as it is, whatever has been changed before', () => {
    fc.assert(
      fc.property(fc.array(patches, { maxLength: 4 }), (bodies) => {
        let agent = stored('AGENTIC')
        for (const body of bodies) {
          const result = change(agent, body)
          expect(result.problems).toEqual([])
          agent = result.agent
        }
        const again = change(agent, agent)
        expect(again.problems).toEqual([])
        expect(again.fields).toEqual({})
      }),
    )
  })

  it('stays as it is if it is stored in a form that a new one could not have', () => {
    const old = {
      ...stored('AGENTIC'),
      toolbox: { tools: ['gone.tool'] },
      agent_settings: null,
      schedule: { cron: 'x' },
    }
    expect(change(old, old)).toMatchObject({ problems: [], fields: {} })
    expect(change(old, { ...old, name: 'New' })).toMatchObject({ problems: [], fields: { name: 'New' } })
  })

  it('is told of the fields that no body has', () => {
    const agent = stored('CONVERSATIONAL')
    expect(change(agent, agent).warnings.toSorted()).toEqual(
      ['id', 'revision', 'state', 'supervised', 'supervisor_technician_ids'].map(
        (name) => `ignored_field: ${name}`,
      ),
    )
  })
})

describe('settings', () => {
  it('are replaced first, and then have every edit; the edits that are remembered always hold', () => {
    fc.assert(
      fc.property(fc.array(patches, { minLength: 1, maxLength: 5 }), (bodies) => {
        let agent = stored('AGENTIC')
        for (const body of bodies) {
          agent = change(agent, body).agent
          expect(agent.agent_settings).toMatchObject({
            ...(body.agent_settings && !body.agent_settings_edits ? body.agent_settings : {}),
            ...body.agent_settings_edits,
          })
          const { agent_settings, agent_settings_edits, supervised, supervisor_technician_ids } = agent
          expect(agent_settings).toMatchObject({ ...(agent_settings_edits as object | null) })
          expect(agent_settings).toMatchObject({ supervised, supervisor_technician_ids })
        }
      }),
    )
  })

  it('that are replaced have their defaults if nothing is said', () => {
    const { fields } = change(stored('AGENTIC'), { agent_settings: { max_minutes: 5 } })
    expect(fields.agent_settings).toEqual({
      custom_instructions: '',
      supervised: false,
      supervisor_technician_ids: [],
      max_tool_calls: 100,
      max_minutes: 5,
      approval_minutes: 4320,
      confidence_threshold: 0.7,
      estimated_minutes_saved: 0,
      supervision_mode: 'ENFORCED',
    })
  })

  it('that are edited keep everything else', () => {
    const agent = stored('AGENTIC')
    const { fields } = change(agent, { agent_settings_edits: { max_minutes: 5 } })
    expect(fields).toEqual({
      agent_settings: { ...(agent.agent_settings as object), max_minutes: 5 },
      agent_settings_edits: { max_minutes: 5 },
      supervised: false,
      supervisor_technician_ids: [],
    })
    expect(change({ ...agent, ...fields }, { agent_settings_edits: {} }).fields.agent_settings_edits).toEqual(
      { max_minutes: 5 },
    )
  })

  it('are never cleared, and are supervised only with supervisors', () => {
    const codes = (body: Fields) => change(stored('AGENTIC'), body).problems.map(({ code }) => code)
    expect(codes({ agent_settings: null })).toEqual(['agent_settings_required'])
    expect(codes({ agent_settings_edits: { supervised: true } })).toEqual(['supervisors_required'])
    expect(codes({ agent_settings: { supervised: true } })).toEqual(['supervisors_required'])
    expect(codes({ agent_settings_edits: { supervised: true, supervisor_technician_ids: [9] } })).toEqual([
      'supervisor_unknown',
    ])
    expect(
      codes({
        agent_settings: { supervised: true },
        agent_settings_edits: { supervisor_technician_ids: [1] },
      }),
    ).toEqual([])
  })
})

describe('a change', () => {
  it('is judged as the agent would be', () => {
    const codes = (kind: keyof typeof VALID, body: Fields) =>
      change(stored(kind), body).problems.map(({ field, code }) => `${field} ${code}`)
    expect(codes('CHAINED_ACTIONS', { schedule: null })).toEqual(['schedule schedule_required'])
    expect(codes('CHAINED_ACTIONS', { schedule: null, trigger_type: 'TRIGGERED' })).toEqual([])
    expect(codes('CHAINED_ACTIONS', { actions: [] })).toEqual(['actions actions_required'])
    expect(codes('CHAINED_ACTIONS', { trigger_type: 'ON_DEMAND' })).toEqual([])
    expect(codes('CHAINED_ACTIONS', { trigger_type: 'CHAT' })).toEqual([
      'trigger_type combination_not_allowed',
    ])
    expect(codes('AGENTIC', { entity_type: 'NONE' })).toEqual(['entity_type combination_not_allowed'])
    expect(codes('AGENTIC', { entity_type: 'NONE', trigger_type: 'SCHEDULED' })).toEqual([])
    expect(codes('AGENTIC', { autonomy_type: 'CONVERSATIONAL' })).toEqual([
      'autonomy_type autonomy_type_fixed',
    ])
    expect(codes('CONVERSATIONAL', { trigger_type: 'TRIGGERED' })).toEqual([
      'trigger_type combination_not_allowed',
    ])
  })

  it('that its kind does not take is ignored with a warning, null without one', () => {
    const { fields, warnings } = change(stored('CONVERSATIONAL'), {
      actions: [{ type: 'ticket.read' }],
      schedule: null,
    })
    expect([fields, warnings]).toEqual([{}, ['ignored_field: actions']])
    expect(change(stored('CHAINED_ACTIONS'), { toolbox: { tools: [] } }).warnings).toEqual([
      'ignored_field: toolbox',
    ])
  })
})

describe('a toolbox', () => {
  it('gets the tools that can be requested, each once; the others are named', () => {
    const tools = ['web.search', 'run.finish', 'ticket.close', 'technician.ask', 'web.search', 'memory.save']
    const { fields, warnings, problems } = change(stored('AGENTIC'), { toolbox: { tools } })
    expect([problems, fields]).toEqual([[], { toolbox: { tools: ['web.search', 'memory.save'] } }])
    expect(warnings).toEqual([
      'tool_runtime_only: run.finish',
      'tool_granted_by_group: ticket.close TICKETS',
      'tool_not_requestable: technician.ask',
    ])
  })
})

describe('a schedule', () => {
  const problem = (schedule: Fields) =>
    change(stored('AGENTIC'), { schedule }).problems.map(({ field, code }) => `${field} ${code}`)

  it.each([
    '* * * * *',
    '0 7 * * 1',
    '*/15 8-18 * * MON-FRI',
    '0 7 * * THU',
    '0 0 1,15 JAN *',
    ' 5  4 * * 0 ',
  ])('takes %s', (cron) => {
    expect(problem({ cron })).toEqual([])
  })

  it.each([
    '',
    'x',
    '* * * *',
    '* * * * * *',
    '60 * * * *',
    '0 24 * * *',
    '0 0 32 * *',
    '@daily',
    '0 0 30 2 *',
    'H 7 * * *',
    '0 H(8-17) * * THU',
    '\0',
  ])('refuses %j', (cron) => {
    expect(problem({ cron })).toContain('schedule.cron cron_invalid')
  })

  it.each([
    [{ timezone: 'Europe/Londn' }, 'schedule.timezone timezone_invalid'],
    [{ timezone: '+05:30' }, 'schedule.timezone timezone_invalid'],
    [{ start_at: '2026-02-30' }, 'schedule.start_at schedule_window_invalid'],
    [{ start_at: '2026-03-02', end_at: '2026-03-01T23:00:00-05:00' }, undefined],
    [{ start_at: '2026-03-02', end_at: '2026-03-02T00:00:00Z' }, 'schedule.end_at schedule_window_invalid'],
  ])('with %j: %s', (rest, expected) => {
    expect(problem({ cron: '0 7 * * 1', ...rest })).toEqual(expected ? [expected] : [])
  })

  it('is stored with its instants in UTC', () => {
    const { fields } = change(stored('AGENTIC'), {
      schedule: { cron: '0 7 * * 1', start_at: '2026-12-01T02:00:00+02:00' },
    })
    expect(fields.schedule).toEqual({
      cron: '0 7 * * 1',
      timezone: 'UTC',
      start_at: '2026-12-01T00:00:00.000Z',
      end_at: null,
    })
  })
})
