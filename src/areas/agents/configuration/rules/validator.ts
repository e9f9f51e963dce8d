/** Validates the bodies of agent writes: all problems together, or the configuration that is to be stored. */
import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../../../../lib/is-object.ts'
import type { JsonSchema } from '../../../../lib/json-schema.ts'
import { instantText, parseInstant } from '../../../../lib/time.ts'
import { configurationIn } from '../../rules.ts'
import { bodySchemas } from './body-schemas.ts'
import { cleaned, storageFlaws, withPlainInstructions } from './cleaning.ts'
import {
  accepts,
  type Catalogues,
  CONFIG_NAMES,
  type ConfigName,
  DEFAULTS,
  type Operation,
} from './config-objects.ts'
import { AUTONOMY_TYPES, type Autonomy } from './matrix.ts'
import { validatedActions } from './params.ts'
import { distinct, type FieldProblem, problemsWith } from './schema-problems.ts'
import { sizeProblems } from './size.ts'
import { toolboxOf } from './tools.ts'
import {
  agentProblems,
  type Candidate,
  connectionWarnings,
  type Facts,
  supervisorProblems,
} from './whole-agent.ts'

export interface ValidationResult {
  /** All problems with the body. */
  problems: FieldProblem[]
  warnings: string[]
  /** The fields as they are to be stored, if there are no problems. */
  fields: Record<string, unknown>
}

export type Body = Readonly<Record<string, unknown>>

type Properties = Readonly<Record<string, JsonSchema>>

const isConfig = (name: string): name is ConfigName => (CONFIG_NAMES as readonly string[]).includes(name)

const warningOf = (name: string, operation: Operation): string =>
  name === 'agent_settings_edits' && operation === 'CREATE'
    ? `agent_settings_edits_on_create: ${name}`
    : `ignored_field: ${name}`

const NAMED = 20

/** Warnings that name ignored fields, up to twenty; the rest is counted. */
function ignoredWarnings(paths: readonly string[], operation: Operation): string[] {
  const named = paths.slice(0, NAMED).map((path) => warningOf(path, operation))
  const more = paths.length - named.length
  return more > 0 ? [...named, `ignored_fields: ${more} more`] : named
}

const LONGEST_NAME = 64

/** The fields of the body that such a write takes, as they are to be stored. The paths of the others go to `ignored`. */
function keptOf(
  body: Body,
  { schema, operation, autonomy }: { schema: JsonSchema; operation: Operation; autonomy: Autonomy | null },
  ignored: string[],
): Record<string, unknown> {
  const declared = schema.properties as Properties
  const fields = Object.entries(body).flatMap(([name, value]) => {
    const own = Object.hasOwn(declared, name) ? declared[name] : undefined
    const isRefused = isConfig(name) && autonomy !== null && !accepts(name, operation, autonomy)
    if (!own || isRefused) {
      if (!own || value !== null) ignored.push(name.slice(0, LONGEST_NAME))
      return []
    }
    const kept = cleaned(own, value, name, ignored)
    const isSettings = name === 'agent_settings' || name === 'agent_settings_edits'
    return [[name, isSettings ? withPlainInstructions(kept, name, ignored) : kept]]
  })
  return Object.fromEntries(fields)
}

const { custom_instructions } = DEFAULTS

/** The instants of a schedule as they are answered. */
function withInstants(schedule: Body): Body {
  const instants = (['start_at', 'end_at'] as const).flatMap((name) => {
    const text = schedule[name]
    const instant = typeof text === 'string' ? parseInstant(text) : null
    return instant ? [[name, instantText(instant)]] : []
  })
  return { ...schedule, ...Object.fromEntries(instants) }
}

/** The fields in the form in which they are stored. */
function settled(fields: Record<string, unknown>): Record<string, unknown> {
  const { name, agent_settings, schedule } = fields
  return {
    ...fields,
    ...(typeof name === 'string' && { name: name.trim() }),
    ...(isObject(agent_settings) && { agent_settings: { custom_instructions, ...agent_settings } }),
    ...(isObject(schedule) && { schedule: withInstants(schedule) }),
  }
}

function withTools(fields: Record<string, unknown>): ValidationResult {
  const { toolbox } = fields
  if (!isObject(toolbox) || !Array.isArray(toolbox.tools)) return { fields, problems: [], warnings: [] }
  const { tools, ...found } = toolboxOf(toolbox.tools)
  return { fields: { ...fields, toolbox: { ...toolbox, tools } }, ...found }
}

/** The fields with the arguments of actions that their tools take. */
function withParams(
  { fields, problems, warnings }: ValidationResult,
  agent: Candidate,
  ignored: string[],
): ValidationResult {
  const { actions, entity_type = agent.entity_type } = fields
  if (!Array.isArray(actions)) return { fields, problems, warnings }
  const validated = validatedActions(actions, entity_type, ignored)
  return {
    fields: { ...fields, actions: validated.actions },
    problems: [...problems, ...validated.problems],
    warnings: [...warnings, ...validated.warnings],
  }
}

const OF_CHAT = { trigger_type: 'CHAT', entity_type: 'NONE' }

/** The agent that a create makes of the fields, before it is validated as a whole. */
const draftOf = (fields: Candidate): Record<string, unknown> => ({
  description: null,
  ...(fields.autonomy_type === 'CONVERSATIONAL' && OF_CHAT),
  ...Object.fromEntries(CONFIG_NAMES.map((name) => [name, null])),
  ...fields,
})

/** `supervised` and the supervisors, which are columns of their own. */
const supervision = (settings: unknown) => ({
  supervised: isObject(settings) && settings.supervised === true,
  supervisor_technician_ids: isObject(settings) ? (settings.supervisor_technician_ids ?? []) : [],
})

/** Every problem once, those of nested config objects first. */
const ordered = (problems: readonly FieldProblem[]): FieldProblem[] =>
  distinct(problems).toSorted((a, b) => (b.depth ?? 0) - (a.depth ?? 0))

/** The fields of the body whose values differ from the stored ones. */
function newIn(agent: Candidate, body: Body, declared: Properties): Record<string, unknown> {
  const isNew = (name: string) =>
    !Object.hasOwn(declared, name) || !isDeepStrictEqual(body[name], agent[name])
  // Edits are merged into settings that are replaced with them, be they the edits that were merged last.
  const keepsEdits = 'agent_settings' in body && isNew('agent_settings')
  return Object.fromEntries(
    Object.entries(body).filter(([name]) => isNew(name) || (keepsEdits && name === 'agent_settings_edits')),
  )
}

const isPartOf = (edits: unknown, settings: unknown): boolean =>
  isObject(edits) &&
  isObject(settings) &&
  Object.entries(edits).every(([name, value]) => isDeepStrictEqual(settings[name], value))

/** The settings: replaced first, then the edits merged into them. Edits that no longer hold are forgotten. */
function settingsOf(agent: Candidate, { agent_settings, agent_settings_edits: edits }: Candidate): Candidate {
  const base = agent_settings === undefined ? agent.agent_settings : agent_settings
  const merges = isObject(edits) && Object.keys(edits).length > 0
  const settings = merges ? { ...(isObject(base) ? base : DEFAULTS), ...edits } : base
  const remembered = merges || edits === null ? edits : agent.agent_settings_edits
  return {
    agent_settings: settings,
    agent_settings_edits: isPartOf(remembered, settings) ? remembered : null,
    ...supervision(settings),
  }
}

/** The validator of bodies by the rules, with the words of these catalogues. */
export function validatorOf(catalogues: Catalogues) {
  const schemas = bodySchemas(catalogues)
  const problemsOfKind = new Map(
    AUTONOMY_TYPES.map((autonomy) => [autonomy, problemsWith(schemas.create[autonomy])]),
  )
  const problemsOfUnknownKind = problemsWith(schemas.unknown)
  const problemsOfUpdate = problemsWith(schemas.update)

  /** Validates the body of a create. */
  function draft(body: Body, facts: Facts): ValidationResult {
    const autonomy = AUTONOMY_TYPES.find((known) => known === body.autonomy_type) ?? null
    const schema = autonomy ? schemas.create[autonomy] : schemas.unknown
    const schemaProblems = (autonomy && problemsOfKind.get(autonomy)) || problemsOfUnknownKind
    const ignored: string[] = []
    const kept = keptOf(body, { schema, operation: 'CREATE', autonomy }, ignored)
    const { fields, problems, warnings } = withParams(withTools(settled(kept)), {}, ignored)
    const agent = draftOf(fields)
    const all = [
      ...schemaProblems(body),
      ...problems,
      ...agentProblems(agent, facts, new Set(Object.keys(body))),
      ...sizeProblems(configurationIn(agent), new Set(Object.keys(kept))),
      ...supervisorProblems(agent, facts),
      ...Object.entries(fields).flatMap(([name, value]) => storageFlaws(value, name)),
    ]
    return {
      problems: ordered(all),
      warnings: [...ignoredWarnings(ignored, 'CREATE'), ...warnings, ...connectionWarnings(agent, facts)],
      fields: { ...agent, ...supervision(agent.agent_settings) },
    }
  }

  /** Validates the body of a change of the agent. Fields that have the stored value are not validated. */
  function patch(agent: Candidate & { autonomy_type: Autonomy }, sent: Body, facts: Facts): ValidationResult {
    const { autonomy_type } = agent
    const body = newIn(agent, sent, schemas.update.properties as Properties)
    const ignored: string[] = []
    const kept = keptOf(
      body,
      { schema: schemas.update, operation: 'UPDATE', autonomy: autonomy_type },
      ignored,
    )
    const { fields, problems, warnings } = withParams(withTools(settled(kept)), agent, ignored)
    const changesSettings = 'agent_settings' in fields || 'agent_settings_edits' in fields
    const changes = { ...fields, ...(changesSettings && settingsOf(agent, fields)) }
    const changed = new Set(Object.keys(fields))
    const all = [
      ...problemsOfUpdate(body),
      ...problems,
      ...(changed.has('autonomy_type') ? [fixedKind(autonomy_type)] : []),
      ...agentProblems({ ...agent, ...changes, autonomy_type }, facts, changed),
      ...sizeProblems(configurationIn({ ...agent, ...changes }), changed),
      ...supervisorProblems(fields, facts),
      ...Object.entries(fields).flatMap(([name, value]) => storageFlaws(value, name)),
    ]
    return {
      problems: ordered(all),
      warnings: [...ignoredWarnings(ignored, 'UPDATE'), ...warnings, ...connectionWarnings(fields, facts)],
      fields: changes,
    }
  }

  return { schemas, draft, patch }
}

// Contract silent: a kind is for life, since what an agent has run and consumed is counted by it.
const fixedKind = (autonomy: Autonomy): FieldProblem => ({
  field: 'autonomy_type',
  code: 'autonomy_type_fixed',
  message: `is ${autonomy} and cannot be changed`,
})
