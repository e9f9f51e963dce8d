import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { kindOf, SYSTEMS } from '../../src/connectors/systems.ts'
import { type GrantingAgent, grantedTools, isGranted, reachOf } from '../../src/tools/grants.ts'
import { TOOLS, type ToolName, toolNamed } from '../../src/tools/registry.ts'
import { PERMISSION_GROUPS, type Tool } from '../../src/tools/tool.ts'

const BARE: GrantingAgent = {
  autonomy_type: 'AGENTIC',
  toolbox: null,
  integrations: null,
  actions: null,
  supervised: false,
  escalates: false,
}

const tool = (name: ToolName): Tool => toolNamed(name) as Tool
const granting = (system: string, access: string, ...permission_groups: string[]): GrantingAgent => ({
  ...BARE,
  integrations: { grants: [{ system, access, permission_groups }] },
})
const has = (agent: GrantingAgent, name: ToolName): boolean => isGranted(agent, tool(name))

describe('an agent has', () => {
  it.each([
    ['a read tool of a granted group', granting('HALO_PSA', 'READ', 'TICKETS'), 'ticket.read', true],
    [
      'no write tool of a group granted to read',
      granting('HALO_PSA', 'READ', 'TICKETS'),
      'ticket.close',
      false,
    ],
    [
      'a write tool of a group granted to write',
      granting('HALO_PSA', 'WRITE', 'TICKETS'),
      'ticket.close',
      true,
    ],
    [
      'a read tool of a group granted to write',
      granting('HALO_PSA', 'WRITE', 'TICKETS'),
      'ticket.read',
      true,
    ],
    ['no tool of another group', granting('HALO_PSA', 'WRITE', 'TICKETS'), 'time_entry.read', false],
    ['no tool of another kind of system', granting('NINJAONE', 'WRITE', 'TICKETS'), 'ticket.read', false],
    [
      'a tool of a system, if that is granted',
      granting('SHAREPOINT', 'READ', 'DOCUMENTATION'),
      'document.list_folder',
      true,
    ],
    [
      'no tool of a system, if another is granted',
      granting('HUDU', 'READ', 'DOCUMENTATION'),
      'document.list_folder',
      false,
    ],
    [
      'a tool of every system of its kind',
      granting('SHAREPOINT', 'READ', 'DOCUMENTATION'),
      'document.read',
      true,
    ],
    ['no tool of a system that is none', granting('CONSTRUCTOR', 'WRITE', 'TICKETS'), 'ticket.read', false],
    [
      'a tool that its toolbox names',
      { ...BARE, toolbox: { tools: ['contact.read'] } },
      'contact.read',
      true,
    ],
    [
      'no tool of a group that its toolbox names',
      { ...BARE, toolbox: { tools: ['ticket.read'] } },
      'ticket.read',
      false,
    ],
    ['the tool of an action', { ...BARE, actions: [{ type: 'message.send' }] }, 'message.send', true],
    [
      'no tool of a group by an action',
      { ...BARE, actions: [{ type: 'ticket.close' }] },
      'ticket.close',
      false,
    ],
    ['no tool that nothing names', BARE, 'contact.read', false],
    ['a question, if it is supervised', { ...BARE, supervised: true }, 'technician.ask', true],
    ['a plan, if it is supervised', { ...BARE, supervised: true }, 'run.propose_plan', true],
    ['no question otherwise', BARE, 'technician.ask', false],
    [
      'no question that its toolbox names',
      { ...BARE, toolbox: { tools: ['technician.ask'] } },
      'technician.ask',
      false,
    ],
    ['an escalation, if a policy acts', { ...BARE, escalates: true }, 'escalation.raise', true],
    ['no escalation otherwise', { ...BARE, supervised: true }, 'escalation.raise', false],
    [
      'no escalation that its toolbox names',
      { ...BARE, toolbox: { tools: ['escalation.raise'] } },
      'escalation.raise',
      false,
    ],
    ['no question by a policy', { ...BARE, escalates: true }, 'technician.ask', false],
    ['an end of the run', BARE, 'run.finish', true],
    ['no reply', BARE, 'conversation.reply', false],
    ['a reply, if it chats', { ...BARE, autonomy_type: 'CONVERSATIONAL' }, 'conversation.reply', true],
  ] as const)('%s', (_name, agent, name, granted) => {
    expect(has(agent, name)).toBe(granted)
  })
})

describe('the reach of an agent', () => {
  const work = { entity_type: 'TICKET', entity_id: '1', psa_company_id: 'co1' } as const
  const own = { psa_company_id: 'co1', entity: { type: 'TICKET', id: '1' }, contact_id: null }
  const grant = (system: string, access: string, ...permission_groups: string[]) => ({
    integrations: { grants: [{ system, access, permission_groups, cross_company: true }] },
  })

  it.each([
    ['its company, if a grant says nothing', granting('HALO_PSA', 'WRITE', 'TICKETS'), 'ticket.read', own],
    [
      'everything of a group that crosses companies',
      grant('HALO_PSA', 'READ', 'TICKETS'),
      'ticket.read',
      null,
    ],
    ['its company in another group', grant('HALO_PSA', 'READ', 'TIME_ENTRIES'), 'ticket.read', own],
    ['its company in another system', grant('HUDU', 'WRITE', 'DOCUMENTATION'), 'ticket.read', own],
    [
      'its company for a change, if READ is granted',
      grant('HALO_PSA', 'READ', 'TICKETS'),
      'ticket.close',
      own,
    ],
    ['everything of a tool of no group in the system', grant('HALO_PSA', 'READ'), 'contact.read', null],
    ['its company for a message, if READ is granted', grant('HALO_PSA', 'READ'), 'message.send', own],
    ['every memory by any grant', grant('HUDU', 'READ'), 'memory.search', null],
    ['its company for new memories, if READ is granted', grant('HUDU', 'READ'), 'memory.save', own],
    ['everything for new memories, if WRITE is granted', grant('HUDU', 'WRITE'), 'memory.save', null],
  ] as const)('is %s', (_name, agent, name, reach) => {
    expect(reachOf(agent, tool(name), work)).toEqual(reach)
  })

  it('is everything if it works on no ticket, and the ticket if that has no company', () => {
    const none = { entity_type: 'NONE', entity_id: null, psa_company_id: null } as const
    expect(reachOf(BARE, tool('contact.read'), none)).toBeNull()
    expect(reachOf(BARE, tool('contact.read'), { ...work, psa_company_id: null })).toEqual({
      ...own,
      psa_company_id: null,
    })
  })
})

const systems = Object.values(SYSTEMS).flatMap((all) => all.map(([system]) => system))
const anyAgent = fc.record({
  autonomy_type: fc.constantFrom('AGENTIC', 'CHAINED_ACTIONS', 'CONVERSATIONAL'),
  toolbox: fc.record({ tools: fc.subarray(TOOLS.map(({ name }) => name)) }),
  integrations: fc.record({
    grants: fc.array(
      fc.record({
        system: fc.constantFrom(...systems),
        access: fc.constantFrom('READ', 'WRITE'),
        permission_groups: fc.subarray([...PERMISSION_GROUPS]),
      }),
      { maxLength: 4 },
    ),
  }),
  actions: fc.constantFrom(null, [{ type: 'ticket.close' }]),
  supervised: fc.boolean(),
  escalates: fc.boolean(),
})

it('a tool of a group is granted by a grant of its kind of system alone', () => {
  fc.assert(
    fc.property(anyAgent, (agent) => {
      for (const granted of grantedTools(agent)) {
        if (granted.grant !== 'GROUP') continue
        const fitting = agent.integrations.grants.filter(
          ({ system, access, permission_groups }) =>
            kindOf(system) === granted.works_in &&
            permission_groups.includes(granted.permission_group as (typeof PERMISSION_GROUPS)[number]) &&
            (access === 'WRITE' || granted.access === 'READ'),
        )
        expect(fitting.length).toBeGreaterThan(0)
      }
    }),
  )
})

it('a further grant takes no tool away', () => {
  fc.assert(
    fc.property(anyAgent, anyAgent, (agent, other) => {
      const grants = [...agent.integrations.grants, ...other.integrations.grants]
      const more = new Set(grantedTools({ ...agent, integrations: { grants } }))
      for (const granted of grantedTools(agent)) expect(more.has(granted)).toBe(true)
    }),
  )
})

it.each([
  undefined,
  null,
  7,
  'x',
  [],
  {},
  { tools: 7, grants: 7 },
  { tools: [null], grants: [null, {}, 'x'] },
])('config objects that are %j grant nothing', (config) => {
  const agent = { ...BARE, toolbox: config, integrations: config, actions: config }
  expect(grantedTools(agent)).toEqual(grantedTools(BARE))
})
