import { scope } from '../../access/policies/policies.ts'
import { builder } from '../../schema/builder.ts'
import type { ZonedWindow } from '../../schema/scalars/zoned-window.ts'
import { readZone } from '../settings/index.ts'
import { area } from './area.ts'
import { figureFields } from './figures.ts'
import { readTotals } from './queries.ts'
import { chatTotals, quartersOf, type Totals, warningsOf, withZeros } from './rules.ts'
import { askedWindow, PerformanceWindow, windowArgs } from './window.ts'
import './by-agent.ts'
import './timeseries.ts'

interface Summary extends Totals {
  window: ZonedWindow
}

const PerformanceSummary = builder.objectRef<Summary>('PerformanceSummary').implement({
  description: 'The figures of the agents that the caller sees in a window, archived ones too.',
  fields: (t) => ({
    window: t.expose('window', { type: PerformanceWindow, description: 'The window of the figures.' }),
    ...figureFields(t),
    total_tickets_received: t.expose('total_tickets_received', {
      type: 'NonNegativeInt',
      description:
        'Tickets that the PSA received, whatever agents did with them, counted in quarters of an hour: a bound ' +
        'inside one is taken down to its start, with a warning. 0 if only chat agents are asked for.',
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
    args: windowArgs,
    resolve: async (_root, args, ctx) => {
      const autonomy_type = args.autonomy_type ?? null
      const zone = args.from ? 'UTC' : await readZone(ctx)
      const { window, kept, kept_from } = askedWindow(ctx, args, zone)
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
