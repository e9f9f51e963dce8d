/** Callbacks, their matches and calls to other systems, for tests. */
import type { Prisma } from '../../src/db/generated/client/client.ts'
import { clock } from './app.ts'
import type { Msp } from './world.ts'

type Owner = Pick<Msp, 'tenant_id' | 'environment' | 'database'>
type Callback = Partial<Prisma.CallbackCreateManyInput>
type Match = Partial<Prisma.CallbackMatchCreateManyInput>
type Call = Partial<Prisma.UpstreamCallCreateManyInput>

const tenancy = ({ tenant_id, environment }: Owner) => ({ tenant_id, environment })

/** Callbacks about tickets, processed as they were received. */
export async function addCallbacks(msp: Owner, callbacks: readonly (Callback & { id: string })[]) {
  await msp.database.prisma.callback.createMany({
    data: callbacks.map((callback) => {
      const { status = 'PROCESSED', received_at = clock.now() } = callback
      const processed_at = ['PROCESSED', 'FAILED'].includes(status) ? received_at : null
      const filter_reason = status === 'FILTERED_OUT' ? 'CHANGE_TYPE_UNUSED' : null
      return {
        ...tenancy(msp),
        psa_type: 'HALO_PSA',
        entity_type: 'TICKET',
        entity_id: '4711',
        status,
        received_at,
        processed_at,
        filter_reason,
        ...callback,
      }
    }),
  })
}

/** Matches that made an agent run. */
export async function addMatches(
  msp: Owner,
  matches: readonly (Match & { callback_id: string; agent_id: number })[],
) {
  await msp.database.prisma.callbackMatch.createMany({
    data: matches.map((match) => ({
      ...tenancy(msp),
      result: 'MATCHED',
      received_at: clock.now(),
      ...match,
    })),
  })
}

/** Calls that went well. */
export async function addCalls(msp: Owner, calls: readonly Call[]) {
  await msp.database.prisma.upstreamCall.createMany({
    data: calls.map((call) => ({
      ...tenancy(msp),
      system: 'HALO_PSA',
      at: clock.now(),
      wait_seconds: 0.5,
      ok: true,
      ...call,
    })),
  })
}
