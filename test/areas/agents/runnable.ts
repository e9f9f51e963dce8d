/** Agents to run, and what their runs leave behind. */

import { JOBS } from '../../../src/composition/jobs.ts'
import { installJobs } from '../../../src/jobs/install.ts'
import { addAgents, share } from '../../setup/agents.ts'
import type { Api } from '../../setup/api.ts'
import { ENVIRONMENT } from '../../setup/app.ts'
import { testDatabase } from '../../setup/database.ts'
import { addPsaTickets } from '../../setup/psa.ts'
import { type Caller, type Msp, world } from '../../setup/world.ts'

/** Makes the tables of jobs in the worker's database. */
export const installQueues = async (): Promise<void> => installJobs(await testDatabase(), ENVIRONMENT, JOBS)

/** Agent 1 works on tickets, 2 on nothing, 3 on time entries; 4 and 5 are the USER's and shared with the USER. */
export async function runnableMsp(): Promise<Msp> {
  const msp = await world()
  await addAgents(msp, [
    { id: 1 },
    { id: 2, entity_type: 'NONE', trigger_type: 'ON_DEMAND' },
    { id: 3, entity_type: 'TIME_ENTRY' },
    { id: 4, created_by_user_id: msp.user.id },
    { id: 5 },
  ])
  await share(msp, 5, msp.user.id)
  await addPsaTickets(msp, [{ ticket_id: '4711', number: 'T-4711' }, { ticket_id: '4712' }])
  return msp
}

export const run = (api: Api, caller: Caller, agent_id: unknown, input: object = {}, headers = {}) =>
  api.call(caller, 'run_agent_now', { agent_id, input: { entity_id: '4711', ...input } }, headers)

export const executionsOf = ({ database, tenant_id }: Msp) =>
  database.prisma.execution.findMany({ where: { tenant_id }, orderBy: { created_at: 'asc' } })

/** The ids of the executions whose jobs wait. */
export async function queued({ database, tenant_id }: Msp): Promise<string[]> {
  const jobs = await database.prisma.$queryRaw<
    { data: { tenancy: { tenant_id: string }; payload: { execution_id: string } } }[]
  >`
    select data from pgboss.job where name = 'executions.run' and state = 'created'`
  return jobs
    .filter(({ data }) => data.tenancy.tenant_id === tenant_id)
    .map(({ data }) => data.payload.execution_id)
}
