import type { Context } from '../../gateway/context.ts'
import { extensionPoint } from '../../lib/extension-point.ts'

type Effect = (ctx: Context, agent_id: number) => Promise<void>

/** Further effects in the transaction that archives an agent. */
export const AGENT_ARCHIVED = extensionPoint<Effect>('the effects of archiving an agent')
