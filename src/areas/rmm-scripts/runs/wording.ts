/** Runs in words. */

import type { StoredScript } from './examine.ts'
import type { ScriptRunRow } from './run.ts'

type Shown = Pick<ScriptRunRow, 'device_id' | 'device_name' | 'parameters'>

const MAX_VALUE = 200

const valuesInWords = (parameters: Shown['parameters']): string => {
  const values = Object.entries(parameters).map(([name, value]) => {
    const text = JSON.stringify(value)
    return `${name}: ${text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text}`
  })
  return values.length === 0 ? 'without parameters' : `with ${values.join(', ')}`
}

/** The script, the device and the parameters of a run, as technicians approve them. */
export function runInWords(
  { name, shell, body, body_sha256, run_as_user }: StoredScript,
  { device_id, device_name, parameters }: Shown,
): string {
  const of =
    body === null
      ? 'The RMM gives no body: the SHA-256 of its name, parameters and date of change is'
      : 'The SHA-256 of its body is'
  const as = run_as_user ? 'the signed-in user' : 'the system'
  return (
    `The script “${name}” (${shell}) runs on ${device_name ?? device_id} as ${as}, ${valuesInWords(parameters)}. ` +
    `${of} ${body_sha256}.`
  )
}

const MAX_OUTPUT = 2000

const cut = (text: string): string => (text.length > MAX_OUTPUT ? `${text.slice(0, MAX_OUTPUT)}…` : text)

/** The end of a run, as the timeline of its execution tells. */
export function endInWords({
  script_name,
  device_id,
  device_name,
  status,
  exit_code,
  stdout,
  stderr,
  error_code,
  timeout_seconds,
}: ScriptRunRow): string {
  const on = `“${script_name}” on ${device_name ?? device_id}`
  if (status === 'TIMED_OUT')
    return `${on} had no end after ${timeout_seconds} seconds. The RMM may still be working.`
  if (error_code !== null) return `${on} failed: ${error_code}.`
  const head = `${on}: ${status}${exit_code === null ? '' : `, exit code ${exit_code}`}.`
  return [head, ...[stdout, stderr].flatMap((text) => (text ? [cut(text)] : []))].join('\n')
}
