/** The arguments and errors that decisions about requests to technicians have in common. */
import { bodyProblem, invalid } from '../../../errors/errors.ts'
import { holdsSecret } from '../../../gateway/redact.ts'

export const OF_CREDENTIAL =
  'It takes the token of a dashboard user, or a key whose acting user made it for themselves: any other key is refused ' +
  'with `acting_user_not_allowed`, and one with no acting user with `acting_user_required`.'

export const OF_CALLER = `The caller is the technician that the user is. ${OF_CREDENTIAL}`

export const comment = {
  min_length: 1,
  max_length: 2000,
  description: 'A comment for who asked.',
} as const

export const DECISION_ERRORS = [
  'til_request_not_found',
  'acting_user_required',
  'not_an_approver',
  'version_conflict',
  'til_request_closed',
  'til_request_expired',
  'decision_not_allowed',
  'secret_in_content',
] as const

/** 422 `secret_in_content` if a text, or text in a JSON value, holds a secret. */
export function refuseSecrets(given: Readonly<Record<string, unknown>>): void {
  const problems = Object.entries(given)
    .filter(([, value]) => holdsSecret(value))
    .map(([field]) => bodyProblem(field, 'secret', 'looks like a password, key or token'))
  if (problems.length > 0) throw invalid(problems, 'secret_in_content')
}
