/** `integration_health`: the calls of a window to other systems. */
import { scope } from '../../access/policies/policies.ts'
import { percentage } from '../../lib/percentage.ts'
import { builder } from '../../schema/builder.ts'
import { RETENTION_DAYS } from '../callbacks/index.ts'
import { area } from './area.ts'
import { type CallFigures, readCallFigures } from './queries.ts'
import { retentionWarnings } from './rules.ts'
import { requireWindow, windowArgs } from './window.ts'

const IntegrationCalls = builder.objectRef<CallFigures>('IntegrationCalls').implement({
  description: 'The calls of a window to one integration.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The `id` of the integration.' }),
    calls: t.expose('calls', { type: 'NonNegativeInt', description: 'Calls.' }),
    failures: t.expose('failures', { type: 'NonNegativeInt', description: 'Those that failed.' }),
    failure_pct: t.field({
      type: 'NonNegativeFloat',
      description: 'Failures in percent of the calls; 0 without calls.',
      resolve: ({ failures, calls }) => percentage(failures, calls),
    }),
    p95_wait_seconds: t.expose('p95_wait_seconds', {
      type: 'NonNegativeFloat',
      description: 'Seconds until it answered or was given up: the 95th percentile.',
    }),
    last_error_at: t.expose('last_error_at', {
      type: 'DateTime',
      nullable: true,
      description: 'When a call last failed. null: none did in the window.',
    }),
  }),
})

// Contract silent: an integration is listed if it is connected, or was called in the window.
area.query('integration_health', (t) =>
  t.field({
    type: [IntegrationCalls],
    max_items: 100,
    description: 'Lists the calls to each integration in a window of at most 7 days, by `name`.',
    rest: { method: 'GET', path: '/observability/integrations' },
    access: scope('observability:read'),
    errors: ['invalid_window', 'window_too_large'],
    args: windowArgs,
    resolve: async (_root, args, ctx) => {
      const window = requireWindow(ctx, args)
      ctx.warnings.push(...retentionWarnings(window, ctx.now, RETENTION_DAYS))
      return await readCallFigures(ctx, window)
    },
  }),
)
