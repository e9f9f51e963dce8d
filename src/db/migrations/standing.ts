/**
 * Compares a database with this release. A release that meets a migration or function that it does not know leaves all
 * of them as they are, and serves if each migration that it does not know says by its name that it may.
 */

import { cachedFor } from '../../lib/cached-for.ts'
import { type Sql, statement } from '../sql.ts'
import { readScripts, type SchemaScripts, sha256 } from './files.ts'
import { compareFunctions } from './functions.ts'

/** The database lacks what this release has; has the same; or is of a later release, and this one may serve on it. */
type Standing = 'behind' | 'current' | 'later'

/** The name of a migration after which releases without it may go on, and start. */
const OLDER_MAY_SERVE = /_older_may_serve$/

/** Throws if the database is of a later release, and this one may not serve on it. */
export const standingOf = async (sql: Sql, scripts?: SchemaScripts): Promise<Standing> => {
  const { standing, refusal } = await compare(sql, scripts ?? (await readScripts()))
  if (refusal !== null) throw new Error(refusal)
  return standing
}

export type SchemaCheck = () => Promise<Compared>

/** The comparison, made at most once a second: another process may migrate the database at any time. */
export const schemaCheck = (sql: Sql): SchemaCheck => {
  let scripts: SchemaScripts | undefined
  return cachedFor(1000, async () => {
    scripts ??= await readScripts()
    return compare(sql, scripts)
  })
}

const HAS_RECORDS = statement(
  'migrations.exist',
  `select to_regclass('_prisma_migrations') is not null as exist`,
)
const RECORDS = statement(
  'migrations.records',
  `select migration_name as name, checksum, finished_at is null as failed
   from _prisma_migrations where rolled_back_at is null order by migration_name`,
)

interface Applied {
  name: string
  checksum: string
  failed: boolean
}

interface Compared {
  standing: Standing
  /** The reason why this release may not serve, for people. */
  refusal: string | null
}

async function compare(sql: Sql, { migrations, functions }: SchemaScripts): Promise<Compared> {
  const [records] = await sql.rows<{ exist: boolean }>(HAS_RECORDS, [])
  if (!records?.exist) return { standing: 'behind', refusal: null }
  const applied = await sql.rows<Applied>(RECORDS, [])
  const own = new Set(migrations.map(({ name }) => name))
  const later = applied.map(({ name }) => name).filter((name) => !own.has(name))
  const { outdated, unknown } = await compareFunctions(sql, functions)
  const complete = hasAll(applied, migrations)
  const needed = later.findLast((name) => !complete || !OLDER_MAY_SERVE.test(name))
  // Without a migration nothing says that a text is one to serve on.
  const text = later.length === 0 ? unknown[0] : undefined
  const missing = needed !== undefined ? `the migration ${needed}` : text && `the database's ${text}`
  if (missing) {
    const newest = migrations.at(-1)?.name ?? 'none'
    const refusal = `The database belongs to a later release: one with ${missing} is needed, and the newest migration of this release is ${newest}.`
    return { standing: 'later', refusal }
  }
  if (later.length > 0) return { standing: 'later', refusal: null }
  const is_current = complete && outdated.length === 0 && !applied.some(({ failed }) => failed)
  return { standing: is_current ? 'current' : 'behind', refusal: null }
}

const hasAll = (applied: Applied[], migrations: SchemaScripts['migrations']): boolean => {
  const checksums = new Map(applied.map(({ name, checksum }) => [name, checksum]))
  return migrations.every(({ name, script }) => checksums.get(name) === sha256(script))
}
