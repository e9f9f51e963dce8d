/** Feedback links of a tenant, and their answers. */
import type { Prisma } from '../../src/db/generated/client/client.ts'
import { addAgents, addExecutions } from './agents.ts'
import { type Api, type Arguments, apis } from './api.ts'
import { clock } from './app.ts'
import { addCompanies } from './companies.ts'
import { addPsaContacts, addPsaTickets } from './psa.ts'
import { days, type Msp, world } from './world.ts'

export const EXECUTION = 'exe_1'
export const TICKET = '4711'

/** An agent that has worked on a ticket of a contact whom the service knows. */
export async function addWorkToRate(msp: Msp): Promise<void> {
  const { tenant_id, environment } = msp
  const now = clock.now()
  await addAgents(msp, [{ id: 1, name: 'Mailbox helper' }])
  await addExecutions(msp, [
    { execution_id: EXECUTION, agent_id: 1, entity_id: TICKET, entity_number: 'T-4711' },
  ])
  await addCompanies(msp, [{ id: 'alder', name: 'Alder & Co' }])
  await addPsaContacts(msp, [{ contact_id: 'ada', psa_company_id: 'psa_alder', name: 'Ada' }])
  await addPsaTickets(msp, [
    { ticket_id: TICKET, number: 'T-4711', title: 'No mail', psa_company_id: 'psa_alder', contact_id: 'ada' },
  ])
  await msp.database.prisma.endUser.createMany({
    data: [{ id: 'eu_ada', psa_contact_id: 'ada', name: 'Ada' }].map((user) => ({
      tenant_id,
      environment,
      end_company_id: 'alder',
      last_synced_at: now,
      created_at: now,
      updated_at: now,
      ...user,
    })),
  })
}

/** A tenant with such work. */
export async function feedbackMsp(): Promise<Msp> {
  const msp = await world()
  await addWorkToRate(msp)
  return msp
}

/** The arguments that a link is. */
export interface Link extends Arguments {
  feedback_id: string
  expires: string
  signature: string
}

export function linkIn(url: string): Link {
  const { pathname, searchParams } = new URL(url, 'http://service.test')
  const [, , , feedback_id = ''] = pathname.split('/')
  return {
    feedback_id,
    expires: searchParams.get('expires') ?? '',
    signature: searchParams.get('signature') ?? '',
  }
}

const [GRAPHQL] = apis

/** Makes a link by the operation. */
export async function makeLink(
  msp: Msp,
  input: object = { execution_id: EXECUTION },
  api: Api = GRAPHQL as Api,
): Promise<Link> {
  const { data, error } = await api.call(msp.admin, 'create_feedback_link', { input })
  if (error) throw new Error(JSON.stringify(error))
  return linkIn(data.url)
}

/** Answers a link by the operation. */
export const answer = (api: Api, link: Partial<Link>, input: object, headers?: Record<string, string>) =>
  api.call(null, 'submit_feedback', { ...link, input }, headers)

type Tenant = Pick<Msp, 'tenant_id' | 'environment' | 'database'>
type Entry = Partial<Prisma.FeedbackEntryCreateManyInput> & { id: string }

/** Links about nothing in particular that are PENDING for two weeks more. */
export async function addFeedback(
  { tenant_id, environment, database: { prisma } }: Tenant,
  entries: readonly Entry[],
): Promise<void> {
  await prisma.feedbackEntry.createMany({
    data: entries.map((entry) => {
      const { created_at = clock.now() } = entry
      const expires_at = new Date(new Date(created_at).getTime() + days(14))
      expires_at.setUTCMilliseconds(0)
      return { tenant_id, environment, expires_at, created_at, updated_at: created_at, ...entry }
    }),
  })
}

/** The tenant’s feedback, as it is stored, the oldest first. */
export const feedbackOf = ({ database, tenant_id }: Pick<Msp, 'database' | 'tenant_id'>) =>
  database.prisma.feedbackEntry.findMany({
    where: { tenant_id },
    orderBy: [{ created_at: 'asc' }, { id: 'asc' }],
  })
