/** Tickets that nobody touched, and looking for them. */
import { FIND_STALLED } from '../../../src/areas/escalation/declared.ts'
import { queueStalled } from '../../../src/areas/escalation/stalled.ts'
import type { Psa } from '../../../src/connectors/psa.ts'
import type { Services } from '../../../src/gateway/context.ts'
import { clock, testApp } from '../../setup/app.ts'
import { performWaiting, withPsa } from '../../setup/due.ts'
import { addPolicies } from '../../setup/escalations.ts'
import { addPsaTickets, psaOfTenant } from '../../setup/psa.ts'
import { type Msp, world } from '../../setup/world.ts'
import { changeTicket, happen } from '../callbacks/events.ts'

const MINUTE_MS = 60_000
const STALLED = { triggers: ['TICKET_STALLED'] as 'TICKET_STALLED'[], stalled_minutes: 60 }
export const OF_NEW = { ...STALLED, stalled_statuses: ['New'] }

export const pass = (minutes: number): void => clock.advance(minutes * MINUTE_MS)

/** A tenant with open tickets, each of which an event has told of just now. */
export async function withTickets(policies: readonly object[] = [OF_NEW], ids: readonly string[] = ['1']) {
  const msp = await world()
  await addPolicies(msp, policies)
  await addPsaTickets(
    msp,
    ids.map((ticket_id) => ({ ticket_id })),
  )
  for (const entity_id of ids) await happen(msp, [{ entity_id }])
  return msp
}

export const queue = async ({ tenant_id }: Msp): Promise<void> => {
  const { services } = (await testApp()).app
  const request = { id: 'stalled', ip: null, user_agent: null, if_match: null }
  await queueStalled({ services, now: clock.now(), request, log: services.log }, { tenant_id })
}

/** Looks for the tenant's stalled tickets. The ids of those that the PSA was asked for. */
export async function look(msp: Msp, calls: (local: Psa) => Partial<Psa> = () => ({})): Promise<string[]> {
  const asked: string[] = []
  const services: Services = await withPsa((local) => ({
    ...Object.fromEntries(
      Object.keys(local).map((name) => [
        name,
        () => Promise.reject(new Error(`The PSA was asked for ${name}`)),
      ]),
    ),
    ticket(ticket_id) {
      asked.push(ticket_id)
      return local.ticket(ticket_id)
    },
    ...calls(local),
  }))
  await queue(msp)
  await performWaiting(msp, FIND_STALLED.name, { services })
  return asked.toSorted()
}

export const knownOf = ({ database, tenant_id }: Msp) =>
  database.prisma.callbackEntity.findFirstOrThrow({
    where: { tenant_id },
    select: { open_status: true, quiet_since: true },
  })

export const ticketOf = async (msp: Msp) => {
  const ticket = await psaOfTenant(msp).ticket('1')
  if (!ticket) throw new Error('There is no ticket')
  return ticket
}

/** A person changes ticket 1 now, and the PSA tells of it. */
export async function touch(msp: Msp, data: object = {}): Promise<void> {
  await changeTicket(msp, { updated_at: clock.now(), ...data })
  await happen(msp, [{}])
}
