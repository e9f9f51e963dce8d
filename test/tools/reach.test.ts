/** The reach of every tool: a run for company a finds and changes nothing of company b. */
import { beforeAll, describe, expect, it } from 'vitest'
import { OF_COMPANIES, WITHOUT_COMPANY } from '../../src/tools/foreign-arguments.ts'
import type { Reach } from '../../src/tools/reach/reach.ts'
import { TOOLS, type ToolName, toolNamed } from '../../src/tools/registry.ts'
import { connect, equippedMsp } from '../setup/local-systems.ts'
import { addPsaAgreements, addPsaTickets, psaOfTenant } from '../setup/psa.ts'
import { addTechnicians } from '../setup/technicians.ts'
import { toolCallsFor } from '../setup/tool-calls.ts'
import type { Msp } from '../setup/world.ts'

const GUS = 700_021

const OWN: Reach = { psa_company_id: 'psa_a', entity: { type: 'TICKET', id: '1' }, contact_id: null }

interface Ids {
  own_entry: string
  other_entry: string
}

let msp: Msp
let ids: Ids

beforeAll(async () => {
  msp = await equippedMsp()
  await connect(msp)
  await addPsaTickets(msp, [
    { ticket_id: '1', title: 'Printer', psa_company_id: 'psa_a', contact_id: '11' },
    { ticket_id: '2', title: 'Printer', psa_company_id: 'psa_a' },
    { ticket_id: '9', title: 'Printer', psa_company_id: 'psa_b', contact_id: '21' },
    { ticket_id: '10', title: 'Printer of nobody' },
  ])
  for (const company of ['psa_a', 'psa_b']) await addPsaAgreements(msp, company, ['Managed services'])
  const entry = async (ticket_id: string) => {
    const draft = { technician_psa_id: 7, minutes: 5, note: 'x', started_at: new Date() }
    return (await psaOfTenant(msp).addTimeEntry(ticket_id, draft, `seed ${ticket_id}`)).time_entry_id
  }
  ids = { own_entry: await entry('2'), other_entry: await entry('9') }
  await addTechnicians(msp, [{ id: GUS, psa_id: 7 }])
  const { tenant_id, environment, database } = msp
  await database.prisma.localDocument.updateMany({
    where: { tenant_id, document_id: 'doc2' },
    data: { folder_id: 'f1' },
  })
  await database.prisma.identityLicence.create({
    data: { tenant_id, environment, psa_company_id: 'psa_b', name: 'Mail', total: 2 },
  })
})

type Args = Record<string, unknown>

/** NAMES: arguments of company b, how it is refused, and those of company a. FINDS: what is found of company a. */
type Narrowed =
  | { how: 'NAMES'; other: Args | ((ids: Ids) => Args); code: string; own: Args | ((ids: Ids) => Args) }
  | { how: 'FINDS'; args: Args; other: Args; own: number }
  /** What is the MSP's own, such as technicians, has no company. */
  | { how: 'MSP' }
  /** The run itself, its own results, or its skills. */
  | { how: 'RUN' }
  | { how: 'NO_ADAPTER' }
  /** test/tools/memories-reach.test.ts. */
  | { how: 'MEMORIES' }
  /** The tenant's own rules about scripts come first. */
  | { how: 'RULES' }

const names = (
  code: string,
  other: Args | ((ids: Ids) => Args),
  own: Args | ((ids: Ids) => Args),
): Narrowed => ({ how: 'NAMES', code, other, own })

const finds = (args: Args, own: number, other: Args = { ...args, company_id: 'psa_b' }): Narrowed => ({
  how: 'FINDS',
  args,
  own,
  other,
})

const ticket = (rest: Args = {}) =>
  names('ticket_not_found', { ticket_id: '9', ...rest }, { ticket_id: '2', ...rest })
const entry = (rest: Args = {}) =>
  names(
    'time_entry_not_found',
    ({ other_entry }) => ({ time_entry_id: other_entry, ...rest }),
    ({ own_entry }) => ({ time_entry_id: own_entry, ...rest }),
  )
const device = (rest: Args = {}) =>
  names('device_not_found', { device_id: 'd2', ...rest }, { device_id: 'd1', ...rest })
const account = (rest: Args = {}) =>
  names('account_not_found', { account_id: 'acc3', ...rest }, { account_id: 'acc1', ...rest })
const company = (rest: Args = {}) =>
  names('company_not_found', { company_id: 'psa_b', ...rest }, { company_id: 'psa_a', ...rest })
const MSP = { how: 'MSP' } as const
const RUN = { how: 'RUN' } as const
const NO_ADAPTER = { how: 'NO_ADAPTER' } as const
const MEMORIES = { how: 'MEMORIES' } as const
const RULES = { how: 'RULES' } as const

const NARROWED: Readonly<Record<ToolName, Narrowed>> = {
  'ticket.read': ticket(),
  'ticket.search': finds({ query: 'printer' }, 2),
  'ticket.list_notes': ticket(),
  'ticket.list_attachments': ticket(),
  'ticket.create': company({ title: 'New', description: 'x' }),
  'ticket.add_note': ticket({ text: 'x', visibility: 'INTERNAL' }),
  'ticket.set_status': ticket({ status: 'In progress' }),
  'ticket.set_priority': ticket({ priority: 'P1' }),
  'ticket.set_type': ticket({ type: 'Incident' }),
  'ticket.set_queue': ticket({ queue: 'Projects' }),
  'ticket.assign': names(
    'ticket_not_found',
    { ticket_id: '9', technician_id: GUS },
    { ticket_id: '2', technician_id: GUS },
  ),
  'dispatch.assign': ticket(),
  'ticket.set_contact': names(
    'ticket_not_found',
    { ticket_id: '9', contact_id: '21' },
    { ticket_id: '1', contact_id: '11' },
  ),
  'ticket.merge': names(
    'ticket_not_found',
    { ticket_id: '1', into_ticket_id: '9' },
    { ticket_id: '2', into_ticket_id: '1' },
  ),
  'ticket.close': ticket({ resolution: 'Done.' }),
  'feedback.send_link': ticket({ medium: 'TICKET_NOTE' }),
  'time_entry.read': entry(),
  'time_entry.list': ticket(),
  'time_entry.create': ticket({ minutes: 5, note: 'x' }),
  'time_entry.set_agreement': entry({ agreement: 'Managed services' }),
  'time_entry.return': entry({ reason: 'x' }),
  'company.search': finds({ query: 'a' }, 1, { query: 'beta' }),
  'company.read': company(),
  'contact.search': finds({ query: '' }, 1),
  'contact.read': names('contact_not_found', { contact_id: '21' }, { contact_id: '11' }),
  'message.send': names(
    'contact_not_found',
    { contact_id: '21', subject: 'x', body: 'x' },
    { contact_id: '11', subject: 'x', body: 'x' },
  ),
  'device.search': finds({ query: 'a' }, 1),
  'device.read': device(),
  'device.list_software': device(),
  'device.restart': device(),
  'device.list_scripts': MSP,
  // test/areas/rmm-scripts/agent-runs.test.ts.
  'device.run_script': RULES,
  'alert.read': names('alert_not_found', { alert_id: 'al2' }, { alert_id: 'al1' }),
  'alert.search': finds({ query: 'disk' }, 1),
  'alert.close': names('alert_not_found', { alert_id: 'al2' }, { alert_id: 'al1' }),
  'document.search': finds({ query: 'r' }, 1),
  'document.read': names('document_not_found', { document_id: 'doc2' }, { document_id: 'doc1' }),
  'document.list_folder': finds({ folder_id: 'f1' }, 1, { folder_id: 'none' }),
  'document.create': company({ title: 'x', text: 'x' }),
  'document.update': names(
    'document_not_found',
    { document_id: 'doc2', text: 'x' },
    { document_id: 'doc1', text: 'x' },
  ),
  'identity.search': finds({ query: 'example' }, 2),
  'identity.read': account(),
  'identity.list_groups': finds({ company_id: 'psa_a' }, 2),
  'identity.list_sign_ins': account(),
  'identity.create': company({ user_name: 'n@a.example', display_name: 'N', recipient_contact_id: '11' }),
  'identity.reset_password': account({ recipient_contact_id: '11' }),
  'identity.unlock': account(),
  'identity.disable': account(),
  'identity.revoke_sessions': account(),
  'identity.add_to_group': account({ group_id: 'g1' }),
  'identity.remove_from_group': account({ group_id: 'g2' }),
  'identity.assign_licence': account({ licence: 'Mail' }),
  'licence.list': finds({ company_id: 'psa_a' }, 1),
  'licence.order': company({ licence: 'Mail', count: 2 }),
  'memory.search': MEMORIES,
  'memory.save': MEMORIES,
  'technician.search': MSP,
  'technician.read_schedule': MSP,
  'chat.send': MSP,
  'technician.ask': RUN,
  'run.propose_plan': RUN,
  'run.finish': RUN,
  'run.wait': RUN,
  'run.read_result': RUN,
  'skill.read': RUN,
  'escalation.raise': RUN,
  'conversation.reply': RUN,
  'network.list_devices': NO_ADAPTER,
  'incident.search': NO_ADAPTER,
  'incident.isolate_device': NO_ADAPTER,
  'stock.search': NO_ADAPTER,
  'mail.search': NO_ADAPTER,
  'mail.release': NO_ADAPTER,
  'mail.block_sender': NO_ADAPTER,
  'technician.replace_schedule': NO_ADAPTER,
  'technician.delete': NO_ADAPTER,
  'web.search': NO_ADAPTER,
}

const argsOf = (args: Args | ((given: Ids) => Args)): Args => (typeof args === 'function' ? args(ids) : args)
const table = Object.entries(NARROWED) as [ToolName, Narrowed][]
const listOf = (result: Record<string, unknown>) => Object.values(result)[0] as unknown[]

it('every tool is in the table', () => {
  expect(Object.keys(NARROWED).toSorted()).toEqual(TOOLS.map(({ name }) => name))
})

describe('for a company', () => {
  const narrow = () => toolCallsFor(msp, { reach: OWN })

  it.each(table.flatMap(([name, how]) => (how.how === 'FINDS' ? [[name, how] as const] : [])))(
    '%s finds what is its own',
    async (name, { args, other, own }) => {
      const filled = { ...args, ...(args.query === '' && { query: 'a' }) }
      expect(listOf(await narrow().call(name, filled))).toHaveLength(own)
      expect(
        listOf(await narrow().call(name, { ...filled, ...other, ...(other.query === '' && { query: 'a' }) })),
      ).toEqual([])
    },
  )

  it.each(table.flatMap(([name, how]) => (how.how === 'NAMES' ? [[name, how] as const] : [])))(
    '%s names nothing of another company, and what there is of its own',
    async (name, { other, own, code }) => {
      const refused = narrow().call(name, argsOf(other), `other ${name}`)
      await expect(refused).rejects.toMatchObject({ code, kind: 'AGENT', may_have_acted: false })
      expect(await narrow().outcome(name, `other ${name}`)).toBe('NOT_MADE')
      // Another refusal than that the thing is not there says that it was found.
      const failure = await narrow()
        .call(name, argsOf(own), `own ${name}`)
        .catch((error: { code: string }) => error.code)
      expect(failure).not.toBe(code)
    },
  )

  it('that the ticket does not have, nothing but the ticket is there', async () => {
    const reach: Reach = { psa_company_id: null, entity: { type: 'TICKET', id: '10' }, contact_id: null }
    const { call } = toolCallsFor(msp, { reach })
    expect(await call('ticket.read', { ticket_id: '10' })).toMatchObject({ title: 'Printer of nobody' })
    expect(await call('ticket.search', { query: 'printer' })).toEqual({ results: [] })
    await expect(call('ticket.read', { ticket_id: '1' })).rejects.toMatchObject({ code: 'ticket_not_found' })
    await expect(call('document.read', { document_id: 'doc3' })).rejects.toThrow()
  })

  it('that a time entry has, its ticket is there too', async () => {
    const entity = { type: 'TIME_ENTRY', id: ids.other_entry } as const
    const { call } = toolCallsFor(msp, { reach: { psa_company_id: null, entity, contact_id: null } })
    expect(await call('ticket.read', { ticket_id: '9' })).toMatchObject({ ticket_id: '9' })
    await expect(call('ticket.read', { ticket_id: '1' })).rejects.toMatchObject({ code: 'ticket_not_found' })
  })

  it('and a contact, the tickets of the contact alone are there', async () => {
    const { call } = toolCallsFor(msp, { reach: { ...OWN, entity: null, contact_id: '11' } })
    expect(listOf(await call('ticket.search', { query: 'printer' }))).toMatchObject([{ ticket_id: '1' }])
    await expect(call('ticket.read', { ticket_id: '2' })).rejects.toMatchObject({ code: 'ticket_not_found' })
  })
})

it('every argument that is an id is of a company, or has none', () => {
  const named = TOOLS.flatMap(({ name, input_schema }) =>
    NARROWED[name].how === 'NO_ADAPTER' ? [] : Object.keys(input_schema.properties as object),
  ).filter((name) => name.endsWith('_id'))
  // A folder is read only.
  expect(new Set(named).difference(new Set([...OF_COMPANIES, ...WITHOUT_COMPANY, 'folder_id']))).toEqual(
    new Set(),
  )
  expect(toolNamed('document.list_folder')?.access).toBe('READ')
})
