import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { agentProblem, type Binding, firstStatus, transportProblems } from '../../src/areas/channels/rules.ts'

const TRANSPORTS = ['SLACK', 'MICROSOFT_TEAMS', 'WHITE_LABEL_TEAMS_APP', 'WEB_CHAT'] as const

const binding = (changes: Partial<Binding> = {}): Binding => ({
  transport: 'SLACK',
  audience: 'TECHNICIANS',
  workspace_id: null,
  workspace_name: null,
  tickets_tab_enabled: false,
  install_url: null,
  ...changes,
})

const fieldsOf = (changes: Partial<Binding>) =>
  transportProblems(binding(changes)).map(({ field, location, code }) => [field, location, code].join(' '))

describe('what a channel has', () => {
  const app = { transport: 'WHITE_LABEL_TEAMS_APP', audience: 'END_USERS' } as const
  const web = { transport: 'WEB_CHAT' } as const

  it.each<[Partial<Binding>, string[]]>([
    [{}, []],
    [{ workspace_id: 'T1', workspace_name: 'Ours' }, []],
    [{ transport: 'MICROSOFT_TEAMS', workspace_id: 'T1' }, []],
    [{ workspace_name: 'Ours' }, ['workspace_name']],
    [{ ...app, workspace_id: 'T1' }, ['workspace_id']],
    [{ ...web, workspace_id: 'T1', workspace_name: 'Ours' }, ['workspace_id']],
    [{ ...app, tickets_tab_enabled: true }, []],
    [{ ...app, audience: 'TECHNICIANS' }, ['audience']],
    [{ tickets_tab_enabled: true }, ['tickets_tab_enabled']],
    [{ install_url: 'https://msp.example' }, []],
    [{ ...web, install_url: 'https://msp.example' }, ['install_url']],
  ])('%j has the problems %j', (changes, fields) => {
    expect(fieldsOf(changes)).toEqual(fields.map((field) => `${field} body transport`))
  })

  test('is possible without a workspace, a tab and an address, for end users, on every transport', () => {
    for (const transport of TRANSPORTS) expect(fieldsOf({ transport, audience: 'END_USERS' })).toEqual([])
  })

  test('has a workspace on two transports alone, and a tab on another one alone', () => {
    const text = fc.option(fc.string({ minLength: 1 }))
    const any = fc.record<Binding>({
      transport: fc.constantFrom(...TRANSPORTS),
      audience: fc.constantFrom('TECHNICIANS', 'END_USERS'),
      workspace_id: text,
      workspace_name: text,
      install_url: text,
      tickets_tab_enabled: fc.boolean(),
    })
    fc.assert(
      fc.property(any, (channel) => {
        const accepted = transportProblems(channel).length === 0
        const { transport, workspace_id, tickets_tab_enabled } = channel
        if (accepted && workspace_id !== null) expect(['SLACK', 'MICROSOFT_TEAMS']).toContain(transport)
        if (accepted && tickets_tab_enabled) expect(transport).toBe('WHITE_LABEL_TEAMS_APP')
      }),
    )
  })
})

test.each(TRANSPORTS)('a new channel of %s waits to be installed, unless nothing is', (transport) => {
  expect(firstStatus(transport)).toBe(transport === 'WEB_CHAT' ? 'ACTIVE' : 'PENDING_INSTALL')
})

test.each([
  ['CONVERSATIONAL', 'ACTIVE', null],
  ['CONVERSATIONAL', 'DRAFT', 'agent_not_active'],
  ['CONVERSATIONAL', 'PAUSED', 'agent_not_active'],
  ['CONVERSATIONAL', 'ARCHIVED', 'agent_not_active'],
  ['AGENTIC', 'ACTIVE', 'agent_not_conversational'],
  ['CHAINED_ACTIONS', 'ARCHIVED', 'agent_not_conversational'],
])('an agent that is %s and %s is refused with %s', (autonomy_type, state, code) => {
  expect(agentProblem({ autonomy_type, state })).toBe(code)
})
