/** A checkout of the service: the programs that it is started and prepared with, and its published schema. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSchema, type GraphQLSchema } from 'graphql'
import { folder, other_checkout } from './options.ts'

const read = (path: string): string => readFileSync(join(folder, path), 'utf8')

/** What the names of its databases end with: two checkouts may have different tables. */
export const DATABASE_SUFFIX = other_checkout ? '_other' : ''

export const program = join(folder, 'src/entry.js')

export const schema: GraphQLSchema = buildSchema(read('schema.graphql'))

/** The statements that make its tables, as a hash. */
export function tablesHash(): string {
  const hash = createHash('sha256')
  for (const path of globSync('prisma/**/*.sql', { cwd: folder }).sort()) hash.update(path).update(read(path))
  return hash.digest('hex')
}

/** Runs one of its package scripts on a database. */
export function runScript(name: 'migrate' | 'rollups', database_url: string, ENVIRONMENT?: string): void {
  execFileSync('npm', ['run', '--silent', name], {
    cwd: folder,
    env: { PATH: process.env.PATH, DATABASE_URL: database_url, ...(ENVIRONMENT && { ENVIRONMENT }) },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}
