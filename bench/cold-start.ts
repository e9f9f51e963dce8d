/** How long it takes from the start of a process until it has answered a caller, and what it holds by then. */
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { type Contender, scratch } from './contender.ts'
import { startBare, startEmbedded as startOn, startService } from './contenders.ts'
import { tenants } from './data/tenants.ts'
import { headersOf } from './load.ts'
import { progress } from './progress.ts'

export interface ColdStart {
  ms: number
  megabytes: number
}

export const BARE = 'bare node:http and pg'
export const BARE_AGAIN = 'bare again (A/A)'
export const ON_POSTGRESQL = 'this service, PostgreSQL'
export const EMBEDDED = 'this service, embedded database, existing directory'

async function firstAnswer({ base }: Contender, key: string): Promise<void> {
  const request = get(`${base}/public-api/settings`, { headers: headersOf(key) })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.resume()
  await once(response, 'end')
  if (response.statusCode !== 200) throw new Error(`The first answer was ${response.statusCode}`)
}

async function started(starting: () => Promise<Contender>, key: string): Promise<ColdStart> {
  const begun = performance.now()
  const contender = await starting()
  await firstAnswer(contender, key)
  const measured = { ms: performance.now() - begun, megabytes: contender.memory() }
  await contender.stop()
  return measured
}

const startEmbedded = () => startOn(join(scratch, 'data'))

/** Every kind of process `rounds` times, alternated, after a start of each that is not counted. */
export async function coldStarts(url: string, rounds: number): Promise<Map<string, ColdStart[]>> {
  const first = await startEmbedded()
  const demo_key = /svc_sk_\w+/.exec(first.printed)?.[0] ?? ''
  await first.stop()
  const [tenant] = tenants
  const key = tenant?.key ?? ''
  const kinds: [string, () => Promise<ColdStart>][] = [
    [BARE, () => started(() => startBare('bare', url), key)],
    [ON_POSTGRESQL, () => started(() => startService('cold', url), key)],
    [EMBEDDED, () => started(startEmbedded, demo_key)],
    [BARE_AGAIN, () => started(() => startBare('bare', url), key)],
  ]
  for (const [, starting] of kinds) await starting()
  const measured = new Map<string, ColdStart[]>(kinds.map(([name]) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    progress(`cold start, round ${round + 1} of ${rounds}`)
    for (const [name, starting] of round % 2 ? kinds.toReversed() : kinds) {
      measured.get(name)?.push(await starting())
    }
  }
  return measured
}
