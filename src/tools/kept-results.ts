/** Long results of tool calls, which runs read on. */
import { type DatabaseContext, scoped, sql } from '../db/db.ts'
import { insert, insertOf } from '../db/query/insert.ts'
import type { CallingRun, ToolContext } from './tool-context.ts'

const KEEP = insertOf('tools.keep_result', 'ToolResult', {
  columns: ['call_id', 'execution_id', 'text', 'created_at'],
  on_conflict: { key: ['call_id'], replace: ['text'] },
})

/** Keeps the whole text of the call's result. */
export async function keepResult(
  ctx: ToolContext,
  { execution_id }: CallingRun,
  call_id: string,
  text: string,
): Promise<void> {
  await insert(ctx, KEEP, { call_id, execution_id, text, created_at: ctx.now })
}

const READ_ALL = scoped(
  'tools.kept_results',
  `select call_id, text from tool_result
   where tenant_id = $1 and environment = $2 and execution_id = $3::text and call_id = any($4::text[])`,
)

/** The texts of the long results of these calls of the execution, by the ids of the calls. */
export async function keptResults(
  ctx: DatabaseContext,
  execution_id: string,
  call_ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await sql<{ call_id: string; text: string }>(ctx, READ_ALL, [execution_id, call_ids])
  return new Map(rows.map(({ call_id, text }) => [call_id, text]))
}

const READ = scoped(
  'tools.kept_result',
  `select text from tool_result
   where tenant_id = $1 and environment = $2 and call_id = $3::text and execution_id = $4::text`,
)

/** The text of a long result of the run's execution; undefined if none is kept. */
export async function keptResult(
  ctx: ToolContext,
  { execution_id }: CallingRun,
  call_id: string,
): Promise<string | undefined> {
  const [row] = await sql<{ text: string }>(ctx, READ, [call_id, execution_id])
  return row?.text
}
