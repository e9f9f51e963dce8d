import type { Target } from '../../gateway/activity.ts'
import type { Context } from '../../gateway/context.ts'
import { extensionPoint } from '../../lib/extension-point.ts'

/** Returns what else was changed. */
type Effect = (ctx: Context, technician_id: number) => Promise<Target[]>

/** Further effects in the transaction that deletes a technician. */
export const TECHNICIAN_DELETED = extensionPoint<Effect>('the effects of deleting a technician')
