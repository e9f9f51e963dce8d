/**
 * `npm run bench:psa`: webhooks of doubles of PSAs under load, and a sync. Each part alone: `-- --part=burst --vendor=halo`. A run of
 * everything writes its part of bench/FIGURES.md. BENCH_DATABASE_URL names the PostgreSQL server, in which databases are made.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Vendor } from '../test/load/floor.ts'
import type { Findings } from './findings.ts'
import { progress } from './progress.ts'
import { burst } from './psa/burst.ts'
import { flood } from './psa/flood.ts'
import { PSA_GOALS, VENDORS } from './psa/goals.ts'
import { outages } from './psa/outage.ts'
import { single } from './psa/single.ts'
import { syncs } from './psa/sync.ts'
import { type Measured, sectionOf } from './psa/tables.ts'
import { judge } from './verdict.ts'

const PARTS = ['burst', 'errors', 'outage', 'flood', 'single', 'sync']

const { values } = parseArgs({
  options: {
    vendor: { type: 'string' },
    part: { type: 'string' },
    check: { type: 'boolean', default: false },
  },
})
const among = <Name extends string>(all: readonly Name[], given: string | undefined): readonly Name[] => {
  const chosen = all.filter((name) => given === undefined || given.split(',').includes(name))
  if (chosen.length === 0) throw new Error(`${given}: not one of ${all.join(', ')}`)
  return chosen
}
const parts = among(PARTS, values.part)
const vendors = among<Vendor>(VENDORS, values.vendor)

const BURST = { tickets: 300, seconds: 60 }
const ERRORS = { tickets: 1000, seconds: 120, errors: 0.1 }

/** Measures each PSA, and goes on with the next one if one cannot be measured. */
async function each<Of>(part: string, measure: (vendor: Vendor) => Promise<Of>): Promise<Map<Vendor, Of>> {
  const found = new Map<Vendor, Of>()
  for (const vendor of parts.includes(part) ? vendors : []) {
    progress(`${part} ${vendor}`)
    try {
      found.set(vendor, await measure(vendor))
    } catch (error) {
      progress(`${part} ${vendor}: ${String((error as Error).stack)}`)
      process.exitCode = 1
    }
  }
  return found
}

const measured: Measured = {
  burst: await each('burst', (vendor) => burst(vendor, BURST)),
  errors: await each('errors', (vendor) => burst(vendor, ERRORS)),
  outage: new Map(),
  flood: await each('flood', flood),
  single: await each('single', single),
}
if (parts.includes('outage')) {
  progress('outage')
  measured.outage = await outages(vendors)
}

function findingsOf({ burst, errors, outage, flood, single }: Measured): Findings {
  const found: Findings = new Map()
  const set = (figure: string, value: number) => void found.set(figure, { value, noise: 0 })
  for (const [part, all] of [['burst', burst] as const, ['errors', errors] as const])
    for (const [vendor, one] of all) {
      set(`${vendor} ${part} time`, one.ended ? one.seconds / one.floor_seconds : Number.POSITIVE_INFINITY)
      set(`${vendor} ${part} requests`, one.requests / one.floor_requests)
      set(`${vendor} people`, (found.get(`${vendor} people`)?.value ?? 0) + one.waiting)
    }
  for (const [vendor, { seconds }] of outage) set(`${vendor} outage`, seconds ?? Number.POSITIVE_INFINITY)
  for (const [vendor, { beside_ms, alone_ms }] of flood) set(`${vendor} flood`, beside_ms / alone_ms)
  for (const [vendor, { requests, at_once }] of single) {
    set(`${vendor} single`, requests)
    set(`${vendor} at once`, at_once)
  }
  return found
}

const TITLE = '## Webhooks of doubles of PSAs under load'

/** Puts the section in the place of the one that the file has, or at its end. */
function writeSection(text: string): void {
  const file = join(import.meta.dirname, 'FIGURES.md')
  const before = readFileSync(file, 'utf8')
  const from = before.indexOf(`${TITLE}\n`)
  const end = from === -1 ? -1 : before.indexOf('\n## ', from + TITLE.length)
  const others = from === -1 ? [before, ''] : [before.slice(0, from), end === -1 ? '' : before.slice(end + 1)]
  writeFileSync(file, `${others[0]?.trimEnd()}\n\n${text.trimEnd()}\n${others[1] ? `\n${others[1]}` : ''}`)
}

if (parts.some((part) => part !== 'sync')) {
  const { markdown, missed } = judge(PSA_GOALS, findingsOf(measured), null)
  const section = `${TITLE}\n\n${sectionOf(measured, markdown ?? '')}`
  console.log(`\n${section}`)
  if (values.part === undefined && values.vendor === undefined) writeSection(section)
  if (values.check && missed.length > 0) {
    console.error(`Missed: ${missed.join('; ')}`)
    process.exitCode = 1
  }
}
if (parts.includes('sync')) await syncs()
process.exit()
