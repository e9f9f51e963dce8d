/** The judgement of the body that creates an agent. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { bodySchemas } from '../../src/areas/agents/configuration/rules/body-schemas.ts'
import { CHANGE_TYPES } from '../../src/areas/change-types/catalogue.ts'
import { REGISTRY } from '../../src/areas/integrations/registry.ts'
import { toolNamed } from '../../src/tools/registry.ts'
import { Refusal } from './call.ts'

type Fields = Record<string, unknown>
type Schema = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Takes the declared fields out of a value, with their defaults; the paths of the others go to `ignored`. */
type Take = (value: unknown, path: string, ignored: string[]) => unknown

const takeAll: Take = (value) => value

/** Made once for each part of a schema. */
function takerOf({ items, properties }: Schema): Take {
  if (items) {
    const take = takerOf(items as Schema)
    return (value, path, ignored) =>
      Array.isArray(value) ? value.map((item, index) => take(item, `${path}.${index}`, ignored)) : value
  }
  if (!properties) return takeAll
  const declared = Object.entries(properties as Record<string, Schema>).filter(
    ([, schema]) => !('not' in schema),
  )
  const takers = declared.map(([name, schema]) => [name, takerOf(schema), schema.default] as const)
  const names = new Set(declared.map(([name]) => name))
  return (value, path, ignored) => {
    if (!isObject(value)) return value
    for (const name of Object.keys(value)) if (!names.has(name)) ignored.push(path ? `${path}.${name}` : name)
    const taken: Fields = {}
    for (const [name, take, usual] of takers) {
      const given = value[name]
      if (given !== undefined) taken[name] = take(given, path ? `${path}.${name}` : name, ignored)
      else if (usual !== undefined) taken[name] = typeof usual === 'object' ? structuredClone(usual) : usual
    }
    return taken
  }
}

const SYSTEMS: ReadonlyMap<string, string> = new Map(REGISTRY.map(({ name, system }) => [name, system]))

// The schemas that the service publishes for those who write agents.
const { create } = bodySchemas({ systems: [...SYSTEMS.values()], change_types: CHANGE_TYPES })
const ajv = new Ajv2020({ strict: false, validateSchema: false })
const KINDS = new Map(
  Object.entries(create).map(([kind, schema]) => [
    kind,
    { fits: ajv.compile(schema), take: takerOf(schema) },
  ]),
)

/** Text with U+0000 or half a character in it, as JSON has it. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/

/** The fields of an agent that are null if the body does not have them. */
const NOTHING = {
  description: null,
  agent_settings: null,
  agent_settings_edits: null,
  toolbox: null,
  integrations: null,
  schedule: null,
  callback_settings: null,
  actions: null,
  ticket_conditions: null,
  time_entry_conditions: null,
}

interface Draft extends Fields {
  name: string
}

interface Judged {
  draft: Draft
  warnings: string[]
  /** The systems that the agent may reach. */
  granted: ReadonlySet<string>
}

/** The tools that can be requested; what becomes of the others goes to `warnings`. */
function requestable(names: readonly string[], warnings: string[]): string[] {
  const tools = new Set<string>()
  for (const name of names) {
    const tool = toolNamed(name)
    if (!tool) throw new Refusal(400, 'validation_error')
    if (tool.grant === 'REQUESTABLE') tools.add(name)
    else if (tool.grant === 'RUNTIME_ONLY') warnings.push(`tool_runtime_only: ${name}`)
    else if (tool.grant === 'OWN_RULE') warnings.push(`tool_not_requestable: ${name}`)
    else warnings.push(`tool_granted_by_group: ${name} ${tool.permission_group}`)
  }
  return [...tools]
}

/** The stored part of the body. It takes no schedules and no supervisors: nobody measures them. */
export function judged(body: Fields): Judged {
  const kind = KINDS.get(String(body.autonomy_type))
  if (!kind?.fits(body)) throw new Refusal(400, 'validation_error')
  const ignored: string[] = []
  const { activate, ...fields } = kind.take(body, '', ignored) as Draft & { activate: boolean }
  if (UNSTORABLE.test(JSON.stringify(fields))) throw new Refusal(400, 'validation_error')
  const warnings = ignored.map((path) => `ignored_field: ${path}`)
  const { toolbox, integrations, agent_settings, schedule } = fields as Record<
    string,
    Fields | null | undefined
  >
  if (schedule || agent_settings?.supervised || isObject(agent_settings?.custom_instructions))
    throw new Refusal(400, 'not_measured')
  if (toolbox) toolbox.tools = requestable(toolbox.tools as string[], warnings)
  if (agent_settings) agent_settings.custom_instructions ??= ''
  const grants = (integrations?.grants ?? []) as { system: string }[]
  const draft = {
    ...NOTHING,
    ...(body.autonomy_type === 'CONVERSATIONAL' && { trigger_type: 'CHAT', entity_type: 'NONE' }),
    ...fields,
    name: fields.name.trim(),
    state: activate ? 'ACTIVE' : 'DRAFT',
    supervised: false,
    supervisor_technician_ids: [],
  }
  return { draft, warnings, granted: new Set(grants.map(({ system }) => system)) }
}

/** The systems of the integrations with these names. */
export const systemsOf = (names: readonly string[]): Set<string | undefined> =>
  new Set(names.map((name) => SYSTEMS.get(name)))
