/** Optimistic concurrency: entity tags of writable resources, `If-Match` and `If-None-Match`. */
import { hash as digest } from 'node:crypto'
import { ApiError } from '../errors.ts'

const hash = (text: string | Buffer): string => digest('sha256', text, 'base64url').slice(0, 22)

/** The description of `revision`, in every type that has it. */
export const REVISION =
  '1 at first, and one more with every change that a caller makes. `If-Match: "<revision>"` changes this version only.'

/** The tag of a document by its content. */
export const contentTag = (content: string | Buffer): string => `"${hash(content)}"`

/**
 * The tag of a resource at a revision. `rest` is everything in its representation that changes without a new
 * revision; leave it out where nothing else changes.
 */
export const etagOf = (revision: number, rest?: unknown): string =>
  rest === undefined ? `"${revision}"` : `"${revision}.${hash(JSON.stringify(rest))}"`

/** `*`, or the tags of a list. `W/` is left out: proxies that compress an answer add it to its tag. */
export type EntityTags = '*' | readonly string[]

const TAG_LIST = /^[\t ,]*(?:(?:W\/)?"[!#-~\x80-\xff]*"[\t ]*(?:$|,[\t ,]*))+$/

/** The value of `If-Match` or `If-None-Match`; 400 where it is neither `*` nor quoted tags. */
export function readEntityTags(name: string, header: string | undefined): EntityTags | null {
  if (header === undefined) return null
  if (header.trim() === '*') return '*'
  if (TAG_LIST.test(header)) return header.match(/"[^"]*"/g) ?? []
  const message = `${name} must be * or entity tags in double quotes, as ETag has them: "3".`
  throw new ApiError('bad_request', { message, details: { reason: message } })
}

const revisionIn = (etag: string): string | undefined => /^"(\d+)[".]/.exec(etag)?.[1]

/** 409 `version_conflict` where `If-Match` names other revisions than the one of the resource as it is stored. */
export function checkIfMatch(
  { request: { if_match } }: { request: { if_match: EntityTags | null } },
  current_etag: string,
): void {
  if (if_match === null || if_match === '*') return
  if (if_match.some((etag) => revisionIn(etag) === revisionIn(current_etag))) return
  throw new ApiError('version_conflict', { details: { current_etag } })
}

/** True where `If-None-Match` names the tag. */
export const isCurrent = (if_none_match: EntityTags | null, etag: string): boolean =>
  if_none_match === '*' || if_none_match?.includes(etag) === true
