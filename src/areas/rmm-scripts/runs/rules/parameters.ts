/** The values with which a script runs: compared with its parameters, with the secret ones apart. */
import type { RmmScriptParameter, ScriptValue } from '../../../../connectors/scripts.ts'
import { isStorable } from '../../../../lib/text.ts'

/** A secret value as it is stored and shown. */
export const SECRET = '[secret]'

type Values = Record<string, ScriptValue>

export interface ScriptParameters {
  parameters: readonly RmmScriptParameter[]
  /** The parameters that the tenant calls secret, by name. */
  secret_parameters: readonly string[]
}

/**
 * AGENT: chooses no secret value, and the approver gives those that are required. APPROVER: `[secret]` stands for a value that
 * was given before. CALLER: gives every value.
 */
type Giver = 'AGENT' | 'APPROVER' | 'CALLER'

interface ParameterProblem {
  name: string
  code: 'choice' | 'required' | 'secret_required' | 'type' | 'unknown'
  message: string
}

export interface CheckedParameters {
  /** Values by name, with the defaults; a secret is `[secret]`. */
  shown: Values
  /** The secret values that were given. */
  secrets: Values
  problems: ParameterProblem[]
}

const MAX_CHARACTERS = 4000

/** Of names that are no parameters, the most that are told, and the most characters of each. */
const MOST_UNKNOWN = 20
const MAX_NAME = 100

/** Without them a name could be the one of an object's own properties. */
const ownValue = (values: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(values, name) ? values[name] : undefined

const fits: Readonly<
  Record<RmmScriptParameter['type'], (value: unknown, choices: readonly string[]) => boolean>
> = {
  STRING: (value) => typeof value === 'string' && value.length <= MAX_CHARACTERS && isStorable(value),
  INTEGER: (value) => Number.isSafeInteger(value),
  BOOLEAN: (value) => typeof value === 'boolean',
  CHOICE: (value, choices) => typeof value === 'string' && choices.includes(value),
}

const EXPECTED: Readonly<Record<RmmScriptParameter['type'], string>> = {
  STRING: `must be a text of at most ${MAX_CHARACTERS} characters`,
  INTEGER: 'must be a whole number',
  BOOLEAN: 'must be true or false',
  CHOICE: 'must be one of the choices of the parameter',
}

/** The secret parameters of the script, by name: those that the RMM or the tenant calls secret. */
export const secretNames = ({ parameters, secret_parameters }: ScriptParameters): Set<string> =>
  new Set(
    parameters.flatMap(({ name, secret }) => (secret || secret_parameters.includes(name) ? [name] : [])),
  )

const BY_APPROVER = 'is secret: the technician who approves the run gives it'

function secretProblem(
  { name, required, default: preset }: RmmScriptParameter,
  value: unknown,
  by: Giver,
  is_kept: boolean,
): ParameterProblem | null {
  if (by === 'AGENT')
    return value === undefined ? null : { name, code: 'secret_required', message: BY_APPROVER }
  const is_given = value !== undefined && value !== SECRET
  if (is_given || is_kept || !required || preset !== null) return null
  return { name, code: 'secret_required', message: 'is a required secret: the value has to be given' }
}

/** The values compared with the parameters of the script. `kept`: the secret parameters that have a value already. */
export function checkParameters(
  script: ScriptParameters,
  given: Readonly<Record<string, unknown>>,
  by: Giver,
  kept: readonly string[] = [],
): CheckedParameters {
  const secret_names = secretNames(script)
  const known = new Set(script.parameters.map(({ name }) => name))
  const shown: [string, ScriptValue][] = []
  const secrets: [string, ScriptValue][] = []
  const problems: ParameterProblem[] = []
  const unknown = Object.keys(given).filter((name) => !known.has(name))
  for (const name of unknown.slice(0, MOST_UNKNOWN))
    problems.push({
      name: name.slice(0, MAX_NAME),
      code: 'unknown',
      message: 'is not a parameter of the script',
    })
  for (const parameter of script.parameters) {
    const { name, type, required, default: preset, choices } = parameter
    const value = ownValue(given, name)
    const is_secret = secret_names.has(name)
    const is_kept = is_secret && (value === undefined || value === SECRET) && kept.includes(name)
    const problem = is_secret ? secretProblem(parameter, value, by, is_kept) : null
    if (problem) problems.push(problem)
    else if (is_kept) shown.push([name, SECRET])
    else if (value === undefined || (is_secret && value === SECRET)) {
      if (!is_secret && preset !== null) shown.push([name, preset])
      else if (!is_secret && required) problems.push({ name, code: 'required', message: 'is required' })
    } else if (!fits[type](value, choices ?? []))
      problems.push({ name, code: type === 'CHOICE' ? 'choice' : 'type', message: EXPECTED[type] })
    else if (is_secret) {
      secrets.push([name, value as ScriptValue])
      shown.push([name, SECRET])
    } else shown.push([name, value as ScriptValue])
  }
  // A parameter may be called `__proto__`.
  return { shown: Object.fromEntries(shown), secrets: Object.fromEntries(secrets), problems }
}

/** The secret parameters whose values somebody has still to give: those without a value, and those with one that is shown. */
export function secretsToGive(script: ScriptParameters, shown: Readonly<Values>): string[] {
  const secret_names = secretNames(script)
  return script.parameters.flatMap(({ name, required, default: preset }) => {
    if (!secret_names.has(name)) return []
    const value = ownValue(shown, name)
    const is_missing = value === undefined ? required && preset === null : value !== SECRET
    return is_missing ? [name] : []
  })
}

/** The text without the forms. What replaces one of them is not searched for the others. */
const without = (text: string, [form, ...others]: readonly string[]): string =>
  form === undefined
    ? text
    : text
        .split(form)
        .map((part) => without(part, others))
        .join(SECRET)

/** The text without the secret values, also as shells and JSON quote them. */
export function withoutValues(text: string, secrets: Readonly<Values>): string {
  const forms = Object.values(secrets).flatMap((value) => {
    const plain = String(value)
    return [plain, plain.replaceAll("'", "''"), JSON.stringify(plain).slice(1, -1)]
  })
  const longest_first = [...new Set(forms)].sort((one, other) => other.length - one.length)
  return without(
    text,
    longest_first.filter((form) => form !== ''),
  )
}
