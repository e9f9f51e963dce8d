import { scope } from '../../access/policies.ts'
import { ApiError } from '../../errors.ts'
import type { Window } from '../../lib/window.ts'
import { builder, defineArea } from '../../schema/builder.ts'
import { AutonomyType } from '../agents/index.ts'
import { readTotals, readZone } from './queries.ts'
import {
  chatTotals,
  keptFrom,
  quartersOf,
  since,
  type Totals,
  warningsOf,
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
    window { from to timezone }
    total_executions successful_executions failed_executions
    unique_tickets total_tickets_received total_hours_saved credits_consumed
  }
}`,
})

interface NamedWindow extends Window {
  timezone: string
}

const PerformanceWindow = builder.objectRef<NamedWindow>('PerformanceWindow').implement({
  description: 'The window of the figures, with the defaults of arguments that were left out.',
  fields: (t) => ({
    from: t.expose('from', { type: 'DateTime', description: 'The start, inclusive.' }),
    to: t.expose('to', { type: 'DateTime', description: 'The end, exclusive.' }),
    timezone: t.expose('timezone', {
      type: 'TimeZone',
      description: 'The tenant’s time zone, in which months begin; UTC where none is set.',
    }),
  }),
})

interface Summary extends Totals {
  window: NamedWindow
}

const PerformanceSummary = builder.objectRef<Summary>('PerformanceSummary').implement({
  description: 'What the agents that the caller sees did in a window, archived ones too.',
  fields: (t) => ({
    window: t.expose('window', { type: PerformanceWindow, description: 'The window of the figures.' }),
    credits_consumed: t.expose('credits_consumed', {
      type: 'NonNegativeFloat',
      description: 'Credits, those of chats among them.',
    }),
    total_executions: t.expose('total_executions', {
      type: 'NonNegativeInt',
      description: 'Executions created in the window, in whatever state they are now.',
    }),
    successful_executions: t.expose('successful_executions', {
      type: 'NonNegativeInt',
      description: 'Those that are COMPLETED.',
    }),
    failed_executions: t.expose('failed_executions', {
      type: 'NonNegativeInt',
      description: 'Those that are FAILED or TIMED_OUT.',
    }),
    fully_resolved_executions: t.expose('fully_resolved_executions', {
      type: 'NonNegativeInt',
      description: 'Those whose resolution is FULL.',
    }),
    partially_resolved_executions: t.expose('partially_resolved_executions', {
      type: 'NonNegativeInt',
      description: 'Those whose resolution is PARTIAL.',
    }),
    total_hours_saved: t.expose('total_hours_saved', {
      type: 'NonNegativeFloat',
      description: 'Hours of work that the COMPLETED ones saved.',
    }),
    total_seconds_spent: t.expose('total_seconds_spent', {
      type: 'NonNegativeFloat',
      description: 'Seconds that the executions took.',
    }),
    total_tickets_received: t.expose('total_tickets_received', {
      type: 'NonNegativeInt',
      description:
        'Tickets that the PSA received, whatever agents did with them, counted in quarters of an hour: a bound ' +
        'inside one is taken down to its start, with a warning. 0 where only chat agents are asked for.',
    }),
    unique_tickets: t.expose('unique_tickets', {
      type: 'NonNegativeInt',
      description: 'Tickets that the executions were for, each once; time entries are none.',
    }),
    earliest_execution_at: t.expose('earliest_execution_at', {
      type: 'DateTime',
      nullable: true,
      description:
        'When the first execution of the agents that the caller sees finished, of whatever kind and at whatever ' +
        'time. null: none has.',
    }),
    earliest_time_entry_at: t.expose('earliest_time_entry_at', {
      type: 'DateTime',
      nullable: true,
      description: 'The same for agents that work on time entries.',
    }),
  }),
})

area.query('performance_summary', (t) =>
  t.field({
    type: PerformanceSummary,
    description:
      'Gets the totals of a window: executions by how they ended, hours saved, credits consumed. Executions, credits and ' +
      'tickets are kept for 400 days; for an older `from` the totals cover that part, and a warning says so. ' +
      'Executions belong to the window by `created_at`. An OWNER, an ADMIN and an API key with no acting user see ' +
      'every agent; a USER and a VIEWER those they created or were shared.',
    rest: { method: 'GET', path: '/performance/summary' },
    access: scope('performance:read'),
    errors: ['invalid_window'],
    args: {
      from: t.arg({
        type: 'DateTime',
        description: 'The start. The beginning of this month in the tenant’s zone, where it is left out.',
      }),
      to: t.arg({ type: 'DateTime', description: 'The end, exclusive. Now, where it is left out.' }),
      autonomy_type: t.arg({
        type: AutonomyType,
        description: 'Only agents of this kind. CONVERSATIONAL: credits alone, everything else is 0 or null.',
      }),
    },
    resolve: async (_root, args, ctx) => {
      const autonomy_type = args.autonomy_type ?? null
      const zone = args.from ? 'UTC' : await readZone(ctx)
      const window = windowOf(args.from ?? null, args.to ?? null, ctx.now, zone)
      // The month that begins this instant is no mistake of the caller's.
      if ((args.from || args.to) && window.from >= window.to) {
        throw new ApiError('invalid_window', { details: { ...window } })
      }
      const kept_from = keptFrom(ctx.now)
      const kept = since(window, kept_from)
      const tickets = quartersOf(kept, !args.to)
      const only_chats = autonomy_type === 'CONVERSATIONAL'
      const { timezone, ...sums } = await readTotals(ctx, kept, tickets, autonomy_type)
      ctx.warnings.push(...warningsOf({ window, kept_from, tickets: only_chats ? null : tickets }))
      const totals = withZeros(sums)
      return {
        ...(only_chats ? chatTotals(totals) : totals),
        window: { ...window, timezone: timezone ?? 'UTC' },
      }
    },
  }),
)
