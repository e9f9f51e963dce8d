// The CLI wants to download a native engine that nothing here uses; any existing file stops it.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath

import { defineConfig } from 'prisma/config'

export default defineConfig({ schema: '.', migrations: { path: './migrations' } })
