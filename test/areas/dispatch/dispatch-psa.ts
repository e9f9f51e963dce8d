/** The service with a PSA in which calls of single tenants fail, and the tickets that dispatch gives to technicians. */
import { afterAll, beforeAll } from 'vitest'
import { localPsa } from '../../../src/connectors/local/psa.ts'
import type { PortContext } from '../../../src/connectors/port.ts'
import type { Psa } from '../../../src/connectors/psa.ts'
import { type Api, apisAt } from '../../setup/api.ts'
import { type Running, startApp } from '../../setup/app.ts'
import { testDatabase } from '../../setup/database.ts'
import { addDecisions, setDispatch } from '../../setup/dispatch.ts'
import { addPsaTechnicians, addPsaTickets } from '../../setup/psa.ts'
import { addTechnicians } from '../../setup/technicians.ts'
import { type Msp, world } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'

type Calls = (local: Psa) => Partial<Psa>

const calls_of = new Map<string, Calls>()

/** Replaces calls of the tenant’s PSA from now on. Without `calls` it is the local PSA again. */
export const replaceCalls = ({ tenant_id }: Msp, calls: Calls = () => ({})): void => {
  calls_of.set(tenant_id, calls)
}

const psa = (ctx: PortContext): Psa => {
  const local = localPsa(ctx)
  return { ...local, ...calls_of.get(ctx.viewer?.tenant_id ?? '')?.(local) }
}

let running: Running | undefined

/** Starts the service with such a PSA for the tests of a file. */
export function useDispatchPsa(): void {
  beforeAll(async () => {
    await installQueues()
    running = await startApp(await testDatabase(), {}, undefined, { connectors: { psa } })
  })
  afterAll(() => running?.app.close())
}

export const services = () => (running as Running).app.services

/** Both interfaces of the service. */
export const [graphql, rest] = apisAt(async () => (running as Running).base) as [Api, Api]

export const DECISION = 'dsp_1'
export const TICKET = '4711'

/** A tenant with technicians 1, 2 and 3, whose ids in the PSA are 11, 12 and 13, and a decision for a ticket of nobody. */
export async function dispatchMsp(
  decision: Partial<Parameters<typeof addDecisions>[1][number]> = {},
): Promise<Msp> {
  const msp = await world()
  const ids = [1, 2, 3]
  await addTechnicians(
    msp,
    ids.map((id) => ({ id, psa_id: id + 10 })),
  )
  await addPsaTechnicians(
    msp,
    ids.map((id) => ({ psa_id: id + 10 })),
  )
  await addPsaTickets(msp, [{ ticket_id: TICKET, psa_company_id: 'psa_alder' }])
  await setDispatch(msp)
  await addDecisions(msp, [{ id: DECISION, ticket_id: TICKET, psa_company_id: 'psa_alder', ...decision }])
  return msp
}

export const apply = (api: Api, msp: Msp, headers?: Record<string, string>) =>
  api.call(msp.admin, 'apply_dispatch_decision', { decision_id: DECISION }, headers)

export const override = (api: Api, msp: Msp, technician_id = 2, comment = 'Knows the customer.') =>
  api.call(msp.admin, 'override_dispatch_decision', {
    decision_id: DECISION,
    input: { technician_id, comment },
  })

/** The technician of the ticket, by the id in the PSA. */
export async function assigneeOf({ database, tenant_id }: Msp): Promise<number | null> {
  const ticket = await database.prisma.psaTicket.findFirst({ where: { tenant_id, ticket_id: TICKET } })
  return ticket?.assignee_psa_id ?? null
}

/** The keys of the writes that the PSA has made. */
export async function writesOf({ database, tenant_id }: Msp): Promise<string[]> {
  const writes = await database.prisma.psaWrite.findMany({ where: { tenant_id } })
  return writes.map(({ idempotency_key }) => idempotency_key)
}

/** Gives the ticket to a technician in the PSA, or closes it, as a person does there. */
export const changeTicket = ({ database, tenant_id }: Msp, data: object) =>
  database.prisma.psaTicket.updateMany({ where: { tenant_id, ticket_id: TICKET }, data })
