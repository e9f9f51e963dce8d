/** A callback that started an execution, and a call to another system, as `ownRows` has them. */
import { addExecutions } from '../agents.ts'
import { addCallbacks, addCalls, addMatches } from '../callbacks.ts'
import type { Msp } from '../world.ts'

interface Own {
  id: string
  mark: string
  number: number
  agent_id: number
}

export async function callbackRows(
  msp: Msp,
  { id, mark, number, agent_id }: Own,
): Promise<{ callback_id: string }> {
  const callback_id = `cb_${id}`
  const execution_id = `exe_of_cb_${id}`
  await addCallbacks(msp, [
    { id: callback_id, entity_number: mark, change_types: ['TICKET_CREATED'], work_seconds: number },
  ])
  await addExecutions(msp, [{ execution_id, agent_id, callback_id, seconds_spent: number }])
  await addMatches(msp, [{ callback_id, agent_id, execution_id }])
  await addCalls(msp, [{ system: 'HUDU', wait_seconds: number }])
  return { callback_id }
}
