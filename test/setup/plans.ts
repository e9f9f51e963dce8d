/** The cost of a statement on PostgreSQL, counted by its plan as it ran. */
import type pg from 'pg'
import type { SentStatement } from './statements.ts'

export interface Cost {
  /** Rows that were read from tables, whether they were of use or not. */
  rows: number
  /** Pages that were looked at, of tables and of indexes. */
  pages: number
}

/** The rows that one node of a plan reads of a table. */
interface NodeRead {
  table: string
  rows: number
}

export interface PlanNode {
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: PlanNode[]
}

/** The plan of a prepared statement: one for all values (generic plan), or one for those of each call (custom plan). */
export const PLAN_MODES = ['force_generic_plan', 'force_custom_plan'] as const

type PlanMode = (typeof PLAN_MODES)[number]

const arrayText = (items: readonly unknown[]): string =>
  `{${items.map((item) => (item === null ? 'null' : JSON.stringify(String(item)))).join(',')}}`

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return arrayText(value)
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The rows that the plan read of each table, as it ran. */
export const readsOf = (node: PlanNode): NodeRead[] => {
  const table = node['Relation Name']
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  const rows = (node['Actual Rows'] + removed) * node['Actual Loops']
  return [...(table === undefined ? [] : [{ table, rows }]), ...(node.Plans ?? []).flatMap(readsOf)]
}

/** Runs the statement with its values again, and counts. */
export async function costOf(
  client: pg.Client,
  { text, values }: SentStatement,
  mode: PlanMode,
): Promise<Cost & { reads: NodeRead[] }> {
  const literals = values.map((value) => (value == null ? 'null' : client.escapeLiteral(textOf(value))))
  const given = literals.length > 0 ? `(${literals.join(', ')})` : ''
  await client.query(`prepare counted as ${text}`)
  try {
    await client.query(`set plan_cache_mode = ${mode}`)
    const { rows } = await client.query(
      `explain (analyze, buffers, timing off, format json) execute counted${given}`,
    )
    const plan: PlanNode = rows[0]['QUERY PLAN'][0].Plan
    const reads = readsOf(plan)
    return {
      rows: reads.reduce((sum, read) => sum + read.rows, 0),
      pages: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
      reads,
    }
  } finally {
    await client.query('deallocate counted')
  }
}
