/**
 * `npm run bench:signature`: the time in which wrong addresses of feedback forms are refused, by what is wrong with them. A
 * service of its own has an embedded database. Each round asks every case once, in another order.
 */
import { Agent, request } from 'node:http'
import { withService } from '../src/commands/demo/service.ts'
import { type Sent, UNKNOWN_ID_SIGNED, wrongAddresses } from '../test/setup/feedback-addresses.ts'
import { table, two } from './markdown.ts'

const ROUNDS = 4000
const WARM_UP = 500
const SECRET = 'a signing secret for measurements alone'

const LIMITS = ['anonymous_ip', 'failed_credentials_ip', 'feedback_link']
  .map((name) => `${name}=1000000000`)
  .join(',')

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((one, other) => one - other)[numbers.length >> 1] ?? Number.NaN

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

/** Microseconds until the whole answer is there. */
function timeOf(url: string): Promise<number> {
  const started = performance.now()
  return new Promise((done, fail) => {
    request(url, { agent }, (response) => {
      if (response.statusCode !== 401) fail(new Error(`${url} was answered with ${response.statusCode}`))
      response.resume().on('end', () => done((performance.now() - started) * 1000))
    })
      .on('error', fail)
      .end()
  })
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ item }) => item)
}

/** A link to feedback of the demo. */
async function makeLink(base: string, key: string) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const { data: executions } = await (
    await fetch(`${base}/public-api/executions?page_size=1`, { headers })
  ).json()
  const body = JSON.stringify({ execution_id: executions[0].execution_id })
  const { data } = await (
    await fetch(`${base}/public-api/feedback/links`, { method: 'POST', headers, body })
  ).json()
  const { searchParams } = new URL(data.url, base)
  return {
    feedback_id: String(data.id),
    expires: searchParams.get('expires') ?? '',
    signature: searchParams.get('signature') ?? '',
  }
}

async function measure(base: string, key: string): Promise<void> {
  const link = await makeLink(base, key)
  const urlOf = ({ id = link.feedback_id, ...sent }: Sent): string =>
    `${base}/public-api/feedback/${id}/form?${new URLSearchParams(sent as Record<string, string>)}`
  const cases = Object.entries(wrongAddresses(SECRET))
    .filter(([name]) => name !== UNKNOWN_ID_SIGNED)
    .map(([name, of]) => ({ name, url: urlOf(of(link)), times: [] as number[] }))
  for (let round = -WARM_UP; round < ROUNDS; round++)
    for (const { url, times } of shuffled(cases)) {
      const time = await timeOf(url)
      if (round >= 0) times.push(time)
    }
  const all = median(cases.flatMap(({ times }) => times))
  const rows = cases.map(({ name, times }) => {
    const halves = [0, 1].map((half) => median(times.filter((_time, index) => index % 2 === half)))
    const [one = Number.NaN, other = Number.NaN] = halves
    return { name, ratio: median(times) / all, noise: Math.abs(one - other) / all, time: median(times) }
  })
  console.log(`\n${ROUNDS} calls of each case; the median of all is ${two(all)} µs.\n`)
  console.log(
    table(
      ['', 'median µs', 'of the median of all', 'between two halves of its calls'],
      rows.map(({ name, time, ratio, noise }) => [name, two(time), ratio.toFixed(3), noise.toFixed(3)]),
    ),
  )
  const most = Math.max(...rows.map(({ ratio }) => Math.abs(ratio - 1)))
  const noise = Math.max(...rows.map((row) => row.noise))
  console.log(
    `\nThe largest difference is ${most.toFixed(3)}; by chance alone it is up to ${noise.toFixed(3)}.`,
  )
}

await withService(({ base, key }) => measure(base, key), { SIGNING_SECRETS: SECRET, LIMITS })
agent.destroy()
