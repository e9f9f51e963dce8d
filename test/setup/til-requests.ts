/** Requests to technicians, runs and events of executions for tests. */
import type { Prisma } from '../../src/db/generated/client/client.ts'
import { clock } from './app.ts'
import { addTechnicians } from './technicians.ts'
import { type Caller, days, type Msp } from './world.ts'

type Request = Partial<Prisma.TilRequestCreateManyInput>
type Run = Partial<Prisma.ExecutionRunCreateManyInput>
type Event = Partial<Prisma.TimelineEventCreateManyInput>

type Place = Pick<Msp, 'tenant_id' | 'environment' | 'database'>

const placeOf = ({ tenant_id, environment }: Place) => ({ tenant_id, environment })

/** A key that the API-request channel presents. */
export async function channelKey(msp: Msp, options = {}): Promise<Caller> {
  const key = await msp.newKey(options)
  await msp.database.prisma.apiKey.updateMany({
    where: { tenant_id: msp.tenant_id, id: key.id },
    data: { channel: 'API_REQUEST' },
  })
  return key
}

/** Makes the user the technician with this id. */
export async function makeTechnician(msp: Place, user_id: string, id: number): Promise<void> {
  await addTechnicians(msp, [{ id, psa_id: id, name: `Technician ${id}` }])
  await msp.database.prisma.tenantUser.updateMany({
    where: { ...placeOf(msp), id: user_id },
    data: { technician_profile_id: id },
  })
}

/** PENDING writes that the agent asks for, unless they say otherwise; `technicians` may decide. */
export async function addTilRequests(
  msp: Place,
  requests: readonly (Request & { id: string; technicians?: readonly number[] })[],
): Promise<void> {
  const { prisma } = msp.database
  const now = clock.now()
  await prisma.tilRequest.createMany({
    data: requests.map(({ technicians: _, ...request }) => ({
      ...placeOf(msp),
      kind: 'WRITE',
      title: `Request ${request.id}`,
      summary: 'A change.',
      allowed_decisions: ['APPROVE', 'REJECT', 'EDIT'],
      requested_by_type: 'AGENT',
      requested_by_id: String(request.agent_id ?? 1),
      requested_by_name: 'Agent',
      risk: 'CHANGE',
      expires_at: new Date(now.getTime() + days(3)),
      created_at: now,
      updated_at: now,
      ...request,
    })),
  })
  await prisma.tilRequestTechnician.createMany({
    data: requests.flatMap(({ id, technicians = [] }) =>
      technicians.map((technician_id) => ({ ...placeOf(msp), til_request_id: id, technician_id })),
    ),
  })
}

export async function addRuns(
  msp: Place,
  runs: readonly (Run & { execution_id: string; sequence: number })[],
): Promise<void> {
  await msp.database.prisma.executionRun.createMany({
    data: runs.map((run) => ({
      ...placeOf(msp),
      temporal_run_id: `run_${run.execution_id}_${run.sequence}`,
      status: 'COMPLETED',
      supervised: false,
      started_at: clock.now(),
      ...run,
    })),
  })
}

export async function addEvents(
  msp: Place,
  events: readonly (Event & { execution_id: string; sequence: number })[],
): Promise<void> {
  await msp.database.prisma.timelineEvent.createMany({
    data: events.map((event) => ({
      ...placeOf(msp),
      id: `evt_${event.execution_id}_${event.sequence}`,
      at: clock.now(),
      kind: 'MESSAGE',
      temporal_run_id: `run_${event.execution_id}_1`,
      ...event,
    })),
  })
}
