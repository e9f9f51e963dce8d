/** The time from the request that runs an agent until its first tool calls the PSA, on a worker that has nothing to do. */
import { setTimeout as sleep } from 'node:timers/promises'
import { GRAPHQL, REST } from '../contenders.ts'
import { connected } from '../data/databases.ts'
import { onCopy } from '../data/kept.ts'
import type { Tenant } from '../data/tenants.ts'
import { progress } from '../progress.ts'
import { chainOf, runsDatabase, tenants, ticketOf } from './data.ts'
import { endOf, runByGraphql, runByRest, startApi, startWorker } from './processes.ts'

const ASKED = [
  [REST, runByRest],
  [GRAPHQL, runByGraphql],
] as const

/** The first ones, in which the processes load what they need, are not counted. */
const WARM_UP = 10
/** How long the worker then has nothing to do, so that a run begins at any point of what it does regularly. */
const LEAST_MS = 20
const MOST_MS = 400

/** The instant at which a run that began with the PSA called it, by the clock of this machine. */
const CALLED = `select c.execution_id, w.written_at from tool_call c
  join psa_write w on w.tenant_id = c.tenant_id and w.environment = c.environment and w.idempotency_key = c.id
  where c.sequence = 1`

async function measure(url: string, samples: number): Promise<Map<string, number[]>> {
  const api = await startApi('api', url)
  const worker = await startWorker('worker', url)
  const times = new Map<string, number[]>(ASKED.map(([label]) => [label, []]))
  await connected(url, async (client) => {
    const sent = new Map<string, { label: string; at: number }>()
    for (let number = -WARM_UP; number < samples; number++) {
      const index = Math.abs(number) % tenants.length
      const tenant = tenants[index] as Tenant
      for (const [turn, [label, runNow]] of (number % 2 ? ASKED.toReversed() : ASKED).entries()) {
        const ticket_id = ticketOf(2 * (number + WARM_UP) + turn)
        const at = Date.now()
        const execution_id = await runNow(api.base, { tenant, agent_id: chainOf(index), ticket_id })
        if (number >= 0) sent.set(execution_id, { label, at })
        await endOf(client, tenant, execution_id)
        await sleep(LEAST_MS + Math.random() * (MOST_MS - LEAST_MS))
      }
    }
    const { rows } = await client.query<{ execution_id: string; written_at: Date }>(CALLED)
    for (const { execution_id, written_at } of rows) {
      const of = sent.get(execution_id)
      if (of) times.get(of.label)?.push(written_at.getTime() - of.at)
    }
  })
  await Promise.all([api.stop(), worker.stop()])
  return times
}

/** Milliseconds of each run, by the interface that it was asked for through. */
export async function measureFirstCalls(samples: number): Promise<Map<string, number[]>> {
  progress('from run-now to the first tool call')
  return await onCopy(await runsDatabase(), (url) => measure(url, samples))
}
