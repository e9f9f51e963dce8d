import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { endGroup } from './service.ts'

const DEV = join(import.meta.dirname, '../../src/commands/dev.ts')

test('npm run dev starts again at every change of a file, however it is saved, and after a failed start', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dev-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'src/areas'), { recursive: true })
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  const entry = `import { version } from './areas/area.ts'; console.log('version ' + version); setInterval(() => {}, 1000)`
  await writeFile(join(folder, 'src/entry.js'), entry)
  const area = join(folder, 'src/areas/area.ts')
  const save = (version: string) => writeFile(area, `export const version: string = '${version}'`)
  await save('0')

  const dev = spawn(process.execPath, [DEV], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(() => endGroup(dev.pid as number))
  const lines = createInterface({ input: dev.stdout })[Symbol.asyncIterator]()
  const said = async (): Promise<string> => {
    const { value, done } = await lines.next()
    if (done) return 'the end'
    return /^version|^The service has ended/.test(value) ? value : await said()
  }
  expect(await said()).toBe('version 0')
  for (const version of ['1', '2', '3']) {
    await writeFile(`${area}.new`, `export const version: string = '${version}'`)
    await rename(`${area}.new`, area)
    expect(await said()).toBe(`version ${version}`)
  }
  await save('in place')
  expect(await said()).toBe('version in place')
  await rm(area)
  expect(await said()).toContain('The service has ended.')
  await save('there again')
  expect(await said()).toBe('version there again')
})
