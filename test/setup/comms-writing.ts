/** A tenant whose callers write messages: its people, its channels and its PSA. */
import type { CommsMessage, Prisma } from '../../src/db/generated/client/client.ts'
import { addAgents } from './agents.ts'
import type { Answer, Api } from './api.ts'
import { clock } from './app.ts'
import { addChannels, addMessages } from './channels.ts'
import { addCompanies } from './companies.ts'
import { connect } from './local-systems.ts'
import { addPsaTechnicians, addPsaTickets } from './psa.ts'
import { addTechnicians } from './technicians.ts'
import { type Caller, type Msp, world } from './world.ts'

export const SITE = 'chn_site'
export const SLACK = 'chn_slack'
export const ADA = { type: 'END_USER', id: 'ada' } as const

export interface Writing {
  msp: Msp
  /** A technician with an address in the PSA. */
  technician: { type: 'TECHNICIAN'; id: string }
  /** Ada’s address. Each tenant has its own: servers of mail tests are shared. */
  email: string
}

/**
 * The end users ada, who has an address and a conversation on each channel, bob, who has neither, and eve, who is gone; a
 * technician; the ticket 4711 in a connected PSA; and channels for end users.
 */
export async function writingMsp(): Promise<Writing> {
  const msp = await world()
  const { tenant_id, environment, database } = msp
  const email = `ada@${tenant_id.replaceAll('_', '-')}.example`
  await addCompanies(msp, [{ id: 'a' }])
  const common = {
    tenant_id,
    environment,
    end_company_id: 'a',
    created_at: clock.now(),
    updated_at: clock.now(),
  }
  await database.prisma.endUser.createMany({
    data: [
      { id: 'ada', name: 'Ada', email },
      { id: 'bob', name: 'Bob', email: null },
      { id: 'eve', name: 'Eve', email: 'eve@gone.example', status: 'INACTIVE' as const },
    ].map((user) => ({ ...common, psa_contact_id: `psa_${user.id}`, ...user })),
  })
  const [technician = 0] = await addTechnicians(msp, [{ psa_id: 31, name: 'Tess' }])
  await addPsaTechnicians(msp, [{ psa_id: 31, name: 'Tess', email: 'tess@psa.example' }])
  await addPsaTickets(msp, [{ ticket_id: '4711' }])
  await connect(msp, ['halo-psa'])
  await addAgents(msp, [
    { id: 1, autonomy_type: 'CONVERSATIONAL', entity_type: 'NONE', trigger_type: 'CHAT' },
    { id: 2, autonomy_type: 'CONVERSATIONAL', entity_type: 'NONE', trigger_type: 'CHAT' },
  ])
  await addChannels(msp, [
    { id: SITE, agent_id: 1, transport: 'WEB_CHAT', audience: 'END_USERS' },
    { id: SLACK, agent_id: 2, transport: 'SLACK', audience: 'END_USERS', workspace_id: 'T1' },
  ])
  await addConversation(msp, SITE, 'first', new Date('2026-01-02T00:00:00Z'))
  await addConversation(msp, SITE, 'latest', new Date('2026-01-03T00:00:00Z'))
  await addConversation(msp, SLACK, 'slack', new Date('2026-01-03T00:00:00Z'))
  return { msp, technician: { type: 'TECHNICIAN', id: String(technician) }, email }
}

/** A conversation of ada in which she wrote at the time. */
export async function addConversation(msp: Msp, channel_id: string, id: string, created_at: Date) {
  const { tenant_id, environment, database } = msp
  await database.prisma.channelConversation.create({
    data: { tenant_id, environment, channel_id, id, end_user_id: 'ada', created_at: new Date(0) },
  })
  const message = {
    id: `msg_${channel_id}_${id}`,
    channel_id,
    conversation_id: id,
    end_user_id: 'ada',
    created_at,
  }
  await addMessages(msp, [message])
}

/** Sends an e-mail to ada, unless the input says something else. */
export const sendMessage = (
  api: Api,
  caller: Caller,
  input: object = {},
  headers: Record<string, string> = {},
): Promise<Answer> => {
  const mail = { medium: 'EMAIL', recipient: ADA, subject: 'Your printer', body: 'It prints again.' }
  return api.call(caller, 'send_comms_message', { input: { ...mail, ...input } }, headers)
}

export const NOTE = { medium: 'TICKET_NOTE', ticket_id: '4711', recipient: null, subject: null }
export const chatOn = (channel_id: string) => ({ medium: 'CHAT', channel_id, subject: null })

/** The messages of the tenant, the oldest first. */
export const messagesOf = ({ database, tenant_id }: Msp): Promise<CommsMessage[]> =>
  database.prisma.commsMessage.findMany({
    where: { tenant_id, direction: 'OUTBOUND' },
    orderBy: { created_at: 'asc' },
  })

/** A message that a caller sent by mail, unless it says something else. */
export async function addOutbound(
  { tenant_id, environment, database }: Msp,
  message: Partial<Prisma.CommsMessageUncheckedCreateInput> & { id: string },
): Promise<void> {
  const now = clock.now()
  await database.prisma.commsMessage.create({
    data: {
      tenant_id,
      environment,
      direction: 'OUTBOUND',
      medium: 'EMAIL',
      status: 'QUEUED',
      recipient_type: 'END_USER',
      recipient_id: 'ada',
      recipient_name: 'Ada',
      end_user_id: 'ada',
      subject: 'Your printer',
      body: 'It prints again.',
      created_at: now,
      updated_at: now,
      ...message,
    },
  })
}

/** The payloads of the tenant’s jobs of the name that wait. */
export const waitingFor = async ({ database, tenant_id }: Msp, name: string): Promise<string[]> => {
  const jobs = await database.prisma.$queryRaw<{ message_id: string }[]>`
    select data -> 'payload' ->> 'message_id' as message_id from pgboss.job
    where name = ${name} and state < 'active' and data -> 'tenancy' ->> 'tenant_id' = ${tenant_id}`
  return jobs.map(({ message_id }) => message_id)
}
