/** The rule on the size of an agent's configuration. */
import type { FieldProblem } from './schema-problems.ts'

export const MAX_CONFIGURATION_BYTES = 1024 * 1024

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value ?? null))

/** The problem of a configuration that is too large, at the largest of the fields that the body has. */
export function sizeProblems(
  configuration: Readonly<Record<string, unknown>>,
  given: ReadonlySet<string>,
): FieldProblem[] {
  const bytes = bytesOf(configuration)
  if (bytes <= MAX_CONFIGURATION_BYTES || given.size === 0) return []
  const [largest = ''] = [...given].sort(
    (one, other) => bytesOf(configuration[other]) - bytesOf(configuration[one]),
  )
  const message = `makes a configuration of ${bytes} bytes; the most is ${MAX_CONFIGURATION_BYTES}`
  return [{ field: largest, code: 'configuration_too_large', message }]
}
