/** The messages that people of the demo MSP wrote to customers, with what became of each, and the reply of a customer. */
import type { Prisma } from '../db/generated/client/client.ts'
import type { Seeding } from './seeding.ts'

type Message = Prisma.CommsMessageUncheckedCreateInput

/** The notes of messages, by ids that no other note of the demo has. */
const WRITTEN_NOTE = '890001'
const REPLY_NOTE = '890002'

const MAIL = { direction: 'OUTBOUND', medium: 'EMAIL' } as const

/** A ticket with its contact, who has an address. */
interface Case {
  ticket_id: string
  person: Prisma.EndUserGetPayload<object>
}

/** Some tickets of the last weeks, each of another person. */
async function casesOf({ tx, tenancy, ago }: Seeding): Promise<Case[]> {
  const tickets = await tx.psaTicket.findMany({
    where: { ...tenancy, contact_id: { not: null }, created_at: { gte: ago(30), lt: ago(4) } },
    select: { ticket_id: true, contact_id: true },
    orderBy: { ticket_id: 'asc' },
    distinct: ['contact_id'],
    take: 40,
  })
  const contacts = tickets.flatMap(({ contact_id }) => contact_id ?? [])
  const people = await tx.endUser.findMany({
    where: { ...tenancy, psa_contact_id: { in: contacts }, status: 'ACTIVE', email: { not: null } },
  })
  return tickets.flatMap(({ ticket_id, contact_id }) => {
    const person = people.find(({ psa_contact_id }) => psa_contact_id === contact_id)
    return person ? [{ ticket_id, person }] : []
  })
}

const personOf = ({ person: { id, name } }: Case) => ({
  recipient_type: 'END_USER' as const,
  recipient_id: id,
  recipient_name: name,
  end_user_id: id,
})

const mailOf = (of: Case) => ({
  ...MAIL,
  ...personOf(of),
  ticket_id: of.ticket_id,
  address: of.person.email,
})

function mailsOf(
  { ago }: Seeding,
  [sent, unknown, suppressed]: readonly [Case, Case, Case],
): Omit<Message, 'tenant_id' | 'environment'>[] {
  const minutes = (from: number, to: number) => ({ created_at: ago(1, from), updated_at: ago(1, to) })
  return [
    {
      ...mailOf(sent),
      id: 'cms_mail_sent',
      status: 'SENT',
      subject: 'Your new laptop is ready',
      body: 'It is set up, and waits for you at the service desk. Please bring the old one along.',
      sent_at: ago(1, 199),
      ...minutes(200, 199),
    },
    {
      ...mailOf(unknown),
      id: 'cms_mail_unknown',
      status: 'FAILED',
      error: 'outcome_unknown',
      subject: 'Maintenance of your mailbox tonight',
      body: 'From 20:00 to 20:30 you may be asked for your password once more. Nothing else changes.',
      began_at: ago(1, 150),
      ...minutes(151, 149),
    },
    {
      ...mailOf(suppressed),
      id: 'cms_mail_suppressed',
      status: 'SUPPRESSED',
      error: 'address_refused',
      subject: 'Did we solve it?',
      body: 'We have closed your ticket. If it happens again, answer this message.',
      ...minutes(90, 90),
    },
  ]
}

export async function seedComms(seeding: Seeding): Promise<void> {
  const { tx, tenancy, ago } = seeding
  const open = await tx.psaTicket.findFirst({
    where: { ...tenancy, closed_at: null },
    orderBy: { ticket_id: 'asc' },
  })
  const [sent, unknown, suppressed, asked] = await casesOf(seeding)
  if (!(sent && unknown && suppressed && asked)) throw new Error('The demo has too few tickets')
  const said = {
    question: { text: 'Does it still happen after the restart?', created_at: ago(2, 300) },
    reply: { text: 'No, it works since then. Thank you!', created_at: ago(2, 230) },
  }
  const of_ticket = { ...tenancy, ticket_id: asked.ticket_id, is_internal: false }
  await tx.psaNote.createMany({
    data: [
      { ...of_ticket, note_id: WRITTEN_NOTE, author_name: 'Harbourline IT Services', ...said.question },
      { ...of_ticket, note_id: REPLY_NOTE, author_name: asked.person.name, ...said.reply },
    ],
  })
  const note = { ...tenancy, medium: 'TICKET_NOTE' } as const
  const messages: Message[] = [
    {
      ...note,
      id: 'cms_not_sent',
      direction: 'OUTBOUND',
      status: 'FAILED',
      error: 'server_unreachable',
      body: 'We are looking into it, and call you before noon.',
      ticket_id: open?.ticket_id ?? '150000',
      created_at: ago(2, 60),
      updated_at: ago(2, 20),
    },
    {
      ...note,
      id: 'cms_note_delivered',
      direction: 'OUTBOUND',
      status: 'DELIVERED',
      body: said.question.text,
      ticket_id: asked.ticket_id,
      created_at: ago(2, 301),
      sent_at: said.question.created_at,
      updated_at: said.question.created_at,
    },
    {
      ...note,
      ...personOf(asked),
      id: 'cms_reply',
      direction: 'INBOUND',
      status: 'DELIVERED',
      body: said.reply.text,
      ticket_id: asked.ticket_id,
      source_id: `TICKET/${asked.ticket_id}/${REPLY_NOTE}`,
      sent_at: said.reply.created_at,
      created_at: ago(2, 229),
      updated_at: ago(2, 229),
    },
    ...mailsOf(seeding, [sent, unknown, suppressed]).map((mail) => ({ ...mail, ...tenancy })),
  ]
  await tx.commsMessage.createMany({ data: messages })
  // The address refused an earlier mail.
  const address = suppressed.person.email?.toLowerCase() ?? ''
  await tx.commsBounce.create({ data: { ...tenancy, address, at: ago(3, 40) } })
}
