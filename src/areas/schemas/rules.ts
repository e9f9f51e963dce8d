/** The catalogues of error codes and of enumerations. */

export interface ErrorEntry {
  code: string
  status: number
  meaning: string
  retryable: boolean
  fix: string
  operations: string[]
}

interface ErrorDefinition {
  status: number
  message: string
  fix: string
  retryable?: true
}

interface OperationCodes {
  name: string
  codes: readonly string[]
}

/** Every code with the operations that answer with it, by status; codes of one status in the table's order. */
export const errorCatalog = (
  errors: Readonly<Record<string, ErrorDefinition>>,
  operations: readonly OperationCodes[],
): ErrorEntry[] =>
  Object.entries(errors)
    .map(([code, { status, message, fix, retryable = false }]) => ({
      code,
      status,
      meaning: message,
      retryable,
      fix,
      operations: operations.filter(({ codes }) => codes.includes(code)).map(({ name }) => name),
    }))
    .sort((a, b) => a.status - b.status)

type Described = { description?: string | null | undefined }

interface Enumeration extends Described {
  name: string
  getValues(): readonly (Described & { name: string })[]
}

export interface EnumEntry {
  name: string
  description: string
  values: { value: string; description: string }[]
}

/** Every enumeration but GraphQL's own, by name. */
export const enumCatalog = (enumerations: readonly Enumeration[]): EnumEntry[] =>
  enumerations
    .filter(({ name }) => !name.startsWith('__'))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((enumeration) => ({
      name: enumeration.name,
      description: enumeration.description ?? '',
      values: enumeration
        .getValues()
        .map(({ name, description }) => ({ value: name, description: description ?? '' })),
    }))
