/** A channel and an install of it, for the generated suites. */
import { addChannels, addInstalls, addMessages } from '../channels.ts'
import type { Msp } from '../world.ts'

interface Own {
  id: string
  mark: string
  agent_id: number
}

/** The channel's id, by the argument that takes it. */
export async function addOwnChannel(msp: Msp, { id, mark, agent_id }: Own): Promise<{ channel_id: string }> {
  const channel_id = `chn_${id}`
  const texts = { name: mark, status_reason: mark, workspace_id: mark, workspace_name: mark }
  await addChannels(msp, [{ id: channel_id, agent_id, display_name: mark, ...texts }])
  await addMessages(msp, [
    { id: `msg_${id}`, channel_id, conversation_id: mark, workplace_user_id: mark, text: mark },
  ])
  await addInstalls(msp, [{ id: `ins_${id}`, channel_id, installer_email: `${mark}@example.test` }])
  return { channel_id }
}
