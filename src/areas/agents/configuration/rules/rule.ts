/** One rule of agent writes, as callers get it. */
import type { JsonSchema } from '../../../../lib/json-schema.ts'
import type { Operation } from './config-objects.ts'
import { AUTONOMY_TYPES, type Autonomy } from './matrix.ts'

export interface Rule {
  code: string
  severity: 'ERROR' | 'WARNING'
  applies_to: readonly Operation[]
  autonomy_types: readonly Autonomy[]
  /** The fields that it is about; `*` is any. */
  fields: readonly string[]
  /** The rule for programs: a JSON Schema, the keywords of `json_schemas` for it, or the data that the server reads. */
  condition: JsonSchema
  message: string
  /** SCHEMA: `json_schemas` say the same. SERVER: the server alone checks it. */
  checked: 'SCHEMA' | 'SERVER'
}

type Given = Omit<Rule, 'severity' | 'applies_to' | 'autonomy_types'> &
  Partial<Pick<Rule, 'severity' | 'applies_to' | 'autonomy_types'>>

export const rule = (given: Given): Rule => ({
  code: given.code,
  severity: given.severity ?? 'ERROR',
  applies_to: given.applies_to ?? ['CREATE', 'UPDATE'],
  autonomy_types: given.autonomy_types ?? AUTONOMY_TYPES,
  fields: given.fields,
  condition: given.condition,
  message: given.message,
  checked: given.checked,
})

/** A rule that a create's schema says; of an update the server validates the agent as it would be. */
export const ofWholeAgent = (given: Omit<Given, 'checked' | 'applies_to'>): Rule[] => [
  rule({ ...given, applies_to: ['CREATE'], checked: 'SCHEMA' }),
  rule({ ...given, applies_to: ['UPDATE'], checked: 'SERVER' }),
]

export const keywords = (...names: string[]): JsonSchema => ({ keywords: names })
export const lookup = (place: string): JsonSchema => ({ lookup: place })

export const SCHEMA = { checked: 'SCHEMA' } as const
export const SERVER = { checked: 'SERVER' } as const
export const WARNING = { severity: 'WARNING', ...SERVER } as const
