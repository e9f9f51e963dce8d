/** The bundle that the service is started from. */
import { randomUUID } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { BUNDLE, ROOT, startModule } from '../../src/process/bundle.ts'
import { makeBundle } from '../../src/process/make-bundle.ts'
import { call, demoPlace, startService } from './service.ts'

// Beside the real one: the packages are found from there.
const folder = `${BUNDLE}-${randomUUID()}`
const file = join(folder, 'sources.json')

beforeAll(async () => {
  await makeBundle(folder)
  await (await demoPlace()).remove()
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('is loaded as long as every source is what it was made of', async () => {
  const written = await readFile(file, 'utf8')
  const sources = JSON.parse(written)
  expect(Object.keys(sources)).toEqual(expect.arrayContaining(['src/app.ts', 'src/demo/seed.ts']))
  expect(startModule(folder)).toBe(join(folder, 'start.js'))
  for (const change of [{ 'src/app.ts': '1 1' }, { 'src/removed.ts': '1 1' }]) {
    await writeFile(file, JSON.stringify({ ...sources, ...change }))
    expect(startModule(folder)).toBe(join(ROOT, 'src/process/start.ts'))
  }
  await writeFile(file, written)
  expect(startModule(`${folder}-none`)).toBe(join(ROOT, 'src/process/start.ts'))
})

test('is the same service', async () => {
  const place = await demoPlace()
  const program = `import { start } from '${folder}/start.js'; await start(process.env)`
  const service = await startService(place.env, { flags: ['--input-type=module', '--eval', program] })
  const page = async (path: string) => (await fetch(service.base + path)).text()
  try {
    const published = JSON.parse(await readFile(join(ROOT, 'openapi.json'), 'utf8'))
    expect(JSON.parse(await page('/public-api/openapi.json'))).toEqual(published)
    expect(await page('/public-api/openapi.yaml')).toContain('openapi: 3.1')
    expect(await page('/public-api/docs/swagger-ui.css')).toContain('.swagger-ui')
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
