import { scope } from '../../access/policies/policies.ts'
import { visibleAgents } from '../../access/policies/visibility.ts'
import { callerOf } from '../../access/viewer.ts'
import { select } from '../../db/query/fragment.ts'
import { ApiError } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import { bucketsOf, type Granularity as GranularityName } from '../../lib/buckets.ts'
import { type Window, windowProblem } from '../../lib/window.ts'
import { builder } from '../../schema/builder.ts'
import { Granularity } from '../../schema/scalars/granularity.ts'
import type { ZonedWindow } from '../../schema/scalars/zoned-window.ts'
import type { AutonomyType } from '../agents/index.ts'
import { readZone } from '../settings/index.ts'
import { area } from './area.ts'
import { BUCKET, BUCKETS, bucketParameters } from './buckets.ts'
import { figureFields } from './figures.ts'
import { OF_COUNTED, partsOf, SUMS, visibleCte } from './queries.ts'
import { type Figures, figuresOf, type Nullable, RETENTION_DAYS, retentionWarnings } from './rules.ts'
import { askedWindow, PerformanceWindow, windowArgs } from './window.ts'

interface Bucket extends Figures {
  start: Date
  end: Date
}

const PerformanceBucket = builder.objectRef<Bucket>('PerformanceBucket').implement({
  description: 'The figures of the agents that the caller sees in one part of a window.',
  fields: (t) => ({
    start: t.expose('start', { type: 'DateTime', description: 'The start, inclusive.' }),
    end: t.expose('end', { type: 'DateTime', description: 'The end, exclusive.' }),
    ...figureFields(t),
  }),
})

interface Timeseries {
  window: ZonedWindow
  granularity: GranularityName
  buckets: Bucket[]
}

const PerformanceTimeseries = builder.objectRef<Timeseries>('PerformanceTimeseries').implement({
  description:
    'The figures of the agents that the caller sees in each part of a window. Those of all parts add up to those of ' +
    'the summary of the window.',
  fields: (t) => ({
    window: t.expose('window', { type: PerformanceWindow, description: 'The window of the figures.' }),
    granularity: t.expose('granularity', { type: Granularity, description: 'The size of the buckets.' }),
    buckets: t.expose('buckets', {
      type: [PerformanceBucket],
      max_items: 850,
      description: 'Every part of the window in order of time, those in which nothing was done included.',
    }),
  }),
})

const timeseries = (and: string): string => `select sums.* from ${BUCKETS}
    cross join lateral (select ${SUMS} from (${partsOf(BUCKET, { and })}) parts) sums
    order by bucket.place`

const TIMESERIES = timeseries('')
const timeseriesOfAgents = (and: string): string => `${visibleCte(and)} ${timeseries(OF_COUNTED)}`

async function readBuckets(
  ctx: Context,
  buckets: readonly Window[],
  autonomy_type: AutonomyType | null,
): Promise<Nullable<Figures>[]> {
  const visible = visibleAgents(callerOf(ctx))
  const fragment =
    visible || autonomy_type
      ? { ...visible, text: timeseriesOfAgents(visible ? ` and ${visible.text}` : '') }
      : { text: TIMESERIES }
  return await select<Nullable<Figures>>(ctx, 'performance.timeseries', fragment, {
    ...bucketParameters(buckets),
    autonomy_type,
  })
}

const NO_FIGURES: Nullable<Figures> = figuresOf({})

const DAY_SECONDS = 24 * 60 * 60

// Contract silent: hours of a week at most; days, weeks and months of the whole retention time, and as many days ahead.
const HOURS_MAX_SECONDS = 7 * DAY_SECONDS
const MAX_SECONDS = 2 * RETENTION_DAYS * DAY_SECONDS

area.query('performance_timeseries', (t) =>
  t.field({
    type: PerformanceTimeseries,
    description:
      'Gets the figures of a window in buckets: hours, or days, weeks and months of the tenant’s time zone. Hours for ' +
      `at most 7 days, the others for at most ${2 * RETENTION_DAYS} days of those that are kept and those to come. ` +
      'Distinct tickets and tickets received do not add up, and are not among the figures.',
    rest: { method: 'GET', path: '/performance/timeseries' },
    access: scope('performance:read'),
    errors: ['invalid_window', 'window_too_large'],
    args: {
      ...windowArgs,
      granularity: t.arg({
        type: Granularity,
        defaultValue: 'DAY',
        description: 'The size of the buckets.',
      }),
    },
    resolve: async (_root, args, ctx) => {
      const autonomy_type = args.autonomy_type ?? null
      const granularity = args.granularity ?? 'DAY'
      const timezone = await readZone(ctx)
      const { window, kept, kept_from } = askedWindow(ctx, args, timezone)
      const [measured, max_seconds] =
        granularity === 'HOUR' ? [window, HOURS_MAX_SECONDS] : [kept, MAX_SECONDS]
      if (windowProblem(measured, max_seconds) === 'window_too_large')
        throw new ApiError('window_too_large', { details: { ...measured, max_seconds } })
      ctx.warnings.push(...retentionWarnings(window, kept_from))
      const buckets = bucketsOf(kept, granularity, timezone)
      const rows = await readBuckets(ctx, buckets, autonomy_type)
      const only_chats = autonomy_type === 'CONVERSATIONAL'
      return {
        window: { ...window, timezone },
        granularity,
        buckets: buckets.map(({ from, to }, index) => {
          const figures = rows[index] ?? NO_FIGURES
          return {
            start: from,
            end: to,
            ...figuresOf(only_chats ? { credits_consumed: figures.credits_consumed } : figures),
          }
        }),
      }
    },
  }),
)
