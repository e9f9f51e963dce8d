/** The parameters of scripts. */

/** A parameter of a script. A type alias, since TypeScript takes no interface for JSON. */
export type RmmScriptParameter = {
  name: string
  type: 'STRING' | 'INTEGER' | 'BOOLEAN' | 'CHOICE'
  required: boolean
  /** null: there is none. */
  default: string | number | boolean | null
  /** The values of a CHOICE; null for other types. */
  choices: string[] | null
  secret: boolean
}

export type ScriptValue = string | number | boolean
