/** Tools that act in systems other than the PSA, and tools of every kind in another tenant. */
import { describe, expect, it } from 'vitest'
import { ToolFailure } from '../../src/tools/execute.ts'
import { isAvailable } from '../../src/tools/executors/without-system.ts'
import { TOOLS, type ToolName } from '../../src/tools/registry.ts'
import { connect, equippedMsp } from '../setup/local-systems.ts'
import { addPsaAgreements, addPsaTickets, psaOfTenant } from '../setup/psa.ts'
import { toolCallsFor } from '../setup/tool-calls.ts'
import { type Msp, world } from '../setup/world.ts'

/** A tenant with something for every tool: ticket 1 with time entry, technician with a profile, a thing of each system. */
async function equipped() {
  const msp = await equippedMsp()
  await connect(msp)
  await addPsaTickets(msp, [
    { ticket_id: '1', title: 'Printer', psa_company_id: 'psa_a', contact_id: '11' },
    { ticket_id: '2' },
  ])
  await addPsaAgreements(msp, 'psa_a', ['Managed services'])
  const draft = { technician_psa_id: 7, minutes: 5, note: 'x', started_at: new Date() }
  const { time_entry_id } = await psaOfTenant(msp).addTimeEntry('1', draft, 'seed')
  const { tenant_id, environment } = msp
  const stamps = { created_at: new Date(), updated_at: new Date() }
  const { id: technician_id } = await msp.database.prisma.technicianProfile.create({
    data: { tenant_id, environment, psa_id: 7, name: 'Gus', skills: ['Printers'], ...stamps },
  })
  return { msp, ids: { time_entry_id, technician_id }, ...toolCallsFor(msp) }
}

type Ids = Awaited<ReturnType<typeof equipped>>['ids']
type Args = Record<string, unknown> | ((ids: Ids) => Record<string, unknown>)

const technician = ({ technician_id }: Ids) => ({ technician_id })
const account = { account_id: 'acc1' }

/** Tools that take the id of something, with arguments that name it. In another tenant each names nothing. */
const NAMING: readonly [ToolName, Args][] = [
  ['ticket.read', { ticket_id: '1' }],
  ['ticket.list_notes', { ticket_id: '1' }],
  ['ticket.list_attachments', { ticket_id: '1' }],
  ['ticket.create', { company_id: 'psa_a', title: 'New', description: 'x' }],
  ['ticket.add_note', { ticket_id: '1', text: 'x', visibility: 'INTERNAL' }],
  ['ticket.set_status', { ticket_id: '1', status: 'In progress' }],
  ['ticket.set_priority', { ticket_id: '1', priority: 'P1' }],
  ['ticket.set_type', { ticket_id: '1', type: 'Incident' }],
  ['ticket.set_queue', { ticket_id: '1', queue: 'Projects' }],
  ['ticket.set_contact', { ticket_id: '1', contact_id: '11' }],
  ['ticket.assign', (ids) => ({ ticket_id: '1', ...technician(ids) })],
  ['ticket.merge', { ticket_id: '1', into_ticket_id: '2' }],
  ['ticket.close', { ticket_id: '1', resolution: 'Done.' }],
  ['time_entry.read', ({ time_entry_id }) => ({ time_entry_id })],
  ['time_entry.list', { ticket_id: '1' }],
  ['time_entry.create', { ticket_id: '1', minutes: 5, note: 'x' }],
  ['time_entry.set_agreement', ({ time_entry_id }) => ({ time_entry_id, agreement: 'Managed services' })],
  ['time_entry.return', ({ time_entry_id }) => ({ time_entry_id, reason: 'x' })],
  ['company.read', { company_id: 'psa_a' }],
  ['contact.read', { contact_id: '11' }],
  ['message.send', { contact_id: '11', subject: 'x', body: 'x' }],
  ['technician.read_schedule', technician],
  ['chat.send', (ids) => ({ ...technician(ids), text: 'x' })],
  ['device.read', { device_id: 'd1' }],
  ['device.list_software', { device_id: 'd1' }],
  ['device.restart', { device_id: 'd1' }],
  ['alert.read', { alert_id: 'al1' }],
  ['alert.close', { alert_id: 'al1' }],
  ['document.read', { document_id: 'doc1' }],
  ['document.create', { company_id: 'psa_a', title: 'x', text: 'x' }],
  ['document.update', { document_id: 'doc1', text: 'x' }],
  ['identity.read', account],
  ['identity.list_sign_ins', account],
  [
    'identity.create',
    { company_id: 'psa_a', user_name: 'n@a.example', display_name: 'N', recipient_contact_id: '11' },
  ],
  ['identity.reset_password', { ...account, recipient_contact_id: '11' }],
  ['identity.unlock', account],
  ['identity.disable', account],
  ['identity.revoke_sessions', account],
  ['identity.add_to_group', { ...account, group_id: 'g1' }],
  ['identity.remove_from_group', { ...account, group_id: 'g2' }],
  ['identity.assign_licence', { ...account, licence: 'Mail' }],
  ['licence.order', { company_id: 'psa_a', licence: 'Mail', count: 2 }],
]

/** Tools whose answer is a list, which is empty in another tenant. */
const LISTING: readonly [ToolName, Args][] = [
  ['ticket.search', { query: 'printer' }],
  ['company.search', { query: 'alpha' }],
  ['contact.search', { query: 'ada' }],
  ['technician.search', { query: 'printers' }],
  ['device.search', { query: 'alpha' }],
  ['alert.search', { query: 'disk' }],
  ['document.search', { query: 'printer' }],
  ['document.list_folder', { folder_id: 'f1' }],
  ['identity.search', { query: 'ada' }],
  ['identity.list_groups', { company_id: 'psa_a' }],
  ['licence.list', { company_id: 'psa_a' }],
]

const argsOf = (args: Args, ids: Ids) => (typeof args === 'function' ? args(ids) : args)

/** Another tenant with the same systems, and nothing in them. */
async function stranger(): Promise<Msp> {
  const msp = await world()
  await connect(msp)
  return msp
}

describe('a tool of a system', () => {
  it.each(NAMING)('%s acts on what it names, which another tenant does not have', async (name, args) => {
    const { call, ids } = await equipped()
    const theirs = toolCallsFor(await stranger())
    const failure = await theirs.call(name, argsOf(args, ids), 'k').catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ToolFailure)
    expect(failure).toMatchObject({ kind: 'AGENT', may_have_acted: false })
    expect(await theirs.outcome(name, 'k', argsOf(args, ids))).toBe('NOT_MADE')
    await call(name, argsOf(args, ids), 'k')
  })

  it.each(LISTING)('%s finds what there is, and nothing of another tenant', async (name, args) => {
    const { call, ids } = await equipped()
    const listOf = (result: Record<string, unknown>) => Object.values(result)[0] as unknown[]
    expect(listOf(await call(name, argsOf(args, ids))).length).toBeGreaterThan(0)
    expect(listOf(await toolCallsFor(await stranger()).call(name, argsOf(args, ids)))).toEqual([])
  })
})

const kept = (name: ToolName) => TOOLS.find((tool) => tool.name === name) as (typeof TOOLS)[number]

it.each([...NAMING, ...LISTING].filter(([name]) => !['PSA', null].includes(kept(name).works_in)))(
  '%s is not available if no system of its kind is connected',
  async (name, args) => {
    const { ids } = await equipped()
    await expect(toolCallsFor(await equippedMsp()).call(name, argsOf(args, ids))).rejects.toMatchObject({
      code: 'tool_not_available',
      kind: 'TOOL',
    })
  },
)

it('a document is read without the passwords in it', async () => {
  const { call } = await equipped()
  expect(await call('document.read', { document_id: 'doc1' })).toMatchObject({
    text: 'The printer is on floor 2.\nPassword: [removed]',
  })
})

it('a memory of an agent is kept once, found by its agents, and holds no secret', async () => {
  const { call, outcome, msp } = await equipped()
  const memory = { content: 'Alpha closes at noon.', scope_type: 'CLIENT', scope_id: 'psa_a' }
  const saved = await call('memory.save', memory, 'k')
  expect(await call('memory.save', memory, 'k')).toEqual(saved)
  expect(await outcome('memory.save', 'k')).toBe('MADE')
  expect(await call('memory.search', { query: 'NOON alpha' })).toEqual({
    results: [{ ...saved, content: 'Alpha closes at noon.' }],
  })
  const { tenant_id } = msp
  const { agentMemory } = msp.database.prisma
  expect(await agentMemory.count({ where: { tenant_id } })).toBe(1)
  await agentMemory.updateMany({ where: { tenant_id }, data: { restricted_agent_ids: [8] } })
  expect(await call('memory.search', { query: 'noon' })).toEqual({ results: [] })
  expect(await toolCallsFor(msp, { agent_id: 8 }).call('memory.search', { query: 'noon' })).toMatchObject({
    results: [{ content: 'Alpha closes at noon.' }],
  })
  expect(await toolCallsFor(await stranger()).call('memory.search', { query: 'noon' })).toEqual({
    results: [],
  })
  for (const [change, code] of [
    [{ content: 'Bearer abcdefghijkl' }, 'secret_in_content'],
    [{ scope_id: null }, 'scope_invalid'],
    [{ scope_type: 'TENANT' }, 'scope_invalid'],
  ] as const)
    await expect(call('memory.save', { ...memory, ...change }, code)).rejects.toMatchObject({
      code,
      kind: 'AGENT',
    })
})

const elsewhere = new Set<string>([...NAMING, ...LISTING].map(([name]) => name))
const TRIED_ELSEWHERE = new Set([
  'device.list_scripts',
  'device.run_script',
  'dispatch.assign',
  'escalation.raise',
  'feedback.send_link',
  'memory.save',
  'memory.search',
  'run.read_result',
  'skill.read',
])
const OF_THE_RUN = /^(?:run|conversation)\.|^technician\.ask$/

const isTried = ({ name }: { name: string }) =>
  elsewhere.has(name) || TRIED_ELSEWHERE.has(name) || OF_THE_RUN.test(name)

it.each(TOOLS.filter((tool) => !isTried(tool)))(
  '$name says that nothing makes its calls',
  async ({ name }) => {
    const { call } = await equipped()
    await expect(call(name, sample(name))).rejects.toMatchObject({ code: 'tool_not_available' })
  },
)

it('the tools that the catalogue calls available are those whose calls are made', () => {
  expect(TOOLS.filter(isAvailable)).toEqual(TOOLS.filter(isTried))
})

/** Arguments that fit the input schema of a tool that takes no choice. */
function sample(name: ToolName): Record<string, unknown> {
  const { properties, required } = kept(name).input_schema as {
    properties: Record<string, { type: string; minimum?: number }>
    required: string[]
  }
  const sampleOf = ({ type, minimum }: { type: string; minimum?: number }) =>
    type === 'integer' ? (minimum ?? 1) : type === 'array' ? [] : 'x'
  return Object.fromEntries(
    required.map((property) => [property, sampleOf(properties[property] ?? { type: '' })]),
  )
}
