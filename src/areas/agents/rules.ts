/** The rules of an agent's life. */
import { isDeepStrictEqual } from 'node:util'
import { bodyProblem, type FieldError } from '../../errors/errors.ts'
import { isObject } from '../../lib/is-object.ts'
import { CONFIG_NAMES } from './configuration/rules/config-objects.ts'

export const STATES = ['DRAFT', 'ACTIVE', 'PAUSED', 'ARCHIVED'] as const
export type State = (typeof STATES)[number]

/** The states in which an agent may be changed: being ARCHIVED is final. */
export const CHANGEABLE = ['DRAFT', 'ACTIVE', 'PAUSED'] as const satisfies State[]

/** The fields of an agent that are its configuration, in the order in which they are answered. */
export const CONFIGURATION = [
  'name',
  'description',
  'autonomy_type',
  'trigger_type',
  'entity_type',
  ...CONFIG_NAMES,
  'supervised',
  'supervisor_technician_ids',
] as const

type ConfigurationField = (typeof CONFIGURATION)[number]

/** The configuration in a row of an agent, or in a snapshot. A snapshot of another release may lack fields. */
export const configurationIn = <Row extends { [Field in ConfigurationField]?: unknown }>(
  row: Row,
): Pick<Row, ConfigurationField & keyof Row> =>
  Object.fromEntries(
    CONFIGURATION.flatMap((field) => (row[field] === undefined ? [] : [[field, row[field]]])),
  ) as Pick<Row, ConfigurationField & keyof Row>

/** The fields of the configuration whose values the change changed. */
export const changedFields = (before: object, after: object): Record<string, unknown> => {
  const old = configurationIn(before) as Record<string, unknown>
  const fields = Object.entries(configurationIn(after))
  return Object.fromEntries(fields.filter(([field, value]) => !isDeepStrictEqual(value, old[field])))
}

/** The depth of the longest paths. A deeper difference is named by the first steps of its path. */
const MAX_DEPTH = 3

/** The paths at which two values differ. A list differs as a whole. */
function differences(before: unknown, after: unknown, path: readonly string[]): string[] {
  if (isDeepStrictEqual(before, after)) return []
  if (path.length === MAX_DEPTH || !isObject(before) || !isObject(after)) return [path.join('.')]
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].flatMap((name) => differences(before[name], after[name], [...path, name]))
}

/** The paths that a change of the configuration changed; `before` is null for a new agent, of which null is nothing. */
export const changedPaths = (before: object | null, after: object): string[] => {
  const [old, current] = [configurationIn(before ?? {}), configurationIn(after)] as Record<string, unknown>[]
  return CONFIGURATION.flatMap((field) =>
    differences(old?.[field] ?? null, current?.[field] ?? null, [field]),
  )
}

/** A user with whom an agent is shared. */
export interface Share {
  user_id: string
  name: string
  can_edit: boolean
  created_at: Date
}

export interface GivenShare {
  user_id: string
  can_edit: boolean
}

/** The order in which shares are answered: by name, then by id. */
const byName = (a: Share, b: Share): number =>
  a.name === b.name ? compare(a.user_id, b.user_id) : compare(a.name, b.name)

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

export const inOrder = (shares: readonly Share[]): Share[] => [...shares].sort(byName)

/** The problems of shares with users who are unknown, named twice, or see the agent because they created it. */
export function shareProblems(
  given: readonly GivenShare[],
  names: ReadonlyMap<string, string>,
  created_by_user_id: string | null,
): FieldError[] {
  const problemOf = (user_id: string, index: number): [code: string, message: string] | null => {
    if (!names.has(user_id)) return ['unknown', 'is not a user of the tenant']
    // Contract silent: an agent is not shared with its creator, who sees it and changes it anyway.
    if (user_id === created_by_user_id) return ['creator', 'created the agent and needs no share']
    return given.findIndex((share) => share.user_id === user_id) < index
      ? ['duplicate', 'is named above already']
      : null
  }
  return given.flatMap(({ user_id }, index) => {
    const problem = problemOf(user_id, index)
    return problem ? [bodyProblem(`shares.${index}.user_id`, ...problem)] : []
  })
}

/** The shares that take the place of the stored ones. One that was there keeps the instant at which it was made. */
export const replacedShares = (
  stored: readonly Share[],
  given: readonly GivenShare[],
  names: ReadonlyMap<string, string>,
  now: Date,
): Share[] => {
  const by_user = new Map(stored.map((share) => [share.user_id, share]))
  return inOrder(
    given.map(({ user_id, can_edit }) => ({
      user_id,
      name: names.get(user_id) ?? '',
      can_edit,
      created_at: by_user.get(user_id)?.created_at ?? now,
    })),
  )
}

interface Runnable {
  state: State
  autonomy_type: string
}

/** The code with which every run of the agent is refused; null if it may run. */
export function runRefusal({ state, autonomy_type }: Runnable) {
  if (state !== 'ACTIVE') return 'agent_not_active'
  return autonomy_type === 'CONVERSATIONAL' ? 'agent_is_conversational' : null
}

interface Supervision {
  supervised: boolean
  supervisor_technician_ids: readonly number[]
}

interface AskedSupervision {
  supervised_run: boolean
  supervisor_technician_ids: readonly number[] | null
}

// Contract silent: technicians are named for runs that the call alone supervises. A caller who may run an agent cannot
// choose who approves in place of the technicians that the agent's own setting names.
/** The supervision of a run: by the agent's own setting, which a call cannot switch off, or else by the call. */
export function supervisionOf(agent: Supervision, asked: AskedSupervision): Supervision {
  const { supervised, supervisor_technician_ids } = agent
  if (supervised) return { supervised, supervisor_technician_ids }
  if (!asked.supervised_run) return { supervised: false, supervisor_technician_ids: [] }
  const named = asked.supervisor_technician_ids ?? supervisor_technician_ids
  return { supervised: true, supervisor_technician_ids: [...new Set(named)] }
}
