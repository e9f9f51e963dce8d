/** The local PSA of the demo MSP: its tickets are those that the executions worked on. */
import { PASSWORDS } from './callback-stories.ts'
import { CUSTOMERS, psaIdOf, psaIdsOf } from './end-companies.ts'
import { type Contact, demoContacts } from './people.ts'
import { insertMany, type Random, randomOf, type Seeding } from './seeding.ts'
import { emailOf } from './tenant.ts'
import { DESKS, FILES, NOTES, TIME_ENTRY_NOTES } from './ticket-stories.ts'

/** Technicians of the PSA who have no profile yet. */
const WITHOUT_PROFILE = [
  { psa_id: 213, name: 'Freya Lindholm' },
  { psa_id: 214, name: 'Marcus Adeyemi' },
]

/** Stores them. Those who are still there are given tickets. */
async function seedTechnicians({ tx, tenancy }: Seeding): Promise<number[]> {
  const profiles = await tx.technicianProfile.findMany({
    where: tenancy,
    select: { psa_id: true, name: true, deleted_at: true },
    orderBy: { psa_id: 'asc' },
  })
  const technicians = [...profiles, ...WITHOUT_PROFILE]
  await insertMany(
    tx,
    'psa_technician',
    technicians.map(({ psa_id, name }) => ({
      ...tenancy,
      psa_id,
      name,
      email: emailOf(name.replace(' (left)', '')),
    })),
  )
  return profiles.flatMap(({ psa_id, deleted_at }) => (deleted_at === null ? [psa_id] : []))
}

/** The choices of the fields that companies are filtered by, by their ids. */
const OPTIONS: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  type: { 1: 'Customer', 2: 'Prospect', 3: 'Former customer' },
  classification: { 11: 'Managed', 12: 'Break-fix', 13: 'Project only' },
  territory: { 21: 'North', 22: 'Midlands', 23: 'South', 24: 'Scotland and Ireland' },
  status: { 31: 'Active', 32: 'On hold', 33: 'Closed' },
}

/** The names of the agreements with a customer. */
function agreementsOf({ in_scope, is_vip }: (typeof CUSTOMERS)[number]): string[] {
  if (!in_scope) return ['Time and materials']
  return ['Managed services', 'Projects', ...(is_vip ? ['Out-of-hours support'] : [])]
}

async function seedCompanyFields({ tx, tenancy }: Seeding): Promise<void> {
  const random = randomOf('psa-companies')
  await insertMany(
    tx,
    'psa_company_option',
    Object.entries(OPTIONS).flatMap(([field_name, names]) =>
      Object.entries(names).map(([id, name]) => ({ ...tenancy, field_name, option_id: Number(id), name })),
    ),
  )
  const chosen = CUSTOMERS.map(({ status, in_scope }) => ({
    type: status === 'INACTIVE' ? 3 : 1,
    classification: !in_scope ? random.int(12, 13) : 11,
    territory: random.int(21, 24),
    status: status === 'INACTIVE' ? 33 : 31,
  }))
  await insertMany(
    tx,
    'psa_agreement',
    CUSTOMERS.flatMap((customer, index) =>
      agreementsOf(customer).map((name) => ({ ...tenancy, psa_company_id: psaIdOf(index), name })),
    ),
  )
  await insertMany(
    tx,
    'psa_company_attribute',
    chosen.flatMap((options, index) =>
      Object.entries(options).map(([field_name, option_id]) => ({
        ...tenancy,
        psa_company_id: psaIdOf(index),
        field_name,
        option_id,
      })),
    ),
  )
}

interface Worked {
  entity_id: string
  number: string
  agent_id: number
  opened_at: Date
  worked_at: Date
  is_live: boolean
  /** The agent for passwords, which needs the account of the contact, worked on it. */
  needs_account: boolean
  /** The outcome of an execution for a time entry. */
  is_filed: boolean
  is_returned: boolean
}

/** The messages of executions that put a time entry under an agreement, or sent it back. */
const FILED = 'Put it under the managed services agreement.'
const RETURNED = 'Sent it back: there is no note.'

const workedOn = (
  { tx, tenancy }: Seeding,
  entity_type: 'TICKET' | 'TIME_ENTRY',
): Promise<Worked[]> => tx.$queryRaw<Worked[]>`
  select entity_id, coalesce(min(entity_number), '') as number, (array_agg(agent_id order by created_at))[1] as agent_id,
    least(min(created_at), min(w.scheduled_at)) as opened_at, max(updated_at) as worked_at, bool_or(finished_at is null) as is_live,
    bool_or(agent_id = ${PASSWORDS}) as needs_account,
    coalesce(bool_or(message_for_dashboard = ${FILED}), false) as is_filed,
    coalesce(bool_or(message_for_dashboard = ${RETURNED}), false) as is_returned
  from execution
    left join (
      select ticket_id as entity_id, min(created_at) as scheduled_at from scheduled_work
      where tenant_id = ${tenancy.tenant_id} and environment = ${tenancy.environment} group by ticket_id
    ) w using (entity_id)
  where tenant_id = ${tenancy.tenant_id} and environment = ${tenancy.environment}
    and entity_type = ${entity_type}::text::entity_type and entity_id is not null
  group by entity_id order by entity_id`

const HOUR_MS = 3_600_000

/** The customers whose tickets agents see. */
const IN_SCOPE = new Set(psaIdsOf({ in_scope: true }))

type Companies = readonly (readonly Contact[])[]

/** The people by company. A larger company, whose people open more tickets, is listed several times. */
const companiesOf = (contacts: readonly Contact[]): Companies =>
  [...Map.groupBy(contacts, ({ end_company_id }) => end_company_id).values()].flatMap((people) =>
    Array.from({ length: Math.ceil(people.length / 40) }, () => people),
  )

/** The people at the front of each company open more tickets. */
function somebody(companies: Companies, random: Random): Contact {
  const people = random.pick(companies)
  return people[Math.floor(random.fraction() ** 2 * people.length)] as Contact
}

type Ticket = Record<string, unknown> & {
  ticket_id: string
  created_at: Date
  updated_at: Date
  closed_at: Date | null
}

function ticketsOf(
  worked: readonly Worked[],
  { tenancy, now }: Seeding,
  technicians: readonly number[],
): Ticket[] {
  const random = randomOf('psa-tickets')
  const active = demoContacts().filter(
    ({ is_active, psa_company_id }) => is_active && IN_SCOPE.has(psa_company_id),
  )
  const companies = companiesOf(active)
  // A contact without an e-mail address has no account.
  const companies_with_accounts = companiesOf(active.filter(({ email }) => email !== null))
  return worked.flatMap(({ entity_id, number, agent_id, opened_at, worked_at, is_live, needs_account }) => {
    const desk = DESKS.get(agent_id)
    if (!desk) return []
    const { title, category, description } = random.pick(desk.stories)
    const contact = somebody(needs_account ? companies_with_accounts : companies, random)
    const [low = 0, high = 0] = desk.hours
    const ends = new Date(worked_at.getTime() + (low + (high - low) * random.fraction() ** 2) * HOUR_MS)
    const waits = random.fraction() < 0.02
    const closed_at = is_live || waits || ends > now ? null : ends
    const open = waits
      ? 'Waiting on third party'
      : random.pick(['In progress', 'In progress', 'Waiting on customer'])
    return {
      ...tenancy,
      ticket_id: entity_id,
      number,
      title,
      description,
      category,
      board: desk.board,
      status: closed_at ? random.pick(['Closed', 'Closed', 'Resolved']) : open,
      priority: random.pick(desk.priorities),
      psa_company_id: contact.psa_company_id,
      contact_id: desk.of_nobody ? null : contact.contact_id,
      assignee_psa_id: desk.of_nobody || random.fraction() < 0.1 ? null : random.pick(technicians),
      url: `https://psa.harbourline.example/tickets/${entity_id}`,
      created_at: new Date(opened_at.getTime() - random.int(5, 90) * 1000),
      updated_at: closed_at ?? worked_at,
      closed_at,
    }
  })
}

/** A ticket without any work yet, for a run to try: its id is the same in every demo. */
function newTicket({ tenancy, ago }: Seeding): Ticket {
  const [contact] = demoContacts().filter(({ is_active }) => is_active)
  const created_at = ago(0, 25)
  return {
    ...tenancy,
    ticket_id: '150000',
    number: '78000',
    title: 'Scanner no longer sends to my mailbox',
    description: 'Since this morning. The copier says “authentication failed”.',
    category: 'Printing',
    board: 'Service desk',
    status: 'New',
    priority: 'P3',
    psa_company_id: contact?.psa_company_id,
    contact_id: contact?.contact_id,
    assignee_psa_id: null,
    url: 'https://psa.harbourline.example/tickets/150000',
    created_at,
    updated_at: created_at,
    closed_at: null,
  }
}

/** The time entries that executions looked at, and the notes and files of open tickets. */
async function seedWork(
  seeding: Seeding,
  tickets: readonly Ticket[],
  technicians: readonly number[],
): Promise<void> {
  const { tx, tenancy } = seeding
  const random = randomOf('psa-work')
  const entries = await workedOn(seeding, 'TIME_ENTRY')
  const byAge = tickets.toSorted((a, b) => a.created_at.getTime() - b.created_at.getTime())
  await insertMany(
    tx,
    'psa_time_entry',
    entries.map(({ entity_id, opened_at, is_filed, is_returned }) => {
      const minutes = random.int(1, 12) * 5
      const started_at = new Date(opened_at.getTime() - minutes * 60_000)
      const newer = byAge.findIndex(({ created_at }) => created_at.getTime() > started_at.getTime() - HOUR_MS)
      const known = newer === -1 ? byAge : byAge.slice(0, newer)
      return {
        ...tenancy,
        time_entry_id: entity_id,
        ticket_id: random.pick(known.slice(-40)).ticket_id,
        technician_psa_id: random.pick(technicians),
        minutes,
        note: is_returned ? null : random.pick(TIME_ENTRY_NOTES),
        agreement: is_filed ? 'Managed services' : null,
        returned_reason: is_returned ? 'There is no note.' : null,
        started_at,
        created_at: opened_at,
      }
    }),
  )
  const open = tickets.filter(({ closed_at }) => closed_at === null)
  await insertMany(
    tx,
    'psa_note',
    open.map(({ ticket_id, updated_at }, index) => ({
      ...tenancy,
      note_id: String(800_000 + index),
      ticket_id,
      author_name: random.pick(['Aisha Rahman', 'Chidi Okafor', 'Elin Lindqvist']),
      is_internal: random.fraction() < 0.6,
      text: random.pick(NOTES),
      created_at: updated_at,
    })),
  )
  const with_files = open.filter(({ contact_id }) => contact_id !== null && random.fraction() < 0.3)
  await insertMany(
    tx,
    'psa_attachment',
    [...with_files, newTicket(seeding)].map(({ ticket_id }, index) => ({
      ...tenancy,
      attachment_id: String(600_000 + index),
      ticket_id,
      file_name: random.pick(FILES),
      bytes: random.int(40_000, 900_000),
    })),
  )
}

export async function seedPsa(seeding: Seeding): Promise<void> {
  const { tx, tenancy } = seeding
  const technicians = await seedTechnicians(seeding)
  await seedCompanyFields(seeding)
  await insertMany(
    tx,
    'psa_contact',
    demoContacts().map(({ contact_id, psa_company_id, name, email, phone, title, is_active }) => ({
      ...tenancy,
      contact_id,
      psa_company_id,
      name,
      email,
      phone,
      title,
      is_active,
    })),
  )
  const tickets = ticketsOf(await workedOn(seeding, 'TICKET'), seeding, technicians)
  await insertMany(tx, 'psa_ticket', [...tickets, newTicket(seeding)])
  // What refers to tickets, and the seeds that join executions with them, would be planned for empty tables.
  await tx.$executeRawUnsafe('analyze execution, psa_ticket')
  await seedWork(seeding, tickets, technicians)
  await tx.$executeRawUnsafe('analyze psa_time_entry')
}
