/**
 * Inboxes that fill: failures of the agents of one tenant, in the inboxes of 50 users, and the write of a setting meanwhile, by the
 * expert floor and by the service on the same database. Rounds while inboxes fill alternate with rounds in which nothing happens,
 * since a machine is faster at one time than at another.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { raisedBy } from '../src/db/live/raise.ts'
import { compare, type Rounds } from './compare.ts'
import { startAll, stopAll } from './contenders.ts'
import { connected } from './data/databases.ts'
import { onCopy } from './data/kept.ts'
import { prepare } from './data/prepare.ts'
import { ENVIRONMENT, type Tenant, tenants } from './data/tenants.ts'
import { watchWrites } from './data/writes.ts'
import { watchDatabase } from './database-cpu.ts'
import type { Effort } from './options.ts'
import { progress } from './progress.ts'
import { questionsOf } from './questions.ts'
import { startWorker } from './runs/processes.ts'

export const USERS = 50
export const EVENTS_A_MINUTE = 20_000
/** Each with a cause of its own. */
export const AGENTS = 20
/** The minute after the last event, by which the inboxes have everything. */
const PATIENCE_SECONDS = 60
/** What inboxes cost is less than one measurement differs from the next. */
const TIMES_THE_ROUNDS = 2

export interface InboxLoad {
  idle: Rounds
  meanwhile: Rounds
  events: number
  /** Events that an inbox lacks or counts twice, in the inboxes of all users. */
  miscounted: number
  /** Seconds from the last event until every inbox has it, in the slowest round. */
  behind_seconds: number
}

const WRITE_MS = 100
const START_MS = 10_000
const LOOK_MS = 50

const [TENANT] = tenants as [Tenant]

const ADD_USERS = `insert into tenant_user (tenant_id, environment, id, subject, name, email, role, created_at, updated_at)
  select $1, $2, 'usr_inbox_' || n, 'inbox_' || n, 'User ' || n, 'user_' || n || '@bench.test', 'ADMIN', now(), now()
  from generate_series(1, $3 - (select count(*)::int from tenant_user
    where tenant_id = $1 and environment = $2 and role in ('OWNER', 'ADMIN'))) n`

const FIRST_AGENTS = 'select id from agent where tenant_id = $1 and environment = $2 order by id limit $3'

const RAISE = raisedBy('$3')

function failures(agents: readonly number[], from: number, count: number): object[] {
  return Array.from({ length: count }, (_, index) => {
    const number = from + index
    const agent_id = agents[number % agents.length] as number
    const execution_id = `exe_inbox_${number}`
    const data = {
      execution_id,
      agent_id,
      status: 'FAILED',
      error_code: 'model_refused',
      entity_number: `${number}`,
    }
    return { type: 'execution.failed', entity_id: execution_id, agent_id, data }
  })
}

/** Writes events after the first `from` at the rate until it is stopped. Resolves to how many there are then. */
async function writeSteadily(url: string, from: number, stop: AbortSignal): Promise<number> {
  return await connected(url, async (client) => {
    const tenancy = [TENANT.id, ENVIRONMENT]
    const { rows } = await client.query<{ id: number }>(FIRST_AGENTS, [...tenancy, AGENTS])
    const agents = rows.map(({ id }) => id)
    let written = from
    for (const began = performance.now(); !stop.aborted; await sleep(WRITE_MS)) {
      const due = from + Math.floor(((performance.now() - began) / 60_000) * EVENTS_A_MINUTE)
      await client.query(RAISE, [...tenancy, JSON.stringify(failures(agents, written, due - written))])
      written = due
    }
    return written
  })
}

const COUNTED = `select coalesce(sum(abs(events - counted)), 0)::int as miscounted, count(*)::int as users from (
    select u.id, $3::int as events, coalesce((select sum(i.occurrence_count) from inbox_item i
      where i.tenant_id = $1 and i.environment = $2 and i.user_id = u.id and i.kind = 'EXECUTION_FAILED'), 0) as counted
    from tenant_user u where u.tenant_id = $1 and u.environment = $2 and u.role in ('OWNER', 'ADMIN')
  ) of_user`

/** Seconds until the inboxes have every event, and what is wrong with them then, or at the end of the patience. */
async function settled(
  client: pg.Client,
  events: number,
): Promise<Pick<InboxLoad, 'miscounted' | 'behind_seconds'>> {
  const began = performance.now()
  for (;;) {
    const { rows } = await client.query<{ miscounted: number; users: number }>(COUNTED, [
      TENANT.id,
      ENVIRONMENT,
      events,
    ])
    const behind_seconds = (performance.now() - began) / 1000
    const [{ miscounted, users } = { miscounted: Number.NaN, users: 0 }] = rows
    if (users !== USERS) throw new Error(`There are ${users} inboxes`)
    if (miscounted === 0 || behind_seconds > PATIENCE_SECONDS) return { miscounted, behind_seconds }
    await sleep(LOOK_MS)
  }
}

const withMore = (rounds: Rounds, more: Rounds): Rounds =>
  new Map([...more].map(([label, measured]) => [label, [...(rounds.get(label) ?? []), ...measured]]))

async function measureOn(url: string, effort: Effort): Promise<InboxLoad> {
  const writes = await watchWrites(url)
  const questions = (await questionsOf(url, 1)).W1
  const instruments = { database: await watchDatabase(url), writes }
  const everybody = await startAll(url)
  const worker = await startWorker('worker', url)
  // At its start it does what was due.
  await sleep(START_MS)
  await connected(url, (client) => client.query(ADD_USERS, [TENANT.id, ENVIRONMENT, USERS]))
  const round = () => compare('W1', questions, everybody, instruments, { ...effort, rounds: 1 })
  const load: InboxLoad = {
    idle: new Map(),
    meanwhile: new Map(),
    events: 0,
    miscounted: 0,
    behind_seconds: 0,
  }
  for (let left = TIMES_THE_ROUNDS * effort.rounds; left > 0; left--) {
    progress(`nothing happens; ${left} rounds left`)
    load.idle = withMore(load.idle, await round())
    progress(`${EVENTS_A_MINUTE} events a minute into ${USERS} inboxes`)
    const writing = new AbortController()
    const written = writeSteadily(url, load.events, writing.signal)
    load.meanwhile = withMore(load.meanwhile, await round())
    writing.abort()
    load.events = await written
    const end = await connected(url, (client) => settled(client, load.events))
    load.miscounted = end.miscounted
    load.behind_seconds = Math.max(load.behind_seconds, end.behind_seconds)
  }
  await worker.stop()
  await stopAll(everybody)
  await instruments.database.close()
  await writes.close()
  return load
}

export const measureInbox = async (effort: Effort): Promise<InboxLoad> =>
  await onCopy(await prepare(1), (url) => measureOn(url, effort))
