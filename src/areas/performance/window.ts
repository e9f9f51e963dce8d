/** The window that every figure of performance is of. */
import { ApiError } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import type { Window } from '../../lib/window.ts'
import { builder } from '../../schema/builder.ts'
import { zonedWindow } from '../../schema/scalars/zoned-window.ts'
import { AutonomyType } from '../agents/index.ts'
import { keptFrom, since, windowOf } from './rules.ts'

export const PerformanceWindow = zonedWindow('PerformanceWindow', 'of the figures', 'months')

export const windowArgs = builder.args((t) => ({
  from: t.field({
    type: 'DateTime',
    description: 'The start. The beginning of this month in the tenant’s zone if it is left out.',
  }),
  to: t.field({ type: 'DateTime', description: 'The end, exclusive. Now if it is left out.' }),
  autonomy_type: t.field({
    type: AutonomyType,
    description: 'Only agents of this kind. CONVERSATIONAL: credits alone, everything else is 0 or null.',
  }),
}))

export interface WindowArgs {
  from?: Date | null | undefined
  to?: Date | null | undefined
}

interface Asked {
  window: Window
  /** The part of the window of which executions, credits and tickets are kept. */
  kept: Window
  kept_from: Date
}

/** The window that the arguments ask for, in the tenant's zone; 400 if it does not end after it starts. */
export function askedWindow({ now }: Pick<Context, 'now'>, { from, to }: WindowArgs, zone: string): Asked {
  const window = windowOf(from ?? null, to ?? null, now, zone)
  // The month that begins this instant is no mistake of the caller's.
  if ((from || to) && window.from >= window.to) {
    throw new ApiError('invalid_window', { details: { ...window } })
  }
  const kept_from = keptFrom(now)
  return { window, kept: since(window, kept_from), kept_from }
}
