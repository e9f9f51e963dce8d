import { expect, it } from 'vitest'
import { afterLastCall, withGiven } from '../../src/areas/executions/engine/rules/chain.ts'
import { isGranted } from '../../src/areas/executions/engine/rules/granted.ts'
import { ceilingsOf, hoursSaved } from '../../src/areas/executions/engine/rules/settings.ts'
import { subEntitiesIn } from '../../src/areas/executions/engine/rules/sub-entities.ts'
import { toolNamed } from '../../src/tools/registry.ts'
import type { Tool } from '../../src/tools/tool.ts'

const call = (tool_name: string, status: string, error: string | null = null) => ({
  tool_name,
  status,
  error,
  error_code: error && 'ticket_not_found',
  failure_kind: error ? ('AGENT' as const) : null,
})
const NOTE = call('ticket.add_note', 'SUCCEEDED')
const READ = call('ticket.read', 'SUCCEEDED')

it.each([
  [[], 2, null],
  [[NOTE], 2, null],
  [[NOTE, READ], 2, { do: 'FINISH', resolution: 'FULL', message: 'All 2 actions were made.' }],
  [
    [NOTE, call('ticket.close', 'DENIED', 'Ada refused it.')],
    3,
    { do: 'FINISH', resolution: 'PARTIAL', message: 'Close ticket was refused. Ada refused it.' },
  ],
  [[READ, call('ticket.close', 'DENIED')], 2, { do: 'FINISH', resolution: 'NONE' }],
  [[call('ticket.close', 'DENIED')], 1, { do: 'FINISH', resolution: 'NONE' }],
  [
    [call('ticket.add_note', 'FAILED', 'There is no such ticket.')],
    2,
    {
      do: 'FAIL',
      failure_kind: 'AGENT',
      code: 'ticket_not_found',
      error: 'Add note: There is no such ticket.',
    },
  ],
  [[call('ticket.add_note', 'SKIPPED'), READ], 2, { do: 'FINISH', resolution: 'NONE' }],
  [[call('ticket.add_note', 'TIMED_OUT')], 2, { do: 'FAIL' }],
])('a chain with the calls %j of %i actions goes on with %j', (calls, count, expected) => {
  const end = afterLastCall(calls, count)
  if (expected === null) expect(end).toBeNull()
  else expect(end).toMatchObject(expected)
})

it('an action takes what its tool has and it leaves out, and keeps what it has', () => {
  const given = { ticket_id: '1', company_id: '2', contact_id: '3' }
  const note = { type: 'ticket.add_note', params: { text: 'Hello' } }
  expect(withGiven(note, given)).toEqual({ text: 'Hello', ticket_id: '1' })
  expect(withGiven({ ...note, params: { ticket_id: '9' } }, given)).toEqual({ ticket_id: '9' })
  expect(withGiven({ type: 'contact.read', params: {} }, given)).toEqual({ contact_id: '3' })
})

const agent = (given: object) => ({
  autonomy_type: 'AGENTIC',
  actions: [],
  toolbox: {},
  integrations: {},
  supervised: false,
  escalates: false,
  skills: [],
  ...given,
})
const granting = (access: string, system = 'HALO_PSA') => ({
  integrations: { grants: [{ system, permission_groups: ['TICKETS'], access }] },
})

it.each([
  ['ticket.add_note', {}, false],
  ['ticket.add_note', granting('WRITE'), true],
  ['ticket.add_note', granting('READ'), false],
  ['ticket.read', granting('READ'), true],
  ['device.list', granting('WRITE'), false],
  ['contact.read', {}, false],
  ['contact.read', { toolbox: { tools: ['contact.read'] } }, true],
  ['ticket.read', granting('READ', 'HUDU'), false],
  ['technician.ask', {}, false],
  ['run.wait', {}, false],
  ['skill.read', {}, false],
  ['skill.read', { skills: [{}] }, true],
  ['skill.read', { autonomy_type: 'CHAINED_ACTIONS', skills: [{}] }, false],
  ['technician.ask', { supervised: true }, true],
  ['technician.ask', { autonomy_type: 'CHAINED_ACTIONS' }, false],
  ['escalation.raise', { escalates: true }, true],
  ['escalation.raise', {}, false],
  ['escalation.raise', { autonomy_type: 'CHAINED_ACTIONS', escalates: true }, false],
  ['ticket.add_note', { autonomy_type: 'CHAINED_ACTIONS', ...granting('WRITE') }, false],
  ['ticket.add_note', { autonomy_type: 'CHAINED_ACTIONS', actions: [{ type: 'ticket.add_note' }] }, true],
])('the tool %s of an agent with %j is granted: %j', (name, given, expected) => {
  const tool = (toolNamed(name) ?? { name, grant: 'GROUP', permission_group: 'DEVICES' }) as Tool
  expect(isGranted(tool, agent(given))).toBe(expected)
})

it('settings have the ceilings that they name, and else the defaults of agents', () => {
  expect(ceilingsOf(null)).toEqual({ max_tool_calls: 100, max_minutes: 60, estimated_minutes_saved: 0 })
  expect(ceilingsOf({ max_minutes: 5 })).toMatchObject({ max_minutes: 5, max_tool_calls: 100 })
  expect([hoursSaved(30, 'FULL'), hoursSaved(30, 'PARTIAL'), hoursSaved(30, 'NONE')]).toEqual([0.5, 0.25, 0])
})

it('the notes and time entries in a result are found, whether it has one or many', () => {
  expect(subEntitiesIn({ note_id: 'n1' })).toEqual(['n1'])
  expect(subEntitiesIn({ notes: [{ note_id: 'n1' }, { note_id: 'n2' }, null] })).toEqual(['n1', 'n2'])
  expect(subEntitiesIn({ time_entries: [{ time_entry_id: 't1', minutes: 5 }] })).toEqual(['t1'])
  expect(subEntitiesIn({ ticket_id: '4711', note_id: 7 })).toEqual([])
})
