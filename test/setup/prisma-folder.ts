/** Copies of `prisma/` as other versions of the service have it. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import {
  type RollupScript,
  readScripts,
  type SchemaScripts,
  type Script,
  sha256,
  TEXTS_FILE,
} from '../../src/db/migrations/files.ts'

/** A temporary folder with these scripts, removed after the test. */
export async function prismaFolder({ migrations, functions }: SchemaScripts): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'prisma-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, 'migrations'))
  for (const { name, script } of migrations)
    await write(join(folder, 'migrations', name, 'migration.sql'), script)
  for (const { name, script } of functions) await write(join(folder, 'functions', `${name}.sql`), script)
  const listed = functions.flatMap(({ name, texts }) => texts.map((hash) => `${hash}  ${name}.sql\n`))
  await write(join(folder, 'functions', TEXTS_FILE), listed.join(''))
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

/** The folder of a release after the current one, or after the one of `folder`: the functions of one rollup differ. */
export async function folderWith(
  rollup: string,
  change: (script: string) => string,
  { folder, migration }: { folder?: string; migration?: Script } = {},
): Promise<string> {
  const { migrations, functions } = await readScripts(folder)
  const changed = (each: RollupScript) => (each.name === rollup ? withText(each, change(each.script)) : each)
  return prismaFolder({
    migrations: [...migrations, ...(migration ? [migration] : [])],
    functions: functions.map(changed),
  })
}

const withText = (each: RollupScript, script: string): RollupScript => ({
  ...each,
  script,
  texts: [...each.texts, sha256(script)],
})
