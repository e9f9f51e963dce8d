/** One request to technicians, one run and one event of an execution, for suites that are generated. */
import { addEvents, addRuns, addTilRequests } from '../til-requests.ts'
import type { Msp } from '../world.ts'

interface Own {
  /** Ends the ids of the rows. */
  id: string
  mark: string
  agent_id: number
}

export async function tilRequestRows(msp: Msp, { id, mark, agent_id }: Own): Promise<void> {
  const execution_id = `exe_${id}`
  await addTilRequests(msp, [{ id: `til_${id}`, execution_id, agent_id, title: mark }])
  await addRuns(msp, [{ execution_id, sequence: 1, temporal_run_id: `run_${mark}` }])
  await addEvents(msp, [{ execution_id, sequence: 1, id: `evt_${id}`, text: mark }])
}
