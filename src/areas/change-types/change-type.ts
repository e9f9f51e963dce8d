/** The changes that callbacks report, as they are read and answered. */
import { builder, described } from '../../schema/builder.ts'
import { CHANGE_TYPE_CATALOG, CHANGE_TYPES, type ChangeType as Code } from './catalogue.ts'

/** The code of a change. */
export type ChangeType = Code

/** The change of each code, in a sentence. */
export const CHANGE_TYPE_DESCRIPTIONS = Object.fromEntries(
  CHANGE_TYPES.map((code) => [code, CHANGE_TYPE_CATALOG[code].description]),
) as Record<Code, string>

export const ChangeType = builder.enumType('ChangeType', {
  description: 'A change in the PSA that a callback reports.',
  values: described(CHANGE_TYPE_DESCRIPTIONS),
})
