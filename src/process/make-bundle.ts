/** Makes the bundle of the service, and the static files that go with it. */
import { randomUUID } from 'node:crypto'
import { readdir, rename, rm, writeFile } from 'node:fs/promises'
import { enableCompileCache, flushCompileCache } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import { buildSchemas } from '../composition/schemas.ts'
import { STYLES } from '../composition/styles.ts'
import { graphiqlFiles } from '../graphql/graphiql.ts'
import { writeStaticFiles } from '../http/static-files.ts'
import { operationPages } from '../rest/documentation.ts'
import { EXAMPLES_FILE } from '../rest/openapi/examples.ts'
import { BUNDLE, COMPILE_CACHE, ROOT, type Sources, stateOf, staticFolder } from './bundle.ts'

/** Packages that read files beside their own, and those that must be the same modules for these and for us. */
const EXTERNAL = /^(@electric-sql|@prisma|pg|pg-boss|pg-native|pglite-prisma-adapter|pino)(\/|$)/

const SOURCES = join(ROOT, 'src') + sep
/** The sources of static files that are no modules. */
const PAGES = join(SOURCES, 'pages')

/** Keeps the places of sources, which paths to other files start from. */
const placesOf = (folder: string): Plugin => ({
  name: 'places of sources',
  transform(code, id) {
    if (!id.startsWith(SOURCES) || !code.includes('import.meta')) return null
    const place = relative(folder, id)
    return code
      .replaceAll('import.meta.dirname', `(import.meta.dirname + '/${dirname(place)}')`)
      .replaceAll('import.meta.url', `new URL('${place}', import.meta.url).href`)
  },
})

/** Makes the bundle in a draft, which takes its place once it is complete. */
export async function makeBundle(folder = BUNDLE): Promise<void> {
  const draft = `${folder}.${randomUUID()}`
  const build = await rolldown({
    input: { start: join(SOURCES, 'process/start.ts') },
    platform: 'node',
    resolve: { mainFields: ['module', 'main'] },
    external: EXTERNAL,
    plugins: [placesOf(folder)],
    logLevel: 'silent',
  })
  try {
    await build.write({ dir: draft, format: 'esm' })
    await writeStaticFiles(staticFolder(draft), {
      ...operationPages(buildSchemas().operations),
      ...graphiqlFiles(),
      ...STYLES,
    })
    const modules = (await build.watchFiles).filter((path) => path.startsWith(SOURCES))
    const pages = (await readdir(PAGES)).map((name) => join(PAGES, name))
    const sources: Sources = Object.fromEntries(
      [...modules, ...pages, EXAMPLES_FILE]
        .map((path) => relative(ROOT, path))
        .map((path) => [path, stateOf(path)]),
    )
    await writeFile(join(draft, 'sources.json'), JSON.stringify(sources))
    await rm(folder, { recursive: true, force: true })
    await rename(draft, folder)
  } finally {
    await build.close()
    await rm(draft, { recursive: true, force: true })
  }
}

/** Puts the code of the bundle into the compile cache, so that the first start finds it there. */
export async function compileBundle(): Promise<void> {
  enableCompileCache(COMPILE_CACHE)
  const modules = (await readdir(BUNDLE)).filter((name) => name.endsWith('.js'))
  await Promise.all(modules.map((name) => import(join(BUNDLE, name))))
  flushCompileCache()
}
