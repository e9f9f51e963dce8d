/** Every tool there is. */
import { DEVICE_TOOLS } from './definitions/devices.ts'
import { IDENTITY_TOOLS } from './definitions/identities.ts'
import { KNOWLEDGE_TOOLS } from './definitions/knowledge.ts'
import { PEOPLE_TOOLS } from './definitions/people.ts'
import { TICKET_TOOLS } from './definitions/tickets.ts'
import type { PermissionGroup, Tool } from './tool.ts'

const ALL = [...TICKET_TOOLS, ...DEVICE_TOOLS, ...IDENTITY_TOOLS, ...KNOWLEDGE_TOOLS, ...PEOPLE_TOOLS]

export type ToolName = (typeof ALL)[number]['name']

/** Every tool, by name. */
export const TOOLS: readonly Tool<ToolName>[] = ALL.toSorted((a, b) => (a.name < b.name ? -1 : 1))

const BY_NAME: ReadonlyMap<string, Tool<ToolName>> = new Map(TOOLS.map((tool) => [tool.name, tool]))

/** The tool of that name; undefined if there is none. */
export const toolNamed = (name: string): Tool<ToolName> | undefined => BY_NAME.get(name)

/** The names of the tools that the permission group grants. */
export const toolsOf = (group: PermissionGroup): ToolName[] =>
  TOOLS.filter(({ permission_group }) => permission_group === group).map(({ name }) => name)
