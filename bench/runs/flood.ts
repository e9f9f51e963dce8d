/** One tenant asks for what is dear, as often as it is answered, and another one goes on as usual. */
import { connected } from '../data/databases.ts'
import { onCopy } from '../data/kept.ts'
import { ENVIRONMENT } from '../data/tenants.ts'
import { headersOf, type Loaded, load } from '../load.ts'
import { progress } from '../progress.ts'
import { runsDatabase, tenants } from './data.ts'
import { startApi } from './processes.ts'

export const CALLS_AT_ONCE = 60
const MEMORIES = 5_000
const CHARACTERS = 4_000

/** Milliseconds of the answers to the other tenant, and what the flooding one had answered. */
export interface Flood {
  idle_ms: number[]
  flooded_ms: number[]
  answered: number
  refused: number
}

// Each memory has the end of what is searched for, so that no index leaves any out.
const FILL = `insert into agent_memory (tenant_id, environment, id, content, category, scope_type, derivation, confidence,
    created_by, audiences, created_at, updated_at)
  select $1, '${ENVIRONMENT}', 'mem_' || n, 'aab ' || repeat('a', ${CHARACTERS - 4}), 'SEMANTIC', 'TENANT', 'STATED', 1, 'USER',
    array['ALL']::memory_audience[], now(), now() from generate_series(1, ${MEMORIES}) n`
const SEARCH = `${'a'.repeat(199)}b`

class Flooding {
  answered = 0
  refused = 0
  #over = false
  readonly #callers: Promise<void>[]

  constructor(base: string, key: string) {
    const path = `${base}/public-api/memories?search=${SEARCH}`
    this.#callers = Array.from({ length: CALLS_AT_ONCE }, () => this.#call(path, key))
  }

  async #call(path: string, key: string): Promise<void> {
    while (!this.#over) {
      const response = await fetch(path, { headers: headersOf(key) })
      await response.text()
      if (response.ok) this.answered++
      else this.refused++
    }
  }

  async end(): Promise<void> {
    this.#over = true
    await Promise.all(this.#callers)
  }
}

export async function measureFlood(seconds: number): Promise<Flood> {
  progress(`${CALLS_AT_ONCE} searches of one tenant at once`)
  const [flooding, other] = tenants
  if (!flooding || !other) throw new Error('There are no tenants')
  return await onCopy(await runsDatabase(), async (url) => {
    await connected(url, async (client) => {
      await client.query(FILL, [flooding.id])
      await client.query('vacuum analyze agent_memory')
    })
    const api = await startApi('api', url)
    const requests = [{ method: 'GET' as const, path: '/public-api/agents', key: other.key }]
    const asUsual = (): Promise<Loaded> => load(api.base, { requests, connections: 1, seconds })
    try {
      await asUsual()
      const { latencies: idle_ms } = await asUsual()
      const flood = new Flooding(api.base, flooding.key)
      const { latencies: flooded_ms } = await asUsual()
      await flood.end()
      return { idle_ms, flooded_ms, answered: flood.answered, refused: flood.refused }
    } finally {
      await api.stop()
    }
  })
}
