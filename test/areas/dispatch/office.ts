/** An MSP whose tickets are dispatched. */
import { DECIDE } from '../../../src/areas/dispatch/declared.ts'
import { setDispatch } from '../../setup/dispatch.ts'
import { performWaiting } from '../../setup/due.ts'
import { addPsaTickets } from '../../setup/psa.ts'
import { addTechnicians } from '../../setup/technicians.ts'
import { type Msp, world } from '../../setup/world.ts'
import { happen } from '../callbacks/events.ts'

type Settings = Parameters<typeof setDispatch>[1]
type Technicians = Parameters<typeof addTechnicians>[1]

const READY: Technicians = [
  { id: 1, psa_id: 11, name: 'Priya', is_ready: true },
  { id: 2, psa_id: 12, name: 'Lee', is_ready: true },
]

/** Turns dispatch on, for technicians who are ready, in whatever hours. */
export async function open(
  msp: Msp,
  settings: Settings = {},
  technicians: Technicians = READY,
): Promise<void> {
  await addTechnicians(msp, technicians)
  await setDispatch(msp, { respect_schedules: false, ...settings })
}

/** An MSP with technicians who are ready, in whatever hours; dispatch is on. */
export async function office(settings: Settings = {}, technicians: Technicians = READY): Promise<Msp> {
  const msp = await world()
  await open(msp, settings, technicians)
  return msp
}

/** A ticket arrives by a webhook, and its decision is made. */
export async function arrive(
  msp: Msp,
  ticket: Partial<Parameters<typeof addPsaTickets>[1][number]> = {},
): Promise<void> {
  const ticket_id = ticket.ticket_id ?? '1'
  await addPsaTickets(msp, [{ ...ticket, ticket_id }])
  await happen(msp, [{ entity_id: ticket_id, action: 'CREATED' }])
  await performWaiting(msp, DECIDE.name)
}
