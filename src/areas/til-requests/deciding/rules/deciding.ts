/** The rules of decisions about requests to technicians. */
import { bodyProblem, type FieldError } from '../../../../errors/errors.ts'

type Decision = 'APPROVE' | 'REJECT' | 'EDIT' | 'ANSWER'

/** The caller of a decision. */
export interface Decider {
  /** The credential: the user, or the API key. */
  credential_id: string
  /** The user, or the acting user of the key. */
  person_id: string
  /** The technician that the user is; null: none, or one that is deleted. */
  technician_id: number | null
}

interface Asked {
  kind: string
  technician_ids: readonly number[]
  requested_by_id: string
  /** The users behind what is asked for. */
  asked_by_user_ids: readonly string[]
  /** The stored call, whose caller is the credential that asked. */
  call: unknown
}

const credentialThatAsked = (call: unknown): unknown =>
  (call as { caller?: { id?: unknown } } | null)?.caller?.id ?? null

/** The code with which a credential that is not a person's own is refused every decision. */
export function credentialProblem({
  person,
  is_own,
}: {
  person: object | null
  is_own?: boolean
}): 'acting_user_required' | 'acting_user_not_allowed' | null {
  if (person === null) return 'acting_user_required'
  return is_own ? null : 'acting_user_not_allowed'
}

/** The code with which a person is refused a decision; null for one who may decide. */
export function deciderProblem(
  { kind, technician_ids, requested_by_id, asked_by_user_ids, call }: Asked,
  { credential_id, person_id, technician_id }: Decider,
  decision: Decision,
): 'not_an_approver' | 'self_approval_forbidden' | null {
  if (technician_id === null || !technician_ids.includes(technician_id)) return 'not_an_approver'
  // Contract silent: everybody behind a call of the API may reject it, and a key approves nothing that it asked for, for
  // whatever user it acts. The same holds for calls of a run by which an agent does what such a call does.
  const ofCall = kind === 'API_REQUEST' ? [requested_by_id, credentialThatAsked(call)] : []
  const askers = [...asked_by_user_ids, ...ofCall]
  const isOwn = askers.includes(person_id) || askers.includes(credential_id)
  return decision !== 'REJECT' && isOwn ? 'self_approval_forbidden' : null
}

type Status =
  | 'PENDING'
  | 'APPROVED'
  | 'REJECTED'
  | 'ANSWERED'
  | 'EXPIRED'
  | 'CANCELLED'
  | 'SUPERSEDED'
  | 'SHADOWED'

/** The state of a request. OVERDUE: it has expired, and no job has closed it yet. */
export type State = Status | 'OVERDUE'

export const stateOf = ({ status, expires_at }: { status: Status; expires_at: Date }, now: Date): State =>
  status === 'PENDING' && expires_at <= now ? 'OVERDUE' : status

interface Fits {
  allowed_decisions: readonly Decision[]
  arguments_hash: string | null
}

/** The code with which a decision that does not fit the request is refused; null for one that fits. */
export function fitProblem(
  { allowed_decisions, arguments_hash }: Fits,
  decision: Decision,
  seen_hash?: string | null,
): 'decision_not_allowed' | 'arguments_changed' | null {
  if (!allowed_decisions.includes(decision)) return 'decision_not_allowed'
  return seen_hash != null && seen_hash !== arguments_hash ? 'arguments_changed' : null
}

interface Answer {
  answer: string
  answer_option_id: string | null
}

interface GivenAnswer {
  answer?: string | null | undefined
  option_id?: string | null | undefined
}

/** The answer as it is stored: in the technician's own words, or an option with its label. Otherwise the problems. */
export function answerOf(
  options: readonly { id: string; label: string }[] | null,
  { answer, option_id }: GivenAnswer,
): Answer | FieldError[] {
  // Contract silent: if there are options, a technician may still answer in words of their own.
  if ((answer == null) === (option_id == null))
    return [bodyProblem('answer', 'one_of', 'either answer or option_id must be given')]
  if (option_id == null) return { answer: answer as string, answer_option_id: null }
  const option = options?.find(({ id }) => id === option_id)
  if (!option) return [bodyProblem('option_id', 'unknown', 'is not an option of the question')]
  return { answer: option.label, answer_option_id: option.id }
}

/** The place where the decision is taken. */
export const viaOf = (credential: string): 'DASHBOARD' | 'API' =>
  credential === 'USER' ? 'DASHBOARD' : 'API'
