/** The rules of what people fill in to connect a system. */
import type { ConnectionField } from '../../../connectors/fields.ts'
import { bodyProblem, type FieldError } from '../../../errors/errors.ts'

/** Texts by the names of fields. */
export type Values = Readonly<Record<string, string>>

/** What was sent. Absent: the stored value is kept. null: it is cleared. */
export type Given = Readonly<Record<string, string | null | undefined>>

export interface Filled {
  settings: Values
  secrets: Values
}

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** True for an https address without anything that a path could not follow; http too if `allow_private`. */
function isSystemAddress(text: string, allow_private: boolean): boolean {
  if (!URL.canParse(text) || /[?#]/.test(text)) return false
  const { protocol, hostname, username, password } = new URL(text)
  if (username !== '' || password !== '') return false
  return protocol === 'https:' || (allow_private && protocol === 'http:' && LOOPBACK.has(hostname))
}

const valuesOf = (entries: readonly (readonly [string, string | undefined])[]): Values =>
  Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

interface Options {
  allow_private: boolean
  /** The path of the fields in the body. */
  path: string
}

/**
 * What is stored after the fields that were sent, and the problems with it. Secrets are kept only for the address that
 * they were given for: nobody learns one by connecting another address.
 */
export function filledIn(
  fields: readonly ConnectionField[],
  stored: Filled,
  given: Given,
  { allow_private, path }: Options,
): Filled & { problems: FieldError[] } {
  const before: Values = { ...stored.settings, ...stored.secrets }
  const is_elsewhere = fields.some(
    ({ name, kind }) => kind === 'URL' && typeof given[name] === 'string' && given[name] !== before[name],
  )
  const textOf = ({ name, secret }: ConnectionField): string | undefined => {
    const sent = given[name]
    if (sent !== undefined) return sent ?? undefined
    return secret && is_elsewhere ? undefined : before[name]
  }
  const values = fields.map((field) => [field, textOf(field)] as const)
  const problems = values.flatMap(([{ name, required, secret, kind }, value]) => {
    const place = `${path}.${name}`
    if (value === undefined && (required || (before[name] !== undefined && given[name] === undefined))) {
      const again = secret && before[name] !== undefined
      return [bodyProblem(place, 'required', again ? 'is required with another address' : 'is required')]
    }
    if (value !== undefined && kind === 'URL' && !isSystemAddress(value, allow_private))
      return [
        bodyProblem(
          place,
          'format',
          'must be an https address without user name, password, query and fragment',
        ),
      ]
    return []
  })
  const those = (is_secret: boolean) =>
    valuesOf(values.flatMap(([{ name, secret }, value]) => (secret === is_secret ? [[name, value]] : [])))
  return { settings: those(false), secrets: those(true), problems }
}

export const sameValues = (one: Values, other: Values): boolean => {
  const names = Object.keys(one)
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name])
}
