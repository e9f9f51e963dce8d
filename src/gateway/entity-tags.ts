/** Optimistic concurrency: the entity tags of writable resources, and `If-Match`. */
import { ApiError } from '../errors/errors.ts'
import { type EntityTags, entityTagsRule, hash, parseEntityTags } from '../lib/entity-tags.ts'

/** The description of `revision`, in every type that has it. */
export const REVISION =
  '1 at first, and one more with every change that a caller makes. `If-Match: "<revision>"` changes this version only.'

/**
 * The tag of a resource at a revision. `rest` is everything in its representation that changes without a new
 * revision; leave it out if nothing else changes.
 */
export const etagOf = (revision: number, rest?: unknown): string =>
  rest === undefined ? `"${revision}"` : `"${revision}.${hash(JSON.stringify(rest))}"`

/** The value of `If-Match`; 400 if it is neither `*` nor quoted tags. */
export function readIfMatch(header: string | undefined): EntityTags | null {
  if (header === undefined) return null
  const tags = parseEntityTags(header)
  if (tags !== null) return tags
  throw new ApiError('bad_request', { message: entityTagsRule('If-Match') })
}

const revisionIn = (etag: string): string | undefined => /^"(\d+)[".]/.exec(etag)?.[1]

/** 409 `version_conflict` if `If-Match` names other revisions than the one of the resource as it is stored. */
export function checkIfMatch(
  { request: { if_match } }: { request: { if_match: EntityTags | null } },
  current_etag: string,
): void {
  if (if_match === null || if_match === '*') return
  if (if_match.some((etag) => revisionIn(etag) === revisionIn(current_etag))) return
  throw new ApiError('version_conflict', { details: { current_etag } })
}
