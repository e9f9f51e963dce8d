import { scope } from '../../access/policies.ts'
import { ApiError } from '../../errors.ts'
import { builder, defineArea } from '../../graphql/builder.ts'
import { windowProblem } from '../../lib/window.ts'
import { AutonomyType } from '../agents/index.ts'
import { readTotals, readZone } from './read.ts'
import {
  MAX_SECONDS,
  ofChats,
  partsOf,
  remarks,
  type Totals,
  ticketsKnownFrom,
  windowOf,
  withZeros,
} from './rules.ts'

const area = defineArea({
  name: 'Performance',
  slug: 'performance',
  description: 'What the agents did, and what it saved.',
  example: `
query Performance {
  performance_summary {
    total_executions successful_executions failed_executions
    unique_tickets total_tickets_received total_hours_saved credits_consumed
  }
}`,
})

const PerformanceSummary = builder.objectRef<Totals>('PerformanceSummary').implement({
  description: 'What the agents that the caller sees did in a window, archived ones too.',
  fields: (t) => ({
    credits_consumed: t.exposeFloat('credits_consumed', {
      description: 'Credits, those of chats among them.',
    }),
    total_executions: t.exposeInt('total_executions', {
      description: 'Executions created in the window, in whatever state they are now.',
    }),
    successful_executions: t.exposeInt('successful_executions', { description: 'Those that are COMPLETED.' }),
    failed_executions: t.exposeInt('failed_executions', {
      description: 'Those that are FAILED or TIMED_OUT.',
    }),
    fully_resolved_executions: t.exposeInt('fully_resolved_executions', {
      description: 'Those whose resolution is FULL.',
    }),
    partially_resolved_executions: t.exposeInt('partially_resolved_executions', {
      description: 'Those whose resolution is PARTIAL.',
    }),
    total_hours_saved: t.exposeFloat('total_hours_saved', {
      description: 'Hours of work that the COMPLETED ones saved.',
    }),
    total_seconds_spent: t.exposeFloat('total_seconds_spent', {
      description: 'Seconds that the executions took.',
    }),
    total_tickets_received: t.exposeInt('total_tickets_received', {
      description:
        'Tickets that the PSA received in the hours that begin in the window, whatever agents did with them. ' +
        'Kept for 400 days.',
    }),
    unique_tickets: t.exposeInt('unique_tickets', {
      description: 'Tickets and time entries that the executions were for, each once.',
    }),
    earliest_execution_at: t.expose('earliest_execution_at', {
      type: 'DateTime',
      nullable: true,
      description: 'When the first execution of all time finished, in the window or not. null: none has.',
    }),
    earliest_time_entry_at: t.expose('earliest_time_entry_at', {
      type: 'DateTime',
      nullable: true,
      description: 'The same of the agents that work on time entries.',
    }),
  }),
})

area.query('performance_summary', (t) =>
  t.field({
    type: PerformanceSummary,
    description:
      'Totals of a window of at most 400 days: executions by how they ended, hours saved, credits consumed. ' +
      'Executions belong to the window by `created_at`. An OWNER, an ADMIN and an API key in nobody’s name see ' +
      'every agent; a USER and a VIEWER those they created or were shared.',
    rest: { method: 'GET', path: '/performance/summary' },
    access: scope('performance:read'),
    errors: ['invalid_window', 'window_too_large'],
    args: {
      from: t.arg({
        type: 'DateTime',
        description: 'The start. The beginning of this month in the tenant’s zone, where it is left out.',
      }),
      to: t.arg({ type: 'DateTime', description: 'The end, exclusive. Now, where it is left out.' }),
      autonomy_type: t.arg({
        type: AutonomyType,
        description:
          'Only agents of this kind. CONVERSATIONAL: credits alone, everything of executions is 0.',
      }),
    },
    resolve: async (_root, args, ctx) => {
      const autonomy_type = args.autonomy_type ?? null
      const zone = args.from ? 'UTC' : await readZone(ctx)
      const window = windowOf(args.from ?? null, args.to ?? null, ctx.now, zone)
      // The month that begins this instant is no mistake of the caller's.
      const problem = args.from || args.to ? windowProblem(window, MAX_SECONDS) : null
      if (problem) {
        const longest = problem === 'window_too_large' && { max_seconds: MAX_SECONDS }
        throw new ApiError(problem, { details: { ...window, ...longest } })
      }
      const known_from = ticketsKnownFrom(window, ctx.now)
      const only_chats = autonomy_type === 'CONVERSATIONAL'
      ctx.warnings.push(...remarks(window, known_from, only_chats))
      const totals = withZeros(await readTotals(ctx, window, partsOf(window), known_from, autonomy_type))
      return only_chats ? ofChats(totals) : totals
    },
  }),
)
