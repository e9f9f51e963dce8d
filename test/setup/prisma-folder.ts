/** Copies of `prisma/` as other versions of the service have it. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { readScripts, type SchemaScripts, type Script } from '../../src/db/migrations/files.ts'

/** A temporary folder with these scripts, removed after the test. */
export async function prismaFolder({ migrations, functions }: SchemaScripts): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'prisma-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, 'migrations'))
  for (const { name, script } of migrations)
    await write(join(folder, 'migrations', name, 'migration.sql'), script)
  for (const { name, script } of functions) await write(join(folder, 'functions', `${name}.sql`), script)
  return folder
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}

/** The migrations that give a rollup what its function of today names. */
const FOR_FUNCTIONS: Readonly<Record<string, string>> = { ticket_repeat: 'repeats_know_their_agent' }

/** The migrations before the one of this name, and the functions that they include, with what these need. */
export async function folderBefore(name: string): Promise<string> {
  const { migrations, functions } = await readScripts()
  const index = migrations.findIndex((each) => each.name.endsWith(name))
  if (index === -1) throw new Error(`There is no migration ${name}`)
  const before = migrations.slice(0, index)
  const included = functions.filter((each) =>
    before.some(({ script }) => script.includes(`functions/${each.name}.sql`)),
  )
  const isNeeded = ({ name: later }: Script) =>
    included.some((each) => later.endsWith(FOR_FUNCTIONS[each.name] ?? '-'))
  const needed = migrations.slice(index).filter(isNeeded)
  return prismaFolder({ migrations: [...before, ...needed], functions: included })
}

/** The current folder, with the functions of one rollup replaced. */
export async function folderWith(rollup: string, change: (script: string) => string): Promise<string> {
  const { migrations, functions } = await readScripts()
  const changed = (each: Script) => (each.name === rollup ? { ...each, script: change(each.script) } : each)
  return prismaFolder({ migrations, functions: functions.map(changed) })
}
