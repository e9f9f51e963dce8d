/** The failures of tool calls. */
import { PortRefusal, PortUnavailable, type RefusalReason } from '../connectors/port.ts'
import { ApiError } from '../errors/errors.ts'

/**
 * TOOL: the system refused the call, or there is none that could make it. INTEGRATION: the system cannot be reached, or
 * is too slow. AGENT: the arguments name nothing, or are not to be used.
 */
type ToolFailureKind = 'TOOL' | 'INTEGRATION' | 'AGENT'

type Table = Readonly<Record<string, readonly [ToolFailureKind, string]>>

/** The refusals of systems. */
const REFUSED = {
  account_not_found: ['AGENT', 'There is no such account.'],
  alert_not_found: ['AGENT', 'There is no such alert.'],
  change_refused: ['TOOL', 'The system refused the change as it was asked for.'],
  channel_closed: ['TOOL', 'The chat takes no messages of the channel.'],
  device_not_found: ['AGENT', 'There is no such device.'],
  document_not_found: ['AGENT', 'There is no such document.'],
  group_not_found: ['AGENT', 'The company has no such group.'],
  not_supported: ['TOOL', 'The connected system cannot do this.'],
  no_licence_left: ['TOOL', 'The company has no such licence left.'],
  script_not_found: ['AGENT', 'There is no such script.'],
  user_name_taken: ['TOOL', 'Another account has the user name.'],
  agreement_not_found: ['AGENT', 'The company has no such agreement.'],
  company_not_found: ['AGENT', 'There is no such company.'],
  contact_not_found: ['AGENT', 'There is no such contact at the company.'],
  status_not_found: ['AGENT', 'The PSA has no such status.'],
  technician_not_found: ['AGENT', 'There is no such technician.'],
  ticket_merged_into_itself: ['AGENT', 'A ticket cannot be merged into itself.'],
  ticket_not_found: ['AGENT', 'There is no such ticket.'],
  time_entry_not_found: ['AGENT', 'There is no such time entry.'],
} as const satisfies Record<Lowercase<RefusalReason>, readonly [ToolFailureKind, string]>

/** Every code, with its kind and its meaning for readers of the trail. */
const TOOL_FAILURES = {
  ...REFUSED,
  tool_not_available: ['TOOL', 'No connected system makes this call.'],
  credentials_refused: [
    'INTEGRATION',
    'The system does not accept the credentials of the connection, or they may not do this.',
  ],
  device_offline: ['TOOL', 'The device was offline when the script was to be started.'],
  dispatch_disabled: ['TOOL', 'Dispatch is turned off.'],
  email_not_configured: ['TOOL', 'The service has no mail server.'],
  end_user_not_found: ['AGENT', 'There is no such end user.'],
  entity_required: ['AGENT', 'Feedback is about an execution or a ticket, and a note needs a ticket.'],
  integration_unavailable: ['INTEGRATION', 'The system could not be reached, or did not answer in time.'],
  no_address: ['AGENT', 'No end user with an e-mail address is known.'],
  no_escalation_policy: ['TOOL', 'No escalation policy acts for the agent any more: nobody was told.'],
  parameters_invalid: ['AGENT', 'The script does not take these parameters.'],
  platform_mismatch: ['AGENT', 'The script is not made for the operating system of the device.'],
  result_not_found: ['AGENT', 'No long result of such a call is kept for the execution.'],
  scope_invalid: ['AGENT', 'Everything but the tenant itself has an id as scope, and the tenant has none.'],
  script_changed_since_approval: ['TOOL', 'The script has changed since its run was asked for.'],
  script_not_enabled: ['TOOL', 'Agents may not run the script.'],
  script_removed: ['TOOL', 'The RMM no longer has the script.'],
  script_run_cancelled: ['TOOL', 'The run of the script was cancelled before it was sent.'],
  secret_required: [
    'AGENT',
    'A secret parameter of the script is given by the technician who approves the run, and by no agent.',
  ],
  secret_in_content: ['AGENT', 'The text looks as if it held a password, key or token.'],
  skill_file_not_found: ['AGENT', 'The skill has no such file.'],
  skill_not_found: ['AGENT', 'The agent has no such skill.'],
  ticket_assigned: ['TOOL', 'A technician has the ticket already.'],
  ticket_closed: ['TOOL', 'The ticket is closed.'],
  text_not_storable: ['AGENT', 'A text has a character that cannot be stored.'],
} as const satisfies Table

export type ToolFailureCode = keyof typeof TOOL_FAILURES

interface FailureOptions {
  /** The arguments that are the reason. */
  arguments?: readonly string[]
  cause?: unknown
  may_have_acted?: boolean
  may_be_under_way?: boolean
  retry_after_seconds?: number | null
  is_limit?: boolean
  is_repeatable?: boolean
}

/** A tool call that did not succeed. */
export class ToolFailure extends Error {
  readonly code: ToolFailureCode
  readonly kind: ToolFailureKind
  /** True if the call may have changed something all the same: `outcomeOf` asks. */
  readonly may_have_acted: boolean
  /** True if the system may still be at the call. */
  readonly may_be_under_way: boolean
  /** Seconds after which a system that did nothing takes calls again. null: it does not say so. */
  readonly retry_after_seconds: number | null
  /** True if the requests that the service may make to the system are used up, or the system says so. */
  readonly is_limit: boolean
  /** True if another attempt may succeed. */
  readonly is_repeatable: boolean

  constructor(
    code: ToolFailureCode,
    {
      arguments: named = [],
      cause,
      may_have_acted = false,
      may_be_under_way = false,
      retry_after_seconds = null,
      is_limit = false,
      is_repeatable = code === 'integration_unavailable',
    }: FailureOptions = {},
  ) {
    const [kind, message] = TOOL_FAILURES[code]
    super(named.length === 0 ? message : `${message} Arguments: ${named.join(', ')}.`, { cause })
    this.code = code
    this.kind = kind
    this.may_have_acted = may_have_acted
    this.may_be_under_way = may_be_under_way
    this.retry_after_seconds = retry_after_seconds
    this.is_limit = is_limit
    this.is_repeatable = is_repeatable
  }
}

/** The system could not be reached, or did not answer in time. */
export const isOutage = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'upstream_unavailable'

/** The failure of a call in our words. `has_begun`: a write was begun. An error of the service itself stays as it is. */
export function failureOf(cause: unknown, has_begun: boolean): unknown {
  if (cause instanceof PortRefusal)
    return new ToolFailure(cause.reason.toLowerCase() as Lowercase<RefusalReason>, { cause })
  if (!isOutage(cause)) return cause
  const { originalError: reason } = cause as ApiError
  const unavailable = reason instanceof PortUnavailable ? reason : null
  const is_refused = unavailable?.kind === 'CREDENTIALS'
  const is_not_made = unavailable?.not_made === true
  const may_be_refused = has_begun && unavailable?.is_refusal === true
  const code = may_be_refused ? 'change_refused' : 'integration_unavailable'
  return new ToolFailure(is_refused ? 'credentials_refused' : code, {
    cause,
    is_repeatable: !is_refused,
    may_have_acted: has_begun && !is_not_made,
    may_be_under_way: has_begun && unavailable?.is_ended !== true,
    retry_after_seconds: is_not_made && !is_refused ? unavailable.retry_after_seconds : null,
    is_limit: unavailable?.kind === 'LIMIT',
  })
}

/** The thing, or the failure that there is none. */
export function requireFound<Thing>(thing: Thing | null | undefined, code: ToolFailureCode): Thing {
  if (thing === null || thing === undefined) throw new ToolFailure(code)
  return thing
}
