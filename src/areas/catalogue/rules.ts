/** The catalogues of error codes, of enumerations and of tools. */
import type { Tool } from '../../tools/tool.ts'

export interface ErrorEntry {
  code: string
  status: number
  meaning: string
  retryable: boolean
  fix: string
  details_schema: object
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
export const errorCatalog = <Code extends string>(
  errors: Readonly<Record<Code, ErrorDefinition>>,
  operations: readonly OperationCodes[],
  schemaOf: (code: Code) => object,
): ErrorEntry[] =>
  (Object.entries(errors) as [Code, ErrorDefinition][])
    .map(([code, { status, message, fix, retryable = false }]) => ({
      code,
      status,
      meaning: message,
      retryable,
      fix,
      details_schema: schemaOf(code),
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

/** The config object that grants the tool; null if the service adds it by a rule of its own. */
export const grantedWith = ({ grant }: Pick<Tool, 'grant'>): 'toolbox' | 'integrations' | null =>
  grant === 'REQUESTABLE' ? 'toolbox' : grant === 'GROUP' ? 'integrations' : null

interface ToolFilters {
  access?: Tool['access'] | null | undefined
  permission_group?: Tool['permission_group'] | undefined
  search?: string | null | undefined
  /** A system and its kind. */
  in?: { system: string; category: string }
}

const worksIn = (tool: Tool, { system, category }: NonNullable<ToolFilters['in']>): boolean =>
  tool.system === null ? tool.works_in === category : tool.system === system

/** The tools that callers may know of and that pass the filters. Tools of run time are never among them. */
export const listedTools = (tools: readonly Tool[], filters: ToolFilters): Tool[] => {
  const { access, permission_group, in: place } = filters
  const wanted = filters.search?.toLowerCase()
  return tools.filter(
    (tool) =>
      tool.grant !== 'RUNTIME_ONLY' &&
      (!access || tool.access === access) &&
      (!permission_group || tool.permission_group === permission_group) &&
      (!place || worksIn(tool, place)) &&
      (!wanted ||
        [tool.name, tool.title, tool.description].some((text) => text.toLowerCase().includes(wanted))),
  )
}
