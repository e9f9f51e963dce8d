/** Refuses secrets in what callers write. */
import { bodyProblem, invalid } from '../errors/errors.ts'
import { holdsSecret } from './redact.ts'

const SECRET = 'looks like a password, key or token'

/** 422 `secret_in_content` if a text, or text in a JSON value, holds a secret, by the fields of the body that have them. */
export function refuseSecrets(given: Readonly<Record<string, unknown>>): void {
  const problems = Object.entries(given)
    .filter(([, value]) => holdsSecret(value))
    .map(([field]) => bodyProblem(field, 'secret', SECRET))
  if (problems.length > 0) throw invalid(problems, 'secret_in_content')
}
