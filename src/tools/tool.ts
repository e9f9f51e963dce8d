/**
 * Tools, as data.
 *
 * tool: one thing that agents can do, in one of the tenant's systems or in the service itself.
 * grant: the way in which an agent comes by a tool.
 */

import type { SystemKind } from '../connectors/systems.ts'

export const PERMISSION_GROUPS = [
  'DEVICES',
  'DOCUMENTATION',
  'IDENTITY',
  'TECHNICIANS',
  'TICKETS',
  'TIME_ENTRIES',
] as const

/** A group of tools that is granted as a whole. */
export type PermissionGroup = (typeof PERMISSION_GROUPS)[number]

/**
 * REQUESTABLE: by its name in `toolbox`. GROUP: by its permission group in `integrations`. RUNTIME_ONLY: a run gets it
 * if it needs it. OWN_RULE: the service adds it by a rule of its own.
 */
type Grant = 'REQUESTABLE' | 'GROUP' | 'RUNTIME_ONLY' | 'OWN_RULE'

export type JsonSchema = Readonly<Record<string, unknown>>

/** The hints of the Model Context Protocol. */
interface Annotations {
  read_only: boolean
  /** It may overwrite or delete. */
  destructive: boolean
  /** The same call twice has the effect of one. */
  idempotent: boolean
  /** It reaches systems outside the service. */
  open_world: boolean
}

export interface Tool<Name extends string = string> {
  name: Name
  title: string
  description: string
  /** The one system that it works in. null: every system of its kind, or none. */
  system: 'MICROSOFT_ENTRA_ID' | 'SHAREPOINT' | null
  works_in: SystemKind | null
  access: 'READ' | 'WRITE'
  /** A technician approves each call, unless the tenant switches that off for its permission group. */
  requires_approval: boolean
  /**
   * The approval of a tool that does what an operation of the API does only with the approval of a second person: no user
   * behind the run approves its calls. ALWAYS: whatever the permission group says. null: it is no such tool.
   */
  second_person: 'ALWAYS' | 'UNLESS_TURNED_OFF' | null
  permission_group: PermissionGroup | null
  grant: Grant
  input_schema: JsonSchema
  output_schema: JsonSchema | null
  annotations: Annotations
}

interface Definition {
  title: string
  description: string
  system?: NonNullable<Tool['system']>
  works_in?: SystemKind
  permission_group?: PermissionGroup
  /** Of a tool that belongs to no permission group. REQUESTABLE by default. */
  grant?: Exclude<Grant, 'GROUP'>
  requires_approval?: true
  second_person?: NonNullable<Tool['second_person']>
  destructive?: true
  idempotent?: boolean
  input: JsonSchema
  output?: JsonSchema
}

const toolOf = <Name extends string>(
  name: Name,
  access: Tool['access'],
  { title, description, input, output, ...rest }: Definition,
): Tool<Name> => ({
  name,
  title,
  description,
  system: rest.system ?? null,
  works_in: rest.works_in ?? null,
  access,
  requires_approval: rest.requires_approval ?? false,
  second_person: rest.second_person ?? null,
  permission_group: rest.permission_group ?? null,
  grant: rest.permission_group ? 'GROUP' : (rest.grant ?? 'REQUESTABLE'),
  input_schema: input,
  output_schema: output ?? null,
  annotations: {
    read_only: access === 'READ',
    destructive: rest.destructive ?? false,
    idempotent: rest.idempotent ?? access === 'READ',
    open_world: rest.works_in !== undefined,
  },
})

/** A tool that changes nothing. */
export const reads = <const Name extends string>(name: Name, definition: Definition): Tool<Name> =>
  toolOf(name, 'READ', definition)

/** A tool that changes something. */
export const writes = <const Name extends string>(name: Name, definition: Definition): Tool<Name> =>
  toolOf(name, 'WRITE', definition)
