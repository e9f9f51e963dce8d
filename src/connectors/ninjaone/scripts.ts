/** The scripts of NinjaOne. Sources as in `api.ts`. */
import { z } from 'zod'
import { argumentsHash } from '../../lib/arguments-hash.ts'
import { isStorable, storableText } from '../../lib/text.ts'
import { amount, count, flag, maybe, text } from '../http/forms.ts'
import { idOf } from '../ids.ts'
import type { Rmm, RmmScript, RmmScriptParameter } from '../rmm.ts'
import type { Api } from './api.ts'

/** [OA: ScriptVariable] */
const VARIABLE = z.object({
  name: text,
  type: text,
  defaultValue: text,
  required: flag,
  valueList: maybe(z.array(z.string())),
})

type Variable = z.infer<typeof VARIABLE>

/** [OA: AutomationScript] */
const SCRIPT = z.object({
  id: count,
  name: text,
  description: text,
  active: flag,
  language: text,
  operatingSystems: maybe(z.array(z.string())),
  scriptParameters: maybe(z.array(z.string())),
  scriptVariables: maybe(z.array(VARIABLE)),
  updatedOn: amount,
})

type ScriptRow = z.infer<typeof SCRIPT>

/** The vendor tells no time-out: the default of the service. */
const DEFAULT_TIMEOUT_SECONDS = 90

/** By a part of the language, the first that fits. Unverified: the names of languages, of which the document has no list. */
const SHELLS: readonly (readonly [part: RegExp, shell: RmmScript['shell']])[] = [
  [/powershell/i, 'POWERSHELL'],
  [/batch|cmd/i, 'CMD'],
  [/bash|shell/i, 'BASH'],
  [/python/i, 'PYTHON'],
]

/** By the beginning of the name. Unverified: the names of operating systems, of which the document has no list. */
const PLATFORMS: readonly (readonly [beginning: RegExp, platform: RmmScript['platforms'][number]])[] = [
  [/^win/i, 'WINDOWS'],
  [/^mac/i, 'MACOS'],
  [/^linux/i, 'LINUX'],
]

/** The parameter that stands for the texts with which a script without variables can be started. */
export const PRESET = 'parameters'

/** The most characters that a port passes on: a longer value would be cut, and mean something else. */
const MAX_VALUE = 255

const isWhole = (value: string): boolean => value.length <= MAX_VALUE && isStorable(value)

const shellOf = ({ language }: ScriptRow): RmmScript['shell'] =>
  SHELLS.find(([part]) => part.test(language ?? ''))?.[1] ?? 'OTHER'

const platformsOf = ({ operatingSystems = [] }: ScriptRow): RmmScript['platforms'] =>
  PLATFORMS.filter(([beginning]) => operatingSystems.some((name) => beginning.test(name))).map(
    ([, platform]) => platform,
  )

/** The type of a variable with its default. Dates, decimals and addresses are texts of the vendor's own forms. [OA] */
function typeOf({
  type,
  defaultValue = '',
  valueList = [],
}: Variable): Pick<RmmScriptParameter, 'type' | 'default' | 'choices'> {
  const preset = isWhole(defaultValue) && defaultValue !== '' ? defaultValue : null
  const choices = valueList.filter(isWhole)
  if (type === 'DROPDOWN' && choices.length > 0)
    return { type: 'CHOICE', default: preset !== null && choices.includes(preset) ? preset : null, choices }
  if (type === 'CHECKBOX')
    return { type: 'BOOLEAN', default: preset === null ? null : /^(?:true|1)$/i.test(preset), choices: null }
  if (type === 'INTEGER') {
    const number = /^-?\d{1,9}$/.test(preset ?? '') ? Number(preset) : null
    return { type: 'INTEGER', default: number, choices: null }
  }
  return { type: 'STRING', default: preset, choices: null }
}

/**
 * The variables, or else the choice of the texts that the script has for its parameters. No variable says that it is secret.
 * Unverified: that the start of a script takes its variables.
 */
function parametersOf({ scriptVariables = [], scriptParameters = [] }: ScriptRow): RmmScriptParameter[] {
  const named = new Map<string, RmmScriptParameter>()
  for (const variable of scriptVariables) {
    const { name = '', required = false } = variable
    if (name !== '' && isWhole(name) && !named.has(name))
      named.set(name, { name, required, ...typeOf(variable), secret: false })
  }
  const choices = [...new Set(scriptParameters.filter((preset) => preset !== '' && isWhole(preset)))]
  if (named.size > 0 || choices.length === 0) return [...named.values()]
  return [{ name: PRESET, type: 'CHOICE', required: false, default: null, choices, secret: false }]
}

/** The hash of what the vendor tells of a script: the vendor gives neither the body nor its hash. [OA] */
function hashOf(row: ScriptRow): string {
  const { name, description, language, scriptParameters, scriptVariables, updatedOn } = row
  const told = { name, description, language, scriptParameters, scriptVariables, updatedOn }
  return argumentsHash(
    JSON.parse(JSON.stringify(told), (_key, value: unknown) =>
      typeof value === 'string' ? storableText(value) : value,
    ),
  )
}

const scriptOf = (row: ScriptRow): RmmScript => ({
  script_id: String(row.id),
  name: row.name || String(row.id),
  description: row.description || null,
  // Only the options of each device have the categories of scripts. [OA]
  category: null,
  shell: shellOf(row),
  platforms: platformsOf(row),
  parameters: parametersOf(row),
  default_timeout_seconds: DEFAULT_TIMEOUT_SECONDS,
  run_as_user: false,
  body_sha256: hashOf(row),
  body: null,
})

/** The active scripts. The list has no pages, and there is no read of one script. [OA] */
const activeScripts = async (api: Api): Promise<ScriptRow[]> =>
  (await api.list(SCRIPT, '/automation/scripts')).filter(({ active }) => active !== false)

/** The script; null if it is gone, or not active. */
export async function scriptNamed(api: Api, script_id: string): Promise<RmmScript | null> {
  const id = idOf(script_id)
  if (id === null) return null
  const row = (await activeScripts(api)).find((one) => one.id === id)
  return row ? scriptOf(row) : null
}

export const scriptsOf = (api: Api): Pick<Rmm, 'scriptPage' | 'script'> => ({
  async scriptPage() {
    return { rows: (await activeScripts(api)).map(scriptOf), next: null }
  },
  script: (script_id) => scriptNamed(api, script_id),
})
