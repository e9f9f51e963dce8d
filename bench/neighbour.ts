/**
 * `npm run bench:neighbour`: how much one tenant, whose PSA is hostile or slow, delays another one of the same process. It needs
 * PostgreSQL (`BENCH_DATABASE_URL`). NEIGHBOUR_ATTACKS names some attacks by their numbers, from 0 on: `0,3`. With `--check` it
 * fails if the goal is missed.
 */
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { type Contender, start } from './contender.ts'
import { connected, SERVER, urlOf } from './data/databases.ts'
import { ENVIRONMENT, KEY_PEPPER } from './data/tenants.ts'
import { percentile } from './figures.ts'
import { GOALS } from './goals.ts'
import { type Row, table, two } from './markdown.ts'
import { ATTACKS, type Attack } from './neighbour/attacks.ts'
import { ENCRYPTION_KEY, neighbour, storeTenants } from './neighbour/data.ts'
import { check } from './options.ts'
import { progress } from './progress.ts'
import { program, runScript } from './service.ts'
import { judge } from './verdict.ts'

const SECONDS = { warm_up: 3, idle: 8, attack_warm_up: 4, attack: 8 }
const NAME = 'automation_service_bench_neighbour'
/** The tables without rows, of which each attack has a copy. */
const EMPTY = `${NAME}_empty`
const TARGET = '/public-api/settings'

/** So high that the service has as much to do as the tenant sends. */
const LIMITS = [
  'service_key',
  'service_key_writes',
  'graphql_points',
  'tenant',
  'ingest_connection',
  'halo_psa_requests',
  'vendor_kilobytes',
]
  .map((name) => `${name}=1000000000`)
  .join(',')

/** A load generator in a process of its own: the milliseconds of the answers in so many seconds. */
function startReader(base: string) {
  const child = spawn(process.execPath, [resolve(import.meta.dirname, 'neighbour/reader.ts')], {
    env: { PATH: process.env.PATH, BASE: base, TARGET, KEY: neighbour.key },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    async read(seconds: number): Promise<number[]> {
      child.stdin.write(`${seconds}\n`)
      const { value, done } = await lines.next()
      if (done) throw new Error('The reader ended')
      return JSON.parse(value) as number[]
    },
    async stop(): Promise<void> {
      child.stdin.end()
      await once(child, 'exit')
    },
  }
}

const startService = (url: string): Promise<Contender> =>
  start('neighbour', program, {
    DATABASE_URL: url,
    ENVIRONMENT,
    KEY_PEPPER,
    LIMITS,
    PORT: '0',
    ROLE: 'all',
    ENCRYPTION_KEYS: `${ENCRYPTION_KEY.id}:${ENCRYPTION_KEY.key.toString('base64')}`,
    SIGNING_SECRETS: 'the signing secret of the benchmark',
    ALLOW_PRIVATE_ADDRESSES: 'true',
    DRAIN_DELAY_MS: '0',
    // As `npm start` has it.
    NODE_OPTIONS: `--max-semi-space-size=8 ${process.env.NODE_OPTIONS ?? ''}`,
  })

async function remade(name: string, template = 'template1'): Promise<string> {
  await connected(SERVER, async (client) => {
    await client.query(`drop database if exists ${name} with (force)`)
    await client.query(`create database ${name} template ${template}`)
  })
  return urlOf(name)
}

interface Measured {
  name: string
  idle_ms: number[]
  beside_ms: number[]
  told: string
}

/** The attacker, and the next thing that it tells. */
function startAttacker(number: number) {
  const child = fork(resolve(import.meta.dirname, 'neighbour/attacker.ts'), {
    env: { ...process.env, ATTACK: String(number) },
  })
  const failed = once(child, 'exit').then(() => Promise.reject(new Error('The attacker ended')))
  failed.catch(() => {})
  return {
    next: async (): Promise<string> => (await Promise.race([once(child, 'message'), failed]))[0],
    tell: (message: object): void => void child.send(message),
  }
}

/** Each attack has a database and a service of its own: nothing that one leaves behind slows down the next one. */
async function measure({ name }: Attack, number: number): Promise<Measured> {
  progress(name)
  const attacker = startAttacker(number)
  const url = await remade(NAME, EMPTY)
  await storeTenants(url, await attacker.next())
  const service = await startService(url)
  const reader = startReader(service.base)
  await reader.read(SECONDS.warm_up)
  const idle_ms = await reader.read(SECONDS.idle)
  attacker.tell({ base: service.base, url })
  // What the attack runs is compiled before anything is measured.
  await reader.read(SECONDS.attack_warm_up)
  const beside_ms = await reader.read(SECONDS.attack)
  const told = attacker.next()
  attacker.tell({})
  const measured = { name, idle_ms, beside_ms, told: await told }
  progress(rowOf(measured).slice(1).join(' '))
  await reader.stop()
  await service.stop()
  return measured
}

const times = ({ idle_ms, beside_ms }: Measured, share: number): number =>
  percentile(beside_ms, share) / percentile(idle_ms, share)

const rowOf = (measured: Measured): Row => {
  const ms = [measured.idle_ms, measured.beside_ms].flatMap((all) => [
    percentile(all, 0.5),
    percentile(all, 0.99),
  ])
  return [measured.name, ...ms.map(two), two(times(measured, 0.5)), two(times(measured, 0.99))]
}

const numbers = process.env.NEIGHBOUR_ATTACKS?.split(',').map(Number)
const measured: Measured[] = []
runScript('migrate', await remade(EMPTY), ENVIRONMENT)
for (const [number, attack] of ATTACKS.entries())
  if (!numbers || numbers.includes(number)) measured.push(await measure(attack, number))
await connected(SERVER, async (client) => {
  for (const name of [NAME, EMPTY]) await client.query(`drop database if exists ${name} with (force)`)
})

const head = [
  'one read, 50 a second',
  'idle p50 ms',
  'p99 ms',
  'beside p50 ms',
  'p99 ms',
  'times p50',
  'times p99',
]
console.log(table(head, measured.map(rowOf)))
console.log(`\n${measured.map(({ name, told }) => `- ${name}: ${told}`).join('\n')}\n`)
const worst = Math.max(...measured.map((one) => times(one, 0.99)))
const { markdown, missed } = judge(GOALS, new Map([['neighbour, p99', { value: worst, noise: 0 }]]), null)
console.log(markdown)
process.exit(check && missed.length > 0 ? 1 : 0)
