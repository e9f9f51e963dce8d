/**
 * The functions of the rollups, one file for each in `prisma/functions`. A migration includes the file before its
 * triggers name the functions. A changed file is applied again after the migrations, and its rollup is rebuilt. The list
 * of texts tells a text of before, which is replaced, from one of a later release, which stays.
 */

import type { SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils'
import { type Sql, statement } from '../sql.ts'
import { type RollupScript, type Script, sha256 } from './files.ts'

const INCLUDE = /^-- include functions\/(\w+)\.sql$/gm

/** The migration's script with the files that it includes, as they are now. Their text is not in its checksum. */
export const withFunctions = (script: string, functions: Script[]): string =>
  script.replaceAll(INCLUDE, (_line, name: string) => {
    const included = functions.find((each) => each.name === name)
    if (!included) throw new Error(`A migration includes functions/${name}.sql, which does not exist.`)
    // The tables of an old migration may lack columns that the functions of today name.
    return `set local check_function_bodies = off;\n${included.script}\nset local check_function_bodies = on;`
  })

const recordOf = (name: string, hash: string): string =>
  `Kept by prisma/functions/${name}.sql, sha256 ${hash}`

/** The comment on the rollup's function of rebuilding, written by the transaction that rebuilt it. */
const ownRecord = ({ name, script }: RollupScript): string => recordOf(name, sha256(script))

/**
 * The comment on the rollup's table. Releases that do not look for later ones apply their text where another is named:
 * the last of them finds its own, and leaves the functions as they are.
 */
const oldRecord = ({ name, script, texts }: RollupScript): string =>
  recordOf(name, texts[0] ?? sha256(script))

const RECORDS = statement(
  'migrations.rollup_records',
  `select name, obj_description(to_regclass(quote_ident(name)), 'pg_class') as old,
     obj_description(to_regprocedure(quote_ident(name || '_rebuild') || '()'), 'pg_proc') as own
   from unnest($1::text[]) as name`,
)

interface FunctionsFound {
  /** The files whose text the database does not have yet, or whose rollup was not rebuilt since. */
  outdated: RollupScript[]
  /** The names of those of which the database has a text that neither this release nor one before it had. */
  unknown: string[]
}

/** Compares the files with the texts that the database has. */
export const compareFunctions = async (sql: Sql, functions: RollupScript[]): Promise<FunctionsFound> => {
  const names = functions.map(({ name }) => name)
  const rows = await sql.rows<{ name: string; old: string | null; own: string | null }>(RECORDS, [names])
  const found = new Map(rows.map((row) => [row.name, row]))
  const isOutdated = (each: RollupScript) => {
    const { old, own } = found.get(each.name) ?? {}
    return own !== ownRecord(each) || old !== oldRecord(each)
  }
  const isUnknown = (each: RollupScript) => {
    const own = found.get(each.name)?.own ?? null
    const known = [ownRecord(each), ...each.texts.map((hash) => recordOf(each.name, hash))]
    return own !== null && !known.includes(own)
  }
  return {
    outdated: functions.filter(isOutdated),
    unknown: functions.filter(isUnknown).map(fileOf),
  }
}

const fileOf = ({ name }: Script): string => `functions/${name}.sql`

/**
 * Applies files, rebuilds their rollups, and returns the files' names. The file commits first, and its lock waits for
 * writers that still run the text before: the rebuild corrects all that they have written.
 */
export const applyFunctions = async (
  adapter: SqlMigrationAwareDriverAdapterFactory,
  functions: RollupScript[],
): Promise<string[]> => {
  if (functions.length === 0) return []
  const connection = await adapter.connect()
  try {
    for (const each of functions) {
      await connection.executeScript(each.script)
      await connection.executeScript(
        `select "${each.name}_rebuild"();
         comment on function "${each.name}_rebuild"() is '${ownRecord(each)}';
         comment on table "${each.name}" is '${oldRecord(each)}';`,
      )
    }
  } finally {
    await connection.dispose()
  }
  return functions.map(fileOf)
}
