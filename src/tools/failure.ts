/** The failures of tool calls. */

/**
 * TOOL: the system refused the call, or there is none that could make it. INTEGRATION: the system cannot be reached, or
 * is too slow. AGENT: an argument names nothing.
 */
type ToolFailureKind = 'TOOL' | 'INTEGRATION' | 'AGENT'

/** The codes, with their kind and their meaning for whoever reads the trail. */
const TOOL_FAILURES = {
  tool_not_available: ['TOOL', 'No connected system makes this call.'],
  integration_unavailable: ['INTEGRATION', 'The system could not be reached, or did not answer in time.'],
  ticket_not_found: ['AGENT', 'There is no such ticket.'],
  time_entry_not_found: ['AGENT', 'There is no such time entry.'],
  company_not_found: ['AGENT', 'There is no such company.'],
  contact_not_found: ['AGENT', 'There is no such contact.'],
  technician_not_found: ['AGENT', 'There is no such technician.'],
  status_unknown: ['AGENT', 'The PSA has no such status.'],
} as const satisfies Record<string, readonly [ToolFailureKind, string]>

export type ToolFailureCode = keyof typeof TOOL_FAILURES

/** A tool call that did not succeed. */
export class ToolFailure extends Error {
  readonly code: ToolFailureCode
  readonly kind: ToolFailureKind
  /** True where the call may have changed something all the same: `outcomeOf` asks. */
  readonly may_have_acted: boolean

  constructor(code: ToolFailureCode, { cause, may_have_acted = false }: FailureOptions = {}) {
    const [kind, message] = TOOL_FAILURES[code]
    super(message, { cause })
    this.code = code
    this.kind = kind
    this.may_have_acted = may_have_acted
  }
}

interface FailureOptions {
  cause?: unknown
  may_have_acted?: boolean
}

/** The thing, or the failure that there is none. */
export function known<Thing>(thing: Thing | null | undefined, code: ToolFailureCode): Thing {
  if (thing === null || thing === undefined) throw new ToolFailure(code)
  return thing
}
