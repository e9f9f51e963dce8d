/** A thousand connections at once on the service as it is configured without a word: nobody may be turned away. */
import { requestsFor } from './ask.ts'
import { interfacesOf, startService } from './contenders.ts'
import { type Loaded, load } from './load.ts'
import { progress } from './progress.ts'
import type { Question } from './questions.ts'

const CONNECTIONS = 1_000

/** By interface. */
export async function manyConnections(
  url: string,
  questions: readonly Question[],
  seconds: number,
): Promise<Map<string, Loaded>> {
  const service = await startService('service with many connections', url)
  const measured = new Map<string, Loaded>()
  for (const asked of interfacesOf(service)) {
    progress(`${CONNECTIONS} connections, ${asked.label}`)
    const requests = (await requestsFor(asked, questions)) ?? []
    measured.set(
      asked.label,
      await load(service.base, { requests, connections: CONNECTIONS, seconds, inspect: true }),
    )
  }
  await service.stop()
  return measured
}
