/** Rows for the tests of channels. */
import { addAgents } from '../../setup/agents.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { type Msp, world } from '../../setup/world.ts'

const CHAT = { autonomy_type: 'CONVERSATIONAL', trigger_type: 'CHAT', entity_type: 'NONE' } as const

/** A tenant with chat agents: 1 and 2 are ACTIVE, 3 is PAUSED, 5 is the USER's; 4 is of another kind. */
export async function withChatAgents(): Promise<Msp> {
  const msp = await world()
  await addAgents(msp, [
    { ...CHAT, id: 1, name: 'Desk' },
    { ...CHAT, id: 2 },
    { ...CHAT, id: 3, state: 'PAUSED' },
    { id: 4 },
    { ...CHAT, id: 5, created_by_user_id: msp.user.id },
  ])
  return msp
}

export const draft = (changes: object = {}) => ({
  input: { name: 'Help', agent_id: 1, transport: 'SLACK', audience: 'TECHNICIANS', ...changes },
})

export const actions = async (msp: Msp) => (await activitiesOf(msp)).map(({ action }) => action)
