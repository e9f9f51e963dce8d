/** Fields that the input of a change declares only to refuse them: both interfaces then say why. */
import { invalid } from '../errors.ts'

export const readOnlyField = {
  type: 'JSON',
  nullable: true,
  description: 'Read-only: whatever is sent is refused with read_only_field.',
} as const

/** 422 `read_only_field` where the input has one of the fields, whatever its value. */
export function refuseReadOnly<Input extends object>(
  input: Input,
  fields: readonly (keyof Input & string)[],
): void {
  const given = fields.filter((field) => input[field] !== undefined)
  if (given.length === 0) return
  const problems = given.map(
    (field) => ({ field, location: 'body', code: 'read_only_field', message: 'cannot be changed' }) as const,
  )
  throw invalid(problems, 'read_only_field')
}
