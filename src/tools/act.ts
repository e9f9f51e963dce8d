/** Makes the calls of tools, in the tenant's systems. */
import { PsaRefusal, psaOf } from '../connectors/psa.ts'
import type { DatabaseContext } from '../db/db.ts'
import type { Services } from '../gateway/context.ts'
import type { Tool } from './tool.ts'

export interface ActingContext extends DatabaseContext {
  services: Pick<Services, 'database' | 'connectors'>
  now: Date
  signal?: AbortSignal
}

export interface ActingRun {
  agent_id: number
  agent_name: string
  execution_id: string | null
  entity_id: string | null
}

export class ToolFailure extends Error {
  readonly code: string
  readonly kind: 'TOOL' | 'INTEGRATION' | 'AGENT'
  readonly may_have_acted: boolean

  constructor(code: string, kind: 'TOOL' | 'INTEGRATION' | 'AGENT', message: string, may_have_acted = false) {
    super(message)
    this.code = code
    this.kind = kind
    this.may_have_acted = may_have_acted
  }
}

/** Makes the call. Rejects with ToolFailure. */
export async function act(
  ctx: ActingContext,
  run: ActingRun,
  { name }: Tool,
  args: Record<string, unknown>,
  idempotency_key: string,
): Promise<Record<string, unknown>> {
  const psa = psaOf(ctx)
  const { ticket_id, text, visibility, status } = args as Record<string, string>
  try {
    if (name === 'ticket.add_note') {
      const note = { author_name: run.agent_name, is_internal: visibility !== 'PUBLIC', text: text ?? '' }
      const { note_id } = await psa.addNote(ticket_id ?? '', note, idempotency_key)
      return { note_id }
    }
    if (name === 'ticket.set_status') {
      await psa.updateTicket(ticket_id ?? '', { status: status ?? '' }, idempotency_key)
      return { ticket_id }
    }
  } catch (error) {
    if (error instanceof PsaRefusal) throw new ToolFailure('refused', 'AGENT', error.message)
    throw error
  }
  throw new ToolFailure('tool_not_available', 'TOOL', 'No connected system makes this call.')
}

/** Whether the other system made the write of this key. */
export async function outcomeOf(
  _ctx: ActingContext,
  _tool: Tool,
  _idempotency_key: string,
): Promise<'MADE' | 'NOT_MADE' | 'UNKNOWN'> {
  return 'NOT_MADE'
}
