/** Entity tags, and the grammar of `If-Match` and `If-None-Match`. */
import { hash as digest } from 'node:crypto'

export const hash = (text: string | Buffer): string => digest('sha256', text, 'base64url').slice(0, 22)

/** The tag of a document by its content. */
export const contentTag = (content: string | Buffer): string => `"${hash(content)}"`

/** `*`, or the tags of a list. `W/` is left out: proxies that compress an answer add it to its tag. */
export type EntityTags = '*' | readonly string[]

const TAG_LIST = /^[\t ,]*(?:(?:W\/)?"[!#-~\x80-\xff]*"[\t ]*(?:$|,[\t ,]*))+$/

/** The values that `parseEntityTags` reads, as a pattern. */
export const ENTITY_TAGS = `^\\s*\\*\\s*$|${TAG_LIST.source}`

/** The tags in the value of such a header; null if it is neither `*` nor quoted tags. */
export function parseEntityTags(header: string): EntityTags | null {
  if (header.trim() === '*') return '*'
  return TAG_LIST.test(header) ? (header.match(/"[^"]*"/g) ?? []) : null
}

/** The rule that a header with other content breaks. */
export const entityTagsRule = (name: string): string =>
  `${name} must be * or entity tags in double quotes, as ETag has them: "3".`

/** True if the tags of `If-None-Match` name the tag. */
export const isCurrent = (if_none_match: EntityTags | null, etag: string): boolean =>
  if_none_match === '*' || if_none_match?.includes(etag) === true
