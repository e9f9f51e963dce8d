/**
 * The functions of the rollups, one file for each in `prisma/functions`. A migration includes the file before its
 * triggers name the functions. A changed file is applied again after the migrations, and its rollup is rebuilt.
 */

import { createHash } from 'node:crypto'
import type { SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils'
import { type Sql, statement } from '../sql.ts'
import type { Script } from './files.ts'

const INCLUDE = /^-- include functions\/(\w+)\.sql$/gm

/** The migration's script with the files that it includes, as they are now. Their text is not in its checksum. */
export const withFunctions = (script: string, functions: Script[]): string =>
  script.replaceAll(INCLUDE, (_line, name: string) => {
    const included = functions.find((each) => each.name === name)
    if (!included) throw new Error(`A migration includes functions/${name}.sql, which does not exist.`)
    // The tables of an old migration may lack columns that the functions of today name.
    return `set local check_function_bodies = off;\n${included.script}\nset local check_function_bodies = on;`
  })

/** The comment on a rollup's table, written by the transaction that rebuilt it. */
const commentOf = ({ name, script }: Script): string =>
  `Kept by prisma/functions/${name}.sql, sha256 ${createHash('sha256').update(script).digest('hex')}`

const COMMENTS = statement(
  'migrations.rollup_comments',
  `select relname::text as name, obj_description(oid, 'pg_class') as comment from pg_class
   where oid in (select to_regclass(quote_ident(name)) from unnest($1::text[]) as name)`,
)

/** The files whose text the database does not have yet, or whose rollup was not rebuilt since. */
export const outdatedFunctions = async (sql: Sql, functions: Script[]): Promise<Script[]> => {
  const names = functions.map(({ name }) => name)
  const rows = await sql.rows<{ name: string; comment: string | null }>(COMMENTS, [names])
  const comments = new Map(rows.map(({ name, comment }) => [name, comment]))
  return functions.filter((each) => comments.get(each.name) !== commentOf(each))
}

/**
 * Applies files, rebuilds their rollups, and returns the files' names. The file commits first, and its lock waits for
 * writers that still run the text before: the rebuild corrects all that they have written.
 */
export const applyFunctions = async (
  adapter: SqlMigrationAwareDriverAdapterFactory,
  functions: Script[],
): Promise<string[]> => {
  if (functions.length === 0) return []
  const connection = await adapter.connect()
  try {
    for (const each of functions) {
      await connection.executeScript(each.script)
      const recorded = `comment on table "${each.name}" is '${commentOf(each)}'`
      await connection.executeScript(`select "${each.name}_rebuild"(); ${recorded};`)
    }
  } finally {
    await connection.dispose()
  }
  return functions.map(({ name }) => `functions/${name}.sql`)
}
