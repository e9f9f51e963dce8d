/** The service as several processes, and what is asked of it. */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Contender } from '../contender.ts'
import { startService } from '../contenders.ts'
import { ENVIRONMENT, type Tenant } from '../data/tenants.ts'
import { headersOf } from '../load.ts'

/** As soon as it is told to, a process stops. */
const AT_ONCE = { DRAIN_DELAY_MS: '0' }

export const startApi = (name: string, url: string, env: Record<string, string> = {}): Promise<Contender> =>
  startService(name, url, { ...AT_ONCE, ROLE: 'api', ...env })

const LOOK_MS = 20

/** Starts a process that runs jobs; it does when this resolves. */
export async function startWorker(
  name: string,
  url: string,
  env: Record<string, string> = {},
): Promise<Contender> {
  const worker = await startService(name, url, { ...AT_ONCE, ROLE: 'worker', ...env })
  while (!worker.logged().includes('"msg":"working"')) await sleep(LOOK_MS)
  return worker
}

/** One run of an agent on a ticket. */
export interface Run {
  tenant: Tenant
  agent_id: number
  ticket_id: string
}

const MUTATION = `mutation ($agent_id: Int!, $ticket_id: ID!) {
  run_agent_now(agent_id: $agent_id, input: { entity_id: $ticket_id }) { execution_id }
}`

/** A call that is 503 is made again, as its answer says: a ticket has one run of an agent at a time. */
const TRIES = 10
const PAUSE_MS = 500

export async function post(url: string, key: string, body: object, tries = TRIES): Promise<unknown> {
  const response = await fetch(url, { method: 'POST', headers: headersOf(key), body: JSON.stringify(body) })
  if (response.status === 503 && tries > 1) {
    await sleep(PAUSE_MS)
    return await post(url, key, body, tries - 1)
  }
  const text = await response.text()
  if (!response.ok || text.includes('"errors":['))
    throw new Error(`${url} was answered with ${response.status}: ${text.slice(0, 500)}`)
  return JSON.parse(text)
}

/** Runs the agent by REST, and returns the id of the execution. */
export async function runByRest(base: string, { tenant, agent_id, ticket_id }: Run): Promise<string> {
  const path = `/public-api/agents/${agent_id}/run-now`
  const answer = (await post(base + path, tenant.key, { entity_id: ticket_id })) as {
    data: { execution_id: string }
  }
  return answer.data.execution_id
}

/** The same by GraphQL. */
export async function runByGraphql(base: string, { tenant, agent_id, ticket_id }: Run): Promise<string> {
  const body = { query: MUTATION, variables: { agent_id, ticket_id } }
  const answer = (await post(`${base}/graphql`, tenant.key, body)) as {
    data: { run_agent_now: { execution_id: string } }
  }
  return answer.data.run_agent_now.execution_id
}

const CALLERS = 8

/** Runs them all, some at a time, in their order. Returns the ids of the executions. */
export async function runAll(base: string, runs: readonly Run[]): Promise<string[]> {
  const left = runs.entries()
  const ids: string[] = []
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      for (const [index, run] of left) ids[index] = await runByRest(base, run)
    }),
  )
  return ids
}

const END = `select status::text as status, finished_at from execution
  where tenant_id = $1 and environment = '${ENVIRONMENT}' and execution_id = $2`

/** Waits until the execution has come to its end, which must be a good one: the time of it. */
export async function endOf(client: pg.Client, { id }: Tenant, execution_id: string): Promise<number> {
  for (;;) {
    const { rows } = await client.query<{ status: string; finished_at: Date | null }>(END, [id, execution_id])
    const [row] = rows
    if (row?.finished_at && row.status !== 'COMPLETED') throw new Error(`A run ended ${row.status}`)
    if (row?.finished_at) return row.finished_at.getTime()
    await sleep(LOOK_MS)
  }
}
