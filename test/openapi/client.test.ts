import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import openapiTS, { astToString } from 'openapi-typescript'
import { beforeAll, expect, test } from 'vitest'
import { openApiDocument } from '../../src/rest/openapi/document.ts'
import { buildSchemas } from '../../src/schema.ts'
import { testApp } from '../setup/app.ts'
import { world } from '../setup/world.ts'

const run = promisify(execFile)

/** Inside the repository, where a program finds the installed packages. */
const folder = new URL('../../.cache/client/', import.meta.url)
const bin = new URL('../../node_modules/.bin/', import.meta.url)

const SCRIPT = `
import createClient from 'openapi-fetch'
import type { paths } from './schema.ts'

const client = createClient<paths>({
  baseUrl: process.env.BASE ?? '',
  headers: { authorization: \`Bearer \${process.env.TOKEN}\` },
})

const before = await client.GET('/public-api/settings')
if (!before.data) throw new Error(before.error.error.code)
const start: number = before.data.data.start_business_hours

const after = await client.PUT('/public-api/settings', {
  body: { start_business_hours: start + 1, timezone: 'Europe/London' },
})
if (!after.data) throw new Error(after.error.error.code)
const zone: string | null = after.data.data.timezone
const milliseconds: number = after.data.meta.timings_ms.total

// @ts-expect-error what cannot be cleared is never null
const refused = await client.PUT('/public-api/settings', { body: { start_business_hours: null } })
const code: string | undefined = refused.error?.error.code
const fields = refused.error?.error.details?.field_errors?.map(({ field }) => field)

const moved = after.data.data.start_business_hours - start
process.stdout.write(JSON.stringify({ moved, zone, code, fields }))
export { milliseconds }
`

const TSCONFIG = {
  compilerOptions: {
    target: 'es2024',
    module: 'nodenext',
    lib: ['es2024', 'dom'],
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true,
  },
  include: ['*.ts'],
}

beforeAll(async () => {
  const document = openApiDocument(buildSchemas().operations)
  await mkdir(folder, { recursive: true })
  await writeFile(new URL('package.json', folder), '{ "type": "module" }')
  await writeFile(new URL('schema.ts', folder), astToString(await openapiTS(JSON.stringify(document))))
  await writeFile(new URL('script.ts', folder), SCRIPT)
  await writeFile(new URL('tsconfig.json', folder), JSON.stringify(TSCONFIG))
})

test('a generated client compiles under strict rules', async () => {
  const compiled = run(new URL('tsc', bin).pathname, ['-p', folder.pathname])
  await expect(compiled.catch(({ stdout }) => stdout)).resolves.toMatchObject({ stdout: '' })
}, 60_000)

test('a generated client talks to the service', async () => {
  const { base } = await testApp()
  const { key } = await world()
  const script = new URL('script.ts', folder).pathname
  const env = { ...process.env, BASE: base, TOKEN: key.token }
  const { stdout } = await run(process.execPath, [script], { env })
  expect(JSON.parse(stdout)).toEqual({
    moved: 1,
    zone: 'Europe/London',
    code: 'request_validation_failed',
    fields: ['start_business_hours'],
  })
}, 60_000)
