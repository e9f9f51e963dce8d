/** Entity tags of writable resources, and `If-Match`. */
import { hash as digest } from 'node:crypto'
import { ApiError } from '../errors.ts'
import type { Context } from './context.ts'

const hash = (text: string): string => `"${digest('sha256', text, 'base64url').slice(0, 22)}"`

/** The tag of one version of a resource. */
const etagOf = (id: string, updated_at: Date): string => hash(`${id}\n${updated_at.getTime()}`)

/** The tag of a document by its content. */
export const contentTag = (content: string): string => hash(content)

/** Whether an `If-Match` or `If-None-Match` header names the tag. */
export const names = (header: string, etag: string): boolean =>
  header === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)

/** Answers with the row's tag, and gives the row on. */
export function tagged<Row extends { updated_at: Date }>(ctx: Context, id: string, row: Row): Row {
  ctx.etag = etagOf(id, row.updated_at)
  return row
}

/** 409 `version_conflict` when the caller asked for another version than the stored one. */
export function mustMatch(ctx: Context, id: string, { updated_at }: { updated_at: Date }): void {
  const current_etag = etagOf(id, updated_at)
  if (ctx.request.if_match !== null && !names(ctx.request.if_match, current_etag)) {
    throw new ApiError('version_conflict', { details: { current_etag } })
  }
}
