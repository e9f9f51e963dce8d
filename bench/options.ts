/** The command line of the benchmark. */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { RUN_PARTS, runsEffort } from './runs/options.ts'

export const READS = {
  R1: 'R1: company links, a page of 50 and counts',
  R2: 'R2: one execution, for a user who sees some agents',
  R3: 'R3: the performance summary of 30 days',
  R4: 'R4: twenty agents with their last five executions',
  R5: 'R5: the callback funnel of 24 hours, of a tenant with 500,000 callbacks',
  R6: 'R6: the audit log by system, access and outcome, a page of 50',
  R7: 'R7: memories, a page of 50',
  W1: 'W1: one setting is changed, and the change recorded in the activity log',
  W2: 'W2: the same with an Idempotency-Key',
  W3: 'W3: an agent is created: judged, stored with its first revision, and recorded',
  W4: 'W4: an agent is run now: checked, and an execution, its job and the record stored',
  key: 'Key check: who calls, and what is left of their limits',
}

const PARTS = [
  ...Object.keys(READS),
  'statements',
  'waits',
  'growth',
  'cold-start',
  'connections',
  'inbox',
  ...RUN_PARTS,
]

const USAGE = `npm run bench -- [--quick] [--check] [--answers] [--only R1,R2,…] [--scale 10] [--service folder] [--save file] [--before file]
  --quick    fewer and shorter rounds, and no tenfold database
  --check    exits with 1 if a goal is missed, or a figure worse than the one on record, by more than the noise
  --answers  compares the answers of everybody, and what writes leave behind, on a small database; measures nothing
  --only     some of ${PARTS.join(', ')}
  --scale    how many times the rows, for everything but growth
  --service  another checkout of the service, with its packages installed, in place of this one
  --save     writes the figures to a file
  --before   figures that --save wrote, shown beside those of this run
A run of everything that is not of another checkout writes bench/FIGURES.md.
BENCH_DATABASE_URL names the PostgreSQL server; databases are made there, and kept for the next run.`

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    answers: { type: 'boolean', default: false },
    only: { type: 'string' },
    scale: { type: 'string', default: '1' },
    service: { type: 'string' },
    save: { type: 'string' },
    before: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(USAGE)
  process.exit(0)
}

const usual = values.quick ? PARTS.filter((part) => part !== 'growth') : PARTS
export const parts: ReadonlySet<string> = new Set(values.only?.split(',') ?? usual)
const unknown = [...parts].filter((part) => !PARTS.includes(part))
if (unknown.length > 0) throw new Error(`${unknown.join(', ')}: not one of ${PARTS.join(', ')}`)

export const { answers, check, save, before } = values
const { quick } = values
export const scale = Number(values.scale)
export const folder = resolve(values.service ?? `${import.meta.dirname}/..`)
export const other_checkout = values.service !== undefined
/** Whether the run measures everything it usually does, of this checkout. */
export const complete = values.only === undefined && !other_checkout && scale === 1

export interface Effort {
  rounds: number
  seconds: number
  warm_up_seconds: number
}

export const effort: Effort = quick
  ? { rounds: 3, seconds: 1, warm_up_seconds: 1 }
  : { rounds: 6, seconds: 2, warm_up_seconds: 1.5 }
export const statement_rounds = quick ? 9 : 21
export const cold_starts = quick ? 5 : 9
export const growth_batches = quick ? 10 : 30
export const connection_seconds = quick ? 5 : 20
export const runs_effort = runsEffort(quick)
