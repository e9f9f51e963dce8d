/** The statements and round trips of mutations, on PostgreSQL: an embedded database has none. */
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { apis } from '../setup/api.ts'
import { countStatements } from '../setup/statements.ts'
import { type Msp, world } from '../setup/world.ts'

interface Client {
  query(...args: unknown[]): unknown
}

interface Sent {
  text: string
  /** Of a query object, which tells its answer by this and not by a promise. */
  callback?: (...results: unknown[]) => void
}

/**
 * The messages in their order, sent and received, of the connection that one of them marks: `> commit`, `< commit`.
 * Background work has others.
 */
async function traffic(mark: RegExp, work: () => Promise<unknown>): Promise<string[]> {
  const client = pg.Client.prototype as unknown as Client
  const { query } = client
  const seen: { on: unknown; line: string }[] = []
  client.query = function (...args) {
    const [sent] = args as [string | Sent]
    const text = (typeof sent === 'string' ? sent : sent.text).trim()
    const note = (line: string) => void seen.push({ on: this, line })
    const answered = () => note(`< ${text}`)
    note(`> ${text}`)
    if (typeof sent !== 'string' && sent.callback) {
      const { callback } = sent
      sent.callback = (...results) => {
        answered()
        callback.apply(sent, results)
      }
      return query.apply(this, args)
    }
    const answer = query.apply(this, args)
    void Promise.resolve(answer).then(answered, () => {})
    return answer
  }
  try {
    await work()
    const marked = seen.find(({ line }) => mark.test(line))
    return seen.filter(({ on }) => on === marked?.on).map(({ line }) => line)
  } finally {
    client.query = query
  }
}

const at = (seen: readonly string[], pattern: RegExp): number => seen.findIndex((line) => pattern.test(line))

describe.runIf(process.env.DATABASE_URL).each(apis)('mutations, through $name', (api) => {
  const rename = (msp: Msp, human_friendly_client_name: string) =>
    api.call(msp.admin, 'update_settings', { input: { human_friendly_client_name } })

  it('send COMMIT with the write of a change, and BEGIN with its lock', async () => {
    const msp = await world()
    await rename(msp, 'Before')
    const write = /^> with written as \(insert into settings/i
    const seen = await traffic(write, () => rename(msp, 'After'))
    const [locked, written] = [at(seen, /^> .*for update/is), at(seen, write)]
    expect([at(seen, /^> begin$/i) >= 0, locked >= 0, written >= 0], seen.join('\n')).toEqual([
      true,
      true,
      true,
    ])
    expect(at(seen, /^< begin$/i)).toBeGreaterThan(locked)
    expect(at(seen, /^< with written as \(insert into settings/i)).toBeGreaterThan(at(seen, /^> commit$/i))
  })

  it('rotate a key by at most six statements beside BEGIN and COMMIT', async () => {
    const msp = await world()
    const input = { name: 'Nightly sync', scopes: ['settings:read'] }
    const keys = [input, { ...input, name: 'Weekly sync' }].map((draft) =>
      api.call(msp.admin, 'create_api_key', { input: draft }),
    )
    const [first, second] = (await Promise.all(keys)).map(({ data }) => data.id)
    await api.call(msp.admin, 'rotate_api_key', { key_id: first })
    const rotate = () => api.call(msp.admin, 'rotate_api_key', { key_id: second })
    expect(await countStatements(msp.database, rotate)).toBeLessThanOrEqual(8)
  })
})
