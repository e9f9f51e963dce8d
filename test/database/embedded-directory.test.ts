import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { lockDirectory } from '../../src/db/embedded/lock.ts'

const LOCK_MODULE = JSON.stringify(join(import.meta.dirname, '../../src/db/embedded/lock.ts'))

describe('the embedded database’s directory', () => {
  const newDirectory = async () => {
    const directory = await mkdtemp(join(tmpdir(), 'data-'))
    onTestFinished(() => rm(directory, { recursive: true }))
    return directory
  }

  /** Locks the directory in a process of its own, and resolves once it has. */
  const lockElsewhere = async (directory: string) => {
    const program = `
      import { lockDirectory } from ${LOCK_MODULE}
      globalThis.held = await lockDirectory(process.argv[1])
      console.log('held')
      setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', program, directory], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    return child
  }

  test('is refused to a second process, which is told of the first, until that has ended', async () => {
    const directory = await newDirectory()
    const first = await lockElsewhere(directory)
    await expect(lockDirectory(directory)).rejects.toThrow(`${directory} is in use by process ${first.pid}.`)
    first.kill('SIGKILL')
    await once(first, 'exit')
    await (await lockDirectory(directory)).release()
  })

  test('is refused to whoever mounts it elsewhere, who is told the name of the machine', async () => {
    const directory = await newDirectory()
    const held = await lockDirectory(directory)
    await writeFile(join(directory, 'database.lock.holder'), JSON.stringify({ pid: 1, host: 'elsewhere' }))
    await expect(lockDirectory(directory)).rejects.toThrow('in use by process 1 on elsewhere.')
    await held.release()
  })

  test('is had by exactly one of many', async () => {
    const directory = await newDirectory()
    const tries = await Promise.allSettled(Array.from({ length: 20 }, () => lockDirectory(directory)))
    const [held, ...others] = tries.filter(({ status }) => status === 'fulfilled')
    expect(others).toEqual([])
    await (held as PromiseFulfilledResult<Awaited<ReturnType<typeof lockDirectory>>>).value.release()
    await (await lockDirectory(directory)).release()
  })
})
