/** Other forms of answers in the document. */
import type { Operation } from '../../gateway/operation.ts'
import type { Representation } from '../../gateway/representation.ts'
import type { Json } from './json.ts'

/** The content of an answer in the form. */
export const alsoAs = ({ media_type, description }: Representation): Json => ({
  [media_type]: { schema: { type: 'string', description } },
})

/** The form of the operation's errors beside JSON. */
export const errorFormOf = ({ also_as }: Operation): Representation | undefined => also_as?.ofError && also_as
