/** Rows for every job and loop of the service: what it is to do, and what is done once it has run. */
import { stagesOf } from '../../../src/areas/integration-syncs/rules.ts'
import { addAgents, addExecutions } from '../../setup/agents.ts'
import type { Msp } from '../../setup/world.ts'

export interface Rows {
  /** Stores the rows. A tenant's job is run with the result as its payload. */
  store(msp: Msp): Promise<unknown>
  /** Finds what is to be done in the environment `$1`: something before the run, and nothing after it. */
  todo: string
  /** The job is one for all environments. */
  everywhere?: true
}

export const DAY = 86_400_000
export const ago = (days: number): Date => new Date(Date.now() - days * DAY)
export const LONG_AGO = ago(500)

/** The tenancy of the rows. */
export const at = ({ tenant_id, environment }: Msp) => ({ tenant_id, environment })

/** An agent and its execution, both with ids of their own, that ended long ago unless it says something else. */
export async function addRun(msp: Msp, id: number, execution: object = {}): Promise<string> {
  const execution_id = `exe_${id}`
  await addAgents(msp, [{ id, entity_type: 'NONE' }])
  const stamps = { created_at: LONG_AGO, updated_at: LONG_AGO, finished_at: LONG_AGO }
  await addExecutions(msp, [{ agent_id: id, entity_type: 'NONE', ...stamps, ...execution, execution_id }])
  return execution_id
}

/** A sync of a PSA, which last went on at that time. */
export async function addSync(
  msp: Msp,
  id: string,
  updated_at: Date,
  status: 'QUEUED' | 'SUCCEEDED' = 'QUEUED',
): Promise<void> {
  const sync = { name: 'halo-psa', is_full: true, stages: stagesOf('PSA'), created_at: updated_at }
  await msp.database.prisma.integrationSync.create({ data: { ...at(msp), ...sync, id, status, updated_at } })
}
