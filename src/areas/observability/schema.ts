import { scope } from '../../access/policies/policies.ts'
import { RETENTION_DAYS } from '../callbacks/index.ts'
import { CHANGE_TYPES } from '../change-types/index.ts'
import { area } from './area.ts'
import './execution-health.ts'
import { CallbackFunnel } from './funnel.ts'
import { readFunnel } from './funnel-queries.ts'
import './integration-health.ts'
import { funnelOf, retentionWarnings } from './rules.ts'
import { requireWindow, windowArgs } from './window.ts'

area.query('callback_funnel', (t) =>
  t.field({
    type: CallbackFunnel,
    description:
      'Measures what became of the callbacks of a window of at most 7 days. Figures without samples are 0.',
    rest: { method: 'GET', path: '/observability/callback-funnel' },
    access: scope('observability:read'),
    errors: ['invalid_window', 'window_too_large'],
    args: windowArgs,
    resolve: async (_root, args, ctx) => {
      const window = requireWindow(ctx, args)
      const { timezone, ...figures } = await readFunnel(ctx, window)
      ctx.warnings.push(...retentionWarnings(window, ctx.now, RETENTION_DAYS))
      return { window: { ...window, timezone: timezone ?? 'UTC' }, ...funnelOf(figures, CHANGE_TYPES) }
    },
  }),
)
