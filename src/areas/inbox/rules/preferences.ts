/** The rules of preferences. */
import { bodyProblem, type FieldError } from '../../../errors/errors.ts'

/** The kinds, each once, in the order of their names: the same kinds are the same preferences. */
export const inOrder = <Kind extends string>(kinds: readonly Kind[]): Kind[] => [...new Set(kinds)].sort()

/** The problems of kinds that are quiet and mailed: what makes no item is not mailed. */
export const preferenceProblems = (
  mail_kinds: readonly string[],
  quiet_kinds: readonly string[],
): FieldError[] =>
  quiet_kinds.flatMap((kind, index) =>
    mail_kinds.includes(kind)
      ? [
          bodyProblem(
            `quiet_kinds.${index}`,
            'exclusive',
            'is in mail_kinds too: a quiet kind makes no items to mail',
          ),
        ]
      : [],
  )
