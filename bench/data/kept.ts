/** Databases that are made once and kept for the next run, and copies of them that are not. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { progress } from '../progress.ts'
import { tablesHash } from '../service.ts'
import { connected, SERVER, urlOf } from './databases.ts'

/** Tool calls and callbacks are read for a month only: older data is made anew. */
const FRESH_DAYS = 3
const DAY_MS = 86_400_000

/** What a database is made of: the tables of the service, and the files that fill it. */
export function recipe(files: readonly string[], scale: number): string {
  const hash = createHash('sha256').update(tablesHash())
  for (const file of files) hash.update(readFileSync(file))
  return hash.update(`${scale}`).digest('hex')
}

/** The address of the database, which is filled if it is missing, made of something else, or old. */
export async function kept(
  name: string,
  made_of: string,
  fill: (url: string) => Promise<void>,
): Promise<string> {
  const url = urlOf(name)
  await connected(SERVER, async (admin) => {
    const { rows } = await admin.query(
      `select split_part(shobj_description(oid, 'pg_database'), ' ', 2)::timestamptz as made_at from pg_database
       where datname = $1 and split_part(shobj_description(oid, 'pg_database'), ' ', 1) = $2`,
      [name, made_of],
    )
    if (rows.some(({ made_at }) => Date.now() - made_at < FRESH_DAYS * DAY_MS)) return
    progress(`making the database ${name}`)
    await admin.query(`drop database if exists ${name} with (force)`)
    await admin.query(`create database ${name}`)
    await fill(url)
    await admin.query(`comment on database ${name} is '${made_of} ${new Date().toISOString()}'`)
  })
  return url
}

/** Works on a database of its own, which is filled before and dropped afterwards. */
export async function onNew<T>(
  name: string,
  fill: (url: string) => Promise<void>,
  work: (url: string) => Promise<T>,
): Promise<T> {
  return await connected(SERVER, async (admin) => {
    await admin.query(`create database ${name}`)
    try {
      await fill(urlOf(name))
      return await work(urlOf(name))
    } finally {
      await admin.query(`drop database ${name} with (force)`)
    }
  })
}

/** Works on a copy of the database, which is dropped afterwards. */
export async function onCopy<T>(original: string, work: (url: string) => Promise<T>): Promise<T> {
  const template = new URL(original).pathname.slice(1)
  const copy = `${template}_copy`
  return await connected(SERVER, async (admin) => {
    await admin.query(`drop database if exists ${copy} with (force)`)
    await admin.query(`create database ${copy} template ${template}`)
    try {
      return await work(urlOf(copy))
    } finally {
      await admin.query(`drop database ${copy} with (force)`)
    }
  })
}
