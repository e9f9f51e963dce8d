/** Technicians who decide, and a request that waits for them. */
import { addAgents } from '../../setup/agents.ts'
import { addScript } from '../../setup/rmm-scripts.ts'
import { addTilRequests, makeTechnician } from '../../setup/til-requests.ts'
import { type Msp, world } from '../../setup/world.ts'

/** The ids of the technicians that these users are. */
export const ADMIN = 700_011
export const USER = 700_012

/** A tenant whose ADMIN and USER are technicians, with an agent that the USER does not see. */
export async function deskWorld(): Promise<Msp> {
  const msp = await world()
  await makeTechnician(msp, msp.admin.id, ADMIN)
  await makeTechnician(msp, msp.user.id, USER)
  await addAgents(msp, [{ id: 1, name: 'Passwords' }])
  await addScript(msp)
  return msp
}

/** The arguments of the write that `asked` stores. */
export const NOTE = { ticket_id: '4711', text: 'Done.', visibility: 'INTERNAL' }

/** That write with its hash. */
export const WRITE = { arguments: NOTE, tool_name: 'ticket.add_note', arguments_hash: 'a'.repeat(64) }

type Request = Parameters<typeof addTilRequests>[1][number]

/** A write that an agent asked for without an execution, for the ADMIN and the USER to decide. */
export const asked = (msp: Msp, request: Partial<Request> = {}): Promise<void> =>
  addTilRequests(msp, [{ id: 'til_1', agent_id: 1, ...WRITE, technicians: [ADMIN, USER], ...request }])
