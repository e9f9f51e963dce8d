/** Prisma's schema engine as WebAssembly, which needs no download. */

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils'
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg'

const require = createRequire(import.meta.url)

/** No table or enum of the database is left out of migrations. */
export const filters = { externalTables: [], externalEnums: [] }

export type Datamodels = [path: string, content: string][]

/** An engine on one database. A diff needs datamodels, migrations do not. */
export const openEngine = async (
  adapter: SqlMigrationAwareDriverAdapterFactory,
  datamodels: Datamodels = [EMPTY],
) => {
  await instantiated()
  return bindings.SchemaEngine.new({ datamodels }, () => {}, bindMigrationAwareSqlAdapterFactory(adapter))
}

const EMPTY: Datamodels[number] = ['schema.prisma', 'datasource db { provider = "postgresql" }']

let instance: Promise<void> | undefined

/** The package's entry imports the .wasm as a module, which Node does not do without a flag. */
const instantiated = (): Promise<void> => {
  instance ??= instantiate()
  return instance
}

const instantiate = async (): Promise<void> => {
  const file = require.resolve('@prisma/schema-engine-wasm/schema_engine_bg').replace(/\.js$/, '.wasm')
  const { instance } = await WebAssembly.instantiate(await readFile(file), {
    './schema_engine_bg.js': bindings as unknown as WebAssembly.ModuleImports,
  })
  bindings.__wbg_set_wasm(instance.exports)
  const start = instance.exports.__wbindgen_start as () => void
  start()
}
