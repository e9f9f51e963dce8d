/** How the time of one request grows with the rows of its tenant: the least of many, on one connection. */
import { once } from 'node:events'
import { Agent, type IncomingMessage, request as send } from 'node:http'
import { type Asked, requestFor } from './ask.ts'
import { interfacesOf, startService } from './contenders.ts'
import { bodyOf, headersOf } from './load.ts'
import { progress } from './progress.ts'
import { growthQuestions, questionsOf, type Request } from './questions.ts'

export const TIMES = 10

export interface Growth {
  /** Milliseconds at one and at ten times the rows. */
  small: number
  large: number
  /** The least of the other half of the requests at one time the rows. */
  small_again: number
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

async function timed(base: string, { key, path, method, body }: Request): Promise<number> {
  const started = performance.now()
  const sent = send(base + path, { method, headers: headersOf(key), agent })
  sent.end(bodyOf(body))
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.resume()
  await once(response, 'end')
  if (response.statusCode !== 200) throw new Error(`${path} was answered with ${response.statusCode}`)
  return performance.now() - started
}

const BATCH = 10
/** Until then the process is still learning what it does. */
const WARM_UP_BATCHES = 30

async function least(asked: Asked, request: Request): Promise<number> {
  let ms = Number.POSITIVE_INFINITY
  for (let sent = 0; sent < BATCH; sent++) ms = Math.min(ms, await timed(asked.contender.base, request))
  return ms
}

/** The interface that answers it: REST if there is an operation. */
async function put(interfaces: readonly Asked[], question: Parameters<typeof requestFor>[1]) {
  for (const asked of interfaces) {
    const request = await requestFor(asked, question)
    if (request) return { asked, request }
  }
  throw new Error('Nobody can be asked that')
}

/** Each kind of request on both databases, alternated in batches. */
export async function measureGrowth(
  urls: { small: string; large: string },
  batches: number,
): Promise<Map<string, Growth>> {
  const small = await startService('service 1x', urls.small)
  const large = await startService('service 10x', urls.large)
  const scales = { small: 1, large: TIMES }
  const [fewer, more] = [
    await questionsOf(urls.small, scales.small),
    await questionsOf(urls.large, scales.large),
  ]
  const measured = new Map<string, Growth>()
  for (const { name, one_database, ...asked } of growthQuestions(fewer, more, scales)) {
    progress(`growth of ${name}`)
    const one = await put(interfacesOf(small), asked.small)
    const ten = await put(interfacesOf(one_database ? small : large), asked.large)
    for (let batch = 0; batch < WARM_UP_BATCHES; batch++) {
      await least(one.asked, one.request)
      await least(ten.asked, ten.request)
    }
    const halves = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    let most = Number.POSITIVE_INFINITY
    for (let batch = 0; batch < batches * 2; batch++) {
      const half = batch % 2
      halves[half] = Math.min(halves[half] ?? 0, await least(one.asked, one.request))
      most = Math.min(most, await least(ten.asked, ten.request))
    }
    const [first = 0, second = 0] = halves
    measured.set(name, { small: Math.min(first, second), large: most, small_again: Math.max(first, second) })
  }
  await Promise.all([small.stop(), large.stop()])
  return measured
}
