/** The bundle that the service is started from. */
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BUNDLE, isCurrent, ROOT, staticFolder } from '../../src/process/bundle.ts'
import { call, demoPlace, startService } from './service.ts'

// Beside the real one: the packages are found from there.
const folder = `${BUNDLE}-${randomUUID()}`
const file = join(folder, 'sources.json')

/** Makes the bundle as the installation does: in a process of its own, which no other test has loaded modules into. */
const MAKE = `import { makeBundle } from '${join(ROOT, 'src/process/make-bundle.ts')}'; await makeBundle('${folder}')`

beforeAll(async () => {
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', MAKE])
  await (await demoPlace()).remove()
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('is loaded as long as every source is what it was made of', async () => {
  const written = await readFile(file, 'utf8')
  const sources = JSON.parse(written)
  const some = [
    'src/composition/app.ts',
    'src/demo/seed.ts',
    'src/pages/graphiql.js',
    'openapi-examples.json',
  ]
  expect(Object.keys(sources)).toEqual(expect.arrayContaining(some))
  expect(isCurrent(folder)).toBe(true)
  for (const change of [{ 'src/composition/app.ts': '1 1' }, { 'src/removed.ts': '1 1' }]) {
    await writeFile(file, JSON.stringify({ ...sources, ...change }))
    expect(isCurrent(folder)).toBe(false)
  }
  await writeFile(file, written)
  expect(isCurrent(`${folder}-none`)).toBe(false)
})

/** The bytes of the answer, as they are on the wire. */
const bytes = (url: string, headers: Record<string, string>) =>
  new Promise<Buffer>((done, fail) => {
    get(url, { headers }, (res) => res.toArray().then((chunks) => done(Buffer.concat(chunks)), fail)).once(
      'error',
      fail,
    )
  })

test('is the same service', async () => {
  const place = await demoPlace()
  // Nobody could tell bytes that are compressed again from those that were written.
  const written = Buffer.from('what was written when the packages were installed')
  await writeFile(join(staticFolder(folder), `${encodeURIComponent('/graphql/graphiql.js')}.br`), written)
  const program = `import { start } from '${folder}/start.js'; await start(process.env, '${staticFolder(folder)}')`
  const service = await startService(place.env, { flags: ['--input-type=module', '--eval', program] })
  const page = async (path: string) => (await fetch(service.base + path)).text()
  try {
    const published = JSON.parse(await readFile(join(ROOT, 'openapi.json'), 'utf8'))
    expect(JSON.parse(await page('/public-api/openapi.json'))).toEqual(published)
    expect(await bytes(`${service.base}/graphql/graphiql.js`, { 'accept-encoding': 'br' })).toEqual(written)
    expect(await page('/public-api/openapi.yaml')).toContain('openapi: 3.1')
    expect(await page('/public-api/docs')).toContain('id="create_agent"')
    const { data } = (await call(service, service.key, '/settings')).body
    expect(data).toMatchObject({ timezone: expect.any(String) })
    const graphql = await fetch(`${service.base}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${service.key}` },
      body: JSON.stringify({ query: '{ settings { timezone } }' }),
    })
    expect(await graphql.json()).toMatchObject({ data: { settings: { timezone: data.timezone } } })
    const changed = await call(service, service.key, '/settings', {
      method: 'PUT',
      body: { timezone: 'Europe/Lisbon' },
    })
    expect(changed.body.data).toMatchObject({ timezone: 'Europe/Lisbon' })
  } finally {
    await service.stop()
    await place.remove()
  }
})
