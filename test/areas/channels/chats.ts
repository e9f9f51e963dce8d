/** Chats for tests: their channels, people, messages and answers. */
import { addAgents } from '../../setup/agents.ts'
import type { Api } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { addChannels } from '../../setup/channels.ts'
import { addCompanies } from '../../setup/companies.ts'
import { performJobs } from '../../setup/jobs.ts'
import { addPsaTickets } from '../../setup/psa.ts'
import { type Caller, type Msp, world } from '../../setup/world.ts'

export const DESK = 'chn_desk'
export const SITE = 'chn_site'

const CHAT = {
  autonomy_type: 'CONVERSATIONAL' as const,
  trigger_type: 'CHAT' as const,
  entity_type: 'NONE' as const,
  agent_settings: { custom_instructions: 'Name the ticket.' },
  toolbox: { tools: ['contact.read', 'contact.search', 'memory.save', 'web.search'] },
  integrations: { grants: [{ system: 'HALO_PSA', permission_groups: ['TICKETS'], access: 'WRITE' }] },
}

/**
 * A tenant with a chat agent that has the tools of tickets, a channel for technicians and one for end users, of whom `ada`
 * is at the company `psa_a` and `bob` at `psa_b`, and the ticket 4711.
 */
export async function chatMsp(): Promise<Msp> {
  const msp = await world()
  await addAgents(msp, [{ ...CHAT, id: 1, name: 'Desk' }])
  await addChannels(msp, [
    { id: DESK, agent_id: 1, transport: 'WEB_CHAT' },
    { id: SITE, agent_id: 1, transport: 'WEB_CHAT', audience: 'END_USERS' },
  ])
  await addCompanies(msp, [{ id: 'a' }, { id: 'b' }])
  const { tenant_id, environment, database } = msp
  const common = { tenant_id, environment, created_at: clock.now(), updated_at: clock.now() }
  await database.prisma.endUser.createMany({
    data: [
      { id: 'ada', end_company_id: 'a', workplace_user_id: 'wp_ada' },
      { id: 'bob', end_company_id: 'b', workplace_user_id: 'wp_bob' },
      { id: 'eve', end_company_id: 'b', status: 'INACTIVE' as const },
    ].map((person) => ({ ...common, name: person.id, psa_contact_id: `con_${person.id}`, ...person })),
  })
  await addPsaTickets(msp, [{ ticket_id: '4711', number: 'T-4711', title: 'The printer is on fire' }])
  return msp
}

const TECHNICIAN = { workplace_user_id: 'U1' }

/** A call that posts a message: a technician's on the desk, unless something else is said. */
export const post = (api: Api, caller: Caller, input: object = {}, channel_id = DESK, headers = {}) =>
  api.call(
    caller,
    'post_channel_message',
    { channel_id, input: { conversation_id: 'one', sender: TECHNICIAN, text: 'What about 4711?', ...input } },
    headers,
  )

/** Lets the agents answer, and reads the messages of the channel, the oldest first. */
export async function answered(api: Api, msp: Msp, channel_id = DESK) {
  await performJobs(msp, 'channels.answer')
  const { data } = await api.call(msp.key, 'channel_messages', { channel_id })
  return data.toSorted((a: { author: string }, b: { author: string }) => (a.author > b.author ? -1 : 1))
}
