/** The rules of pools: how what a caller gives becomes a rule of dispatch. */
import { distinctTexts } from '../../../lib/distinct-texts.ts'

/** The fields that a caller gives. */
export interface Given {
  name?: string | null | undefined
  position?: number | null | undefined
  enabled?: boolean | null | undefined
  conditions?: object | null | undefined
  candidate_technician_ids?: readonly number[] | null | undefined
  required_skills?: readonly string[] | null | undefined
}

/** The content of a rule, as it is stored. */
export interface Content {
  name: string
  position: number
  enabled: boolean
  conditions: object | null
  candidate_technician_ids: number[]
  required_skills: string[]
}

const NEW: Content = {
  name: '',
  position: 0,
  enabled: true,
  conditions: null,
  candidate_technician_ids: [],
  required_skills: [],
}

const ascending = (ids: readonly number[]): number[] => [...new Set(ids)].sort((one, other) => one - other)

/** The rule after the change. A technician or skill that is there twice counts once. */
export const contentOf = (given: Given, stored: Content = NEW): Content => ({
  name: given.name ?? stored.name,
  position: given.position ?? stored.position,
  enabled: given.enabled ?? stored.enabled,
  conditions: given.conditions === undefined ? stored.conditions : given.conditions,
  candidate_technician_ids: given.candidate_technician_ids
    ? ascending(given.candidate_technician_ids)
    : stored.candidate_technician_ids,
  required_skills: given.required_skills ? distinctTexts(given.required_skills) : stored.required_skills,
})

/** The candidates that the stored rule does not have. */
export const newCandidates = (given: Given, stored: readonly number[]): number[] =>
  ascending(given.candidate_technician_ids ?? []).filter((id) => !stored.includes(id))
