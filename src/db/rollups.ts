/**
 * Rollups: tables of counts and sums that triggers keep from the rows that they summarise. Their functions are in
 * `prisma/functions`, one file for each.
 */
import type { Database } from './database.ts'
import { type Sql, statement } from './sql.ts'

export const ROLLUPS = ['company_link_count', 'execution_daily', 'ticket_repeat'] as const

/** The rollups that are sharded counters. */
const SHARDED = ['company_link_count', 'execution_daily'] as const

type Rollup = (typeof ROLLUPS)[number]

export interface Rebuilt {
  rollup: Rollup
  /** The number of its counts, sums or links that were wrong. */
  corrected: number
}

/** Rebuilds each rollup from its rows, while others write. Its statements have no time limit. */
export const rebuildRollups = (database: Pick<Database, 'migrating'>): Promise<Rebuilt[]> =>
  database.migrating(({ sql }) =>
    oneAfterAnother(ROLLUPS, async (rollup) => ({ rollup, corrected: await callOn(sql, rollup, 'rebuild') })),
  )

/** The maximum number of rounds: an open transaction holds its shard, and could keep the fold busy. */
const FOLDS_AT_MOST = 100

/** Merges the shards that concurrent writers have left behind, in short transactions that wait for no lock. */
export const foldRollups = async (sql: Sql): Promise<void> => {
  await oneAfterAnother(SHARDED, async (rollup) => {
    for (let folds = 0; folds < FOLDS_AT_MOST; folds++) {
      if ((await callOn(sql, rollup, 'fold')) === 0) return
    }
  })
}

const callOn = async (sql: Sql, rollup: Rollup, verb: 'rebuild' | 'fold'): Promise<number> => {
  const call = statement(`rollups.${verb} ${rollup}`, `select ${rollup}_${verb}() as count`)
  const [row] = await sql.rows<{ count: number }>(call, [])
  return row?.count ?? 0
}

/** One after the other: each call is a transaction of its own. */
const oneAfterAnother = async <Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
) => {
  const results: Result[] = []
  for (const item of items) results.push(await work(item))
  return results
}
