/** `npm run migration -- some_name`: writes the migration that the Prisma schema asks for. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MIGRATIONS_FOLDER } from '../db/migrations/files.ts'
import { missingSql } from '../db/migrations/missing-sql.ts'
import { runCommand } from './command.ts'

await runCommand(async () => {
  const [name = ''] = process.argv.slice(2)
  if (!/^[a-z0-9_]+$/.test(name)) {
    throw new Error(
      'A name is missing, in lower case: npm run migration -- company_links_remember_who_mapped',
    )
  }
  const sql = await missingSql()
  if (sql === null) return console.log('Nothing to do: the migrations make what the schema says.')
  const date = new Date().toISOString().replace(/\D/g, '').slice(0, 14)
  const folder = join(MIGRATIONS_FOLDER, `${date}_${name}`)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'migration.sql'), sql)
  console.log(`Wrote ${join(folder, 'migration.sql')}`)
})
