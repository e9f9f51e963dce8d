/** `execution_health`: the executions of a window, by hours or days. */
import { scope } from '../../access/policies/policies.ts'
import { bucketsOf, type Granularity as GranularityName } from '../../lib/buckets.ts'
import { builder } from '../../schema/builder.ts'
import { Granularity } from '../../schema/scalars/granularity.ts'
import { RETENTION_DAYS } from '../performance/index.ts'
import { readZone } from '../settings/index.ts'
import { area } from './area.ts'
import { type ExecutionFigures, readExecutionFigures } from './queries.ts'
import { maxSecondsOf, retentionWarnings } from './rules.ts'
import { type NamedWindow, ObservabilityWindow, requireWindow, windowArgs } from './window.ts'

interface Bucket extends ExecutionFigures {
  start: Date
}

const ExecutionHealthBucket = builder.objectRef<Bucket>('ExecutionHealthBucket').implement({
  description:
    'The executions that were created in one part of a window, by what has become of them until now.',
  fields: (t) => {
    const count = (name: keyof ExecutionFigures, description: string) =>
      t.expose(name, { type: 'NonNegativeInt', description })
    return {
      start: t.expose('start', {
        type: 'DateTime',
        description:
          'The start of the hour, day, week or month; that of the window, if it begins inside one.',
      }),
      started: count('started', 'All of them.'),
      completed: count('completed', 'Those that are COMPLETED.'),
      failed: count('failed', 'Those that are FAILED.'),
      timed_out: count('timed_out', 'Those that are TIMED_OUT.'),
      cancelled: count('cancelled', 'Those that are CANCELLED.'),
      waiting: count('waiting', 'Those that wait for an approval or an answer.'),
      p50_seconds: t.expose('p50_seconds', {
        type: 'NonNegativeFloat',
        description: 'Seconds of work of those that have ended after they were picked up: the median.',
      }),
      p95_seconds: t.expose('p95_seconds', {
        type: 'NonNegativeFloat',
        description: 'The same: the 95th percentile.',
      }),
    }
  },
})

interface Health {
  window: NamedWindow
  granularity: GranularityName
  buckets: Bucket[]
}

const ExecutionHealth = builder.objectRef<Health>('ExecutionHealth').implement({
  description: 'The executions of a window.',
  fields: (t) => ({
    window: t.expose('window', { type: ObservabilityWindow, description: 'The window of the figures.' }),
    granularity: t.expose('granularity', {
      type: Granularity,
      description: 'The size of the buckets.',
    }),
    buckets: t.expose('buckets', {
      type: [ExecutionHealthBucket],
      max_items: 200,
      description: 'Every part of the window in order of time, those without executions included.',
    }),
  }),
})

const NO_EXECUTIONS: ExecutionFigures = {
  started: 0,
  completed: 0,
  failed: 0,
  timed_out: 0,
  cancelled: 0,
  waiting: 0,
  p50_seconds: 0,
  p95_seconds: 0,
}

area.query('execution_health', (t) =>
  t.field({
    type: ExecutionHealth,
    description:
      'Counts the executions of a window in buckets, and measures how long they took. Hours for at most 7 days, ' +
      'other buckets for at most 31.',
    rest: { method: 'GET', path: '/observability/executions' },
    access: scope('observability:read'),
    errors: ['invalid_window', 'window_too_large'],
    args: {
      ...windowArgs,
      granularity: t.arg({
        type: Granularity,
        defaultValue: 'HOUR',
        description: 'The size of the buckets.',
      }),
    },
    resolve: async (_root, args, ctx) => {
      const granularity = args.granularity ?? 'HOUR'
      const window = requireWindow(ctx, args, maxSecondsOf(granularity))
      ctx.warnings.push(...retentionWarnings(window, ctx.now, RETENTION_DAYS))
      const timezone = await readZone(ctx)
      const parts = bucketsOf({ from: window.since, to: window.until }, granularity, timezone)
      const figures = await readExecutionFigures(ctx, window, parts)
      const by_bucket = new Map(figures.map(({ bucket, ...counts }) => [bucket, counts]))
      const buckets = parts.map(({ from }, index) => ({
        start: from,
        ...(by_bucket.get(index + 1) ?? NO_EXECUTIONS),
      }))
      return { window: { ...window, timezone }, granularity, buckets }
    },
  }),
)
