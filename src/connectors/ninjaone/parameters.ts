/** The one text that has the values of a script's parameters. Sources as in `api.ts`. */
import { PortRefusal } from '../port.ts'
import type { RmmScript, ScriptOrder, ScriptValue } from '../rmm.ts'
import { PRESET } from './scripts.ts'

/** Values that need no quotes in any shell. */
const WORD = /^[A-Za-z0-9_.:/][A-Za-z0-9_.:/@+=-]*$/

/** The same with backslashes, which escape nothing in the shells of Windows. */
const WINDOWS_WORD = /^[A-Za-z0-9_.:/\\][A-Za-z0-9_.:/\\@+=-]*$/

const OF_WINDOWS: ReadonlySet<RmmScript['shell']> = new Set(['POWERSHELL', 'CMD'])

// biome-ignore lint/suspicious/noControlCharactersInRegex: a line break could begin another command.
const CONTROL = /[\0-\x1f\x7f]/

/** Refuses a start: no quotes of the shell hold the value, and the script must not start with another value. */
function refuse(): never {
  throw new PortRefusal('NOT_SUPPORTED')
}

/** PowerShell takes typographic quotes for quotes. */
const inPowershell = (value: string): string =>
  value.includes('"') ? refuse() : `'${value.replace(/['\u2018\u2019\u201a\u201b]/g, '$&$&')}'`

const inBatch = (value: string): string => (/["%!]/.test(value) ? refuse() : `"${value}"`)

const inShell = (value: string): string => `'${value.replaceAll("'", "'\\''")}'`

function quoted(shell: RmmScript['shell'], value: string): string {
  if (CONTROL.test(value)) refuse()
  if ((OF_WINDOWS.has(shell) ? WINDOWS_WORD : WORD).test(value)) return value
  if (shell === 'POWERSHELL') return inPowershell(value)
  return shell === 'CMD' ? inBatch(value) : inShell(value)
}

/** `saveLogToDevice` for `Save Log To Device`, as a script finds its variable. [SV] */
function variableOf(name: string): string {
  if (/^[A-Za-z_]\w*$/.test(name)) return name
  const [first = '', ...others] = name.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  const upper = others.map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return `${first.charAt(0).toLowerCase()}${first.slice(1)}${upper.join('')}`
}

function argumentOf(shell: RmmScript['shell'], name: string, value: ScriptValue): string {
  const text = quoted(shell, String(value))
  const variable = variableOf(name) || refuse()
  return shell === 'POWERSHELL' ? `-${variable} ${text}` : `${variable}=${text}`
}

/**
 * The parameters as the language of the script wants them [VD]: `-name 'value'` in PowerShell, `name='value'` elsewhere; a
 * preset text as it is. Unverified: that the vendor takes the values of variables in this form.
 */
export function parametersText(
  { shell, parameters: declared }: RmmScript,
  values: ScriptOrder['parameters'],
): string {
  const [first] = declared
  if (declared.length === 1 && first?.name === PRESET && first.type === 'CHOICE') {
    const preset = values[PRESET]
    if (preset === undefined) return ''
    return first.choices?.find((choice) => choice === preset) ?? refuse()
  }
  return Object.entries(values)
    .map(([name, value]) => argumentOf(shell, name, value))
    .join(' ')
}
