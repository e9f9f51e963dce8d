/** CHAINED_ACTIONS agents for tests. */
import type { Psa, PsaConnector } from '../../../../src/connectors/psa.ts'
import type { Services } from '../../../../src/gateway/context.ts'
import { addAgents } from '../../../setup/agents.ts'
import type { Api } from '../../../setup/api.ts'
import { testApp } from '../../../setup/app.ts'
import { addPsaContacts, addPsaTickets } from '../../../setup/psa.ts'
import { type Msp, world } from '../../../setup/world.ts'

export const NOTE = { type: 'ticket.add_note', params: { text: 'We are on it.', visibility: 'INTERNAL' } }
export const STATUS = { type: 'ticket.set_status', params: { status: 'In progress' } }

type Agent = Parameters<typeof addAgents>[1][number]

/** A tenant, a new one unless one is given, with ticket 4711, and agent 1, whose actions these are. */
export async function chainMsp(
  actions: readonly object[] = [NOTE, STATUS],
  agent: Partial<Agent> = {},
  tenant: Msp | Promise<Msp> = world(),
): Promise<Msp> {
  const msp = await tenant
  await addAgents(msp, [
    {
      id: 1,
      name: 'Chain',
      autonomy_type: 'CHAINED_ACTIONS',
      trigger_type: 'TRIGGERED',
      agent_settings: { estimated_minutes_saved: 30 },
      actions: actions as never,
      ...agent,
    },
  ])
  await addPsaContacts(msp, [{ contact_id: 'c1', psa_company_id: 'co1' }])
  await addPsaTickets(msp, [
    { ticket_id: '4711', number: 'T-4711', psa_company_id: 'co1', contact_id: 'c1' },
    { ticket_id: '4712', psa_company_id: 'co1' },
  ])
  return msp
}

/** Runs agent 1 now on the ticket, and answers with the execution's id. */
export async function start(api: Api, msp: Msp, entity_id = '4711', input: object = {}): Promise<string> {
  const { data } = await api.call(msp.key, 'run_agent_now', { agent_id: 1, input: { entity_id, ...input } })
  return data.execution_id
}

type Terms = Parameters<Msp['database']['prisma']['subscription']['updateMany']>[0]['data']

/** Changes the terms of the tenant's subscription. */
export const changeTerms = ({ database, tenant_id }: Msp, data: Terms) =>
  database.prisma.subscription.updateMany({ where: { tenant_id }, data })

/** The entries of the audit log about the execution, the first one first. */
export const entriesOf = async (api: Api, msp: Msp, execution_id: string) =>
  (await api.call(msp.key, 'execution_tool_calls', { execution_id })).data.toSorted(
    (one: { sequence: number }, other: { sequence: number }) => one.sequence - other.sequence,
  )

export const executionOf = async (api: Api, msp: Msp, execution_id: string) =>
  (await api.call(msp.key, 'execution', { execution_id })).data

/** The service with a PSA in which a call meets `meets`, before it is made or after. */
export async function withPsa(change: (psa: Psa) => Partial<Psa>): Promise<Services> {
  const { services } = (await testApp()).app
  const psa: PsaConnector = (ctx) => {
    const real = services.connectors.psa(ctx)
    return { ...real, ...change(real) }
  }
  return { ...services, connectors: { ...services.connectors, psa } }
}
