/** Refuses secrets in what callers write. */
import { bodyProblem, type FieldError, invalid } from '../errors/errors.ts'
import { holdsSecret } from './redact.ts'

const SECRET = 'looks like a password, key or token'

/** 422 `secret_in_content` if a text holds a secret, by the fields of the body that have them. */
export function refuseSecrets(texts: Readonly<Record<string, string | null | undefined>>): void {
  const problems = Object.entries(texts).flatMap(([field, text]): FieldError[] =>
    text && holdsSecret(text) ? [bodyProblem(field, 'secret', SECRET)] : [],
  )
  if (problems.length > 0) throw invalid(problems, 'secret_in_content')
}
