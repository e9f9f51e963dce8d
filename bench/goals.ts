/** What is asked of the service. Every goal names a figure that `findings.ts` makes. */
import type { Bound } from './figures.ts'

export interface Goal {
  /** What is measured, as the table says it. */
  of: string
  figure: string
  bound: Bound
  unit?: string
  /** The figure of a goal that was not reached: `--check` fails if it gets worse. */
  on_record?: { value: number; profile: string }
}

const least = (value: number): Bound => ({ side: 'at least', value })
const most = (value: number): Bound => ({ side: 'at most', value })

/** A rate beside the expert floor's. */
const rate = (read: string, name: 'REST' | 'GraphQL', value: number): Goal => ({
  of: `${read} over ${name}, requests/s`,
  figure: `${read} ${name} rate`,
  bound: least(value),
})

const timesPostGraphile = (
  read: string,
  name: 'REST' | 'GraphQL',
  value: number,
  on_record?: Goal['on_record'],
): Goal => ({
  of: `${read} over ${name}, times PostGraphile`,
  figure: `${read} ${name} by PostGraphile`,
  bound: least(value),
  ...(on_record && { on_record }),
})

/** PostGraphile's mutation is one update: it records no activity and judges no key and no limit. */
const MORE_WRITTEN =
  'the expert floor, which locks the row and writes an activity row as well, is itself 0.7 of PostGraphile; ' +
  'what the service adds to the floor is the admission of the call and the execution of the document'

const growth = (name: string, value: number): Goal => ({
  of: `growth of ${name}`,
  figure: `growth ${name}`,
  bound: most(value),
})

/** Our own query of pg is for speed alone, so it has to be faster. */
const statement = (name: string, value: number): Goal => ({
  of: `CPU of a statement that reads ${name}, times that of pg`,
  figure: `statement, ${name}`,
  bound: most(value),
})

const twoWorkers = (kind: string): Goal => ({
  of: `runs a second of ${kind} on two workers, times one`,
  figure: `two workers, ${kind}`,
  bound: least(1.7),
})

/** The slowest start while the worker is full of other tenants' runs. */
const newcomer = (what: string, seconds: number): Goal => ({
  of: `start of ${what} while thousands of others wait`,
  figure: `fairness, ${what}`,
  bound: most(seconds),
  unit: 's',
})

/** How what comes grows with the executions that are finished. */
const backlog = (name: string, value: number): Goal => ({
  of: `growth of ${name} with finished executions`,
  figure: `backlog, ${name}`,
  bound: most(value),
})

/** A rate beside the floor's while inboxes fill, by the one while nothing happens. */
const inbox = (name: 'REST' | 'GraphQL'): Goal => ({
  of: `W1 over ${name} while inboxes fill, times idle`,
  figure: `inbox, W1 ${name}`,
  bound: least(1),
})

const none = (of: string, figure: string): Goal => ({
  of: `1,000 connections over ${of}`,
  figure,
  bound: most(0),
})

export const GOALS: readonly Goal[] = [
  rate('R1', 'REST', 1.1),
  rate('R1', 'GraphQL', 1),
  rate('R2', 'REST', 1),
  rate('R2', 'GraphQL', 0.9),
  rate('R3', 'REST', 3),
  rate('R3', 'GraphQL', 3),
  rate('R4', 'GraphQL', 0.9),
  rate('R5', 'REST', 0.9),
  rate('R6', 'REST', 0.9),
  rate('R7', 'REST', 0.9),
  rate('R5', 'GraphQL', 0.9),
  rate('R6', 'GraphQL', 0.65),
  rate('R7', 'GraphQL', 0.65),
  rate('key', 'REST', 0.9),
  rate('key', 'GraphQL', 0.9),
  rate('W1', 'REST', 0.75),
  rate('W1', 'GraphQL', 0.6),
  rate('W2', 'REST', 0.5),
  rate('W3', 'REST', 0.7),
  rate('W4', 'REST', 0.7),
  rate('W3', 'GraphQL', 0.5),
  rate('W4', 'GraphQL', 0.6),
  timesPostGraphile('R1', 'REST', 2.5),
  timesPostGraphile('R1', 'GraphQL', 2.5),
  timesPostGraphile('R2', 'REST', 1.3),
  timesPostGraphile('R2', 'GraphQL', 1.2),
  timesPostGraphile('R4', 'GraphQL', 1),
  timesPostGraphile('R6', 'REST', 1.2),
  timesPostGraphile('R7', 'REST', 1.3),
  timesPostGraphile('W1', 'REST', 1, { value: 0.52, profile: MORE_WRITTEN }),
  timesPostGraphile('W1', 'GraphQL', 1, { value: 0.52, profile: MORE_WRITTEN }),
  {
    of: 'p99 of finishing an execution beside others',
    figure: 'wait to finish an execution',
    bound: most(20),
    unit: 'ms',
  },
  { of: 'p99 of mapping a link beside a sync', figure: 'wait to map a link', bound: most(20), unit: 'ms' },
  growth('R1, first page', 0.1),
  growth('R1, page in the middle', 0.1),
  growth('R1, page at 95 %', 0.1),
  growth('R1, rare search', 0.75),
  growth('R2', 0.1),
  growth('R3', 0.8),
  growth('R4', 0.1),
  growth('R5, of as large a window', 0.1),
  {
    of: 'cold start on PostgreSQL, times the bare process',
    figure: 'cold start PostgreSQL',
    bound: most(3),
  },
  {
    of: 'cold start on an embedded directory, times the bare process',
    figure: 'cold start embedded',
    bound: most(6),
  },
  {
    of: 'memory at the first answer, on PostgreSQL',
    figure: 'memory PostgreSQL',
    bound: most(150),
    unit: 'MB',
  },
  { of: 'memory at the first answer, embedded', figure: 'memory embedded', bound: most(250), unit: 'MB' },
  statement('no row', 0.8),
  statement('one row of 13 columns', 0.85),
  statement('50 rows', 0.95),
  twoWorkers('one tenant'),
  twoWorkers('many tenants'),
  {
    of: 'from run-now to the first tool call, on an idle worker',
    figure: 'first tool call',
    bound: most(50),
    unit: 'ms',
  },
  newcomer('a run of another tenant', 1),
  newcomer('a job of cron', 2),
  backlog('a run', 0.1),
  backlog('a sweep', 0.1),
  backlog('the metrics', 0.1),
  backlog('pages of a run', 0.1),
  backlog('pages of a second', 0.1),
  {
    of: 'what a run writes, rows and indexes, after 100,000 others',
    figure: 'backlog, kB of a run',
    bound: most(52),
    unit: 'kB',
  },
  { of: 'jobs of 100,000 finished executions that are left', figure: 'backlog, jobs', bound: most(0) },
  {
    of: '1,000 subscribers: updates that did not come',
    figure: 'subscribers, missing',
    bound: most(0),
  },
  { of: '1,000 subscribers: streams that ended', figure: 'subscribers, ended', bound: most(0) },
  {
    of: '1,000 subscribers: until the last one knows of a change',
    figure: 'subscribers, last',
    bound: most(2000),
    unit: 'ms',
  },
  {
    of: 'p99 of a tenant beside another one that floods, times idle',
    figure: 'flood, p99',
    bound: most(3),
  },
  {
    of: 'worst p99 of a tenant beside another one that is hostile, or whose PSA is, times idle',
    figure: 'neighbour, p99',
    bound: most(3),
  },
  {
    of: 'deliveries of webhooks a second on two workers, times one',
    figure: 'two workers, deliveries',
    bound: least(1.7),
  },
  {
    of: 'median from the write of an event to its arrival, beside dead and slow endpoints',
    figure: 'deliveries, median',
    bound: most(5),
    unit: 's',
  },
  inbox('REST'),
  inbox('GraphQL'),
  { of: 'events that an inbox lost or counted twice', figure: 'inbox, miscounted', bound: most(0) },
  {
    of: 'from the last event until every inbox has it',
    figure: 'inbox, behind',
    bound: most(60),
    unit: 's',
  },
  none('REST, socket errors', 'sockets REST'),
  none('REST, answers of 5xx', 'failures REST'),
  none('GraphQL, socket errors', 'sockets GraphQL'),
  none('GraphQL, answers of 5xx or with errors', 'failures GraphQL'),
]
