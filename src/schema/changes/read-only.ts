/** Read-only fields: the input of a change declares them only to refuse them with a precise error. */
import { invalid } from '../../errors/errors.ts'

export const readOnlyField = {
  type: 'JSON',
  nullable: true,
  read_only: true,
  description: 'Read-only: whatever is sent is refused with read_only_field.',
} as const

type Changeable<Input, Field> = { [Name in Exclude<keyof Input, Field>]?: Exclude<Input[Name], undefined> }

/** The fields that are given and may be changed; 422 `read_only_field` if one of the others is given. */
export function refuseReadOnly<Input extends object, Field extends keyof Input & string>(
  input: Input,
  fields: readonly Field[],
): Changeable<Input, Field> {
  const given = Object.entries(input).filter(([, value]) => value !== undefined)
  const problems = given.flatMap(([field]) =>
    fields.includes(field as Field)
      ? [{ field, location: 'body', code: 'read_only_field', message: 'cannot be changed' } as const]
      : [],
  )
  if (problems.length > 0) throw invalid(problems, 'read_only_field')
  return Object.fromEntries(given) as Changeable<Input, Field>
}
