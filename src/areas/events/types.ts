/** The types of events that callers name. */
import { type FieldError, invalid } from '../../errors/errors.ts'
import { typesOf } from './rules.ts'
import { typesInFeeds } from './sight.ts'

const inFeeds = (): string[] => typesInFeeds().map(({ type }) => type)

/** The types that the patterns name now, or null if there are no patterns, which name all. */
export const typesNamed = (patterns: readonly string[] | null | undefined): ReadonlySet<string> | null =>
  patterns ? new Set(typesOf(patterns, inFeeds()).chosen) : null

/** The problems with patterns of which each must name a type. */
export const typeProblems = (
  patterns: readonly string[] | null | undefined,
  field: string,
  location: 'query' | 'body',
): FieldError[] =>
  typesOf(patterns ?? [], inFeeds()).unknown.map((pattern) => ({
    field,
    location,
    code: 'unknown',
    message: `has ${JSON.stringify(pattern)}, which no type of events fits`,
    fix: 'Take types that GET /schemas/event-types lists, such as execution.failed, execution.* or *.',
  }))

/** The types that are asked for, null for all; 422 for a pattern that names none. */
export function chosenTypes(patterns: readonly string[] | null | undefined): ReadonlySet<string> | null {
  const problems = typeProblems(patterns, 'event_types', 'query')
  if (problems.length > 0) throw invalid(problems)
  return typesNamed(patterns)
}
