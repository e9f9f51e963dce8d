import type { Context } from '../../gateway/context.ts'
import { extensionPoint } from '../../lib/extension-point.ts'

/** The agent of an execution that is COMPLETED; null if there is none, or the caller does not see the agent. */
type Source = (ctx: Context, execution_id: string) => Promise<number | null>

export const SOURCE_EXECUTION = extensionPoint<Source>('the executions that skills are made of')
