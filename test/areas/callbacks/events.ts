/** Events of the local PSA, as a webhook or a poll brings them. */
import { type ReceivedEvent, receiveEvents } from '../../../src/areas/callbacks/index.ts'
import type { Services } from '../../../src/gateway/context.ts'
import { testApp } from '../../setup/app.ts'
import { processCallbacksOf } from '../../setup/due.ts'
import type { Msp } from '../../setup/world.ts'

/** An event about ticket 1, that it has changed. */
const event = (given: Partial<ReceivedEvent> = {}): ReceivedEvent => ({
  event_id: null,
  source: 'WEBHOOK',
  entity_type: 'TICKET',
  entity_id: '1',
  action: 'UPDATED',
  psa_changed_at: null,
  ...given,
})

export async function receive(msp: Msp, ...events: Partial<ReceivedEvent>[]) {
  const { services } = (await testApp()).app
  return await receiveEvents(services, msp, events.map(event))
}

/** Receives the events one after another, each processed before the next one. Returns the last callback. */
export async function happen(msp: Msp, events: readonly Partial<ReceivedEvent>[], services?: Services) {
  for (const one of events) {
    await receive(msp, one)
    await processCallbacksOf(msp, services && { services })
  }
  return await lastCallback(msp)
}

export const callbacksOf = ({ database, tenant_id }: Msp) =>
  database.prisma.callback.findMany({
    where: { tenant_id },
    orderBy: [{ received_at: 'asc' }, { id: 'asc' }],
    include: { matches: { orderBy: { agent_id: 'asc' } } },
  })

export async function lastCallback(msp: Msp) {
  const last = (await callbacksOf(msp)).at(-1)
  if (!last) throw new Error('There is no callback')
  return last
}

/** Changes ticket 1 in the PSA, a moment after what was there. */
export async function changeTicket(
  { database, tenant_id, environment }: Msp,
  data: Record<string, unknown>,
  ticket_id = '1',
): Promise<void> {
  const key = { tenant_id_environment_ticket_id: { tenant_id, environment, ticket_id } }
  const { updated_at } = await database.prisma.psaTicket.findUniqueOrThrow({ where: key })
  await database.prisma.psaTicket.update({
    where: key,
    data: { updated_at: new Date(updated_at.getTime() + 1), ...data },
  })
}
