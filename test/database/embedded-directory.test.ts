import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { lockDirectory } from '../../src/db/embedded-lock.ts'

describe('the embedded database’s directory', () => {
  const newDirectory = async () => {
    const parent = await mkdtemp(join(tmpdir(), 'data-'))
    onTestFinished(() => rm(parent, { recursive: true }))
    return join(parent, 'data')
  }

  const abandon = async (directory: string, change: object) => {
    const held = await lockDirectory(directory)
    const lock = `${held.directory}.lock`
    await writeFile(lock, JSON.stringify({ ...JSON.parse(await readFile(lock, 'utf8')), ...change }))
    return lock
  }

  test('is refused to a second process, which is told of the first', async () => {
    const directory = await newDirectory()
    const held = await lockDirectory(directory)
    await expect(lockDirectory(directory)).rejects.toThrow(`${directory} is in use by process ${process.pid}`)
    await held.release()
    await (await lockDirectory(directory)).release()
  })

  test('is refused while the holder is on another machine', async () => {
    const directory = await newDirectory()
    await abandon(directory, { host: 'elsewhere' })
    await expect(lockDirectory(directory)).rejects.toThrow('on elsewhere')
  })

  test.each([
    ['of a dead process', { pid: 2 ** 22 + 1 }],
    ['of a dead process whose pid lives again', { began: 'before the last boot' }],
  ])('left by a lock %s is taken over by exactly one of many', async (_which, change) => {
    const directory = await newDirectory()
    await abandon(directory, { token: randomUUID(), ...change })
    const tries = await Promise.allSettled(Array.from({ length: 20 }, () => lockDirectory(directory)))
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('left in the middle of a takeover is taken over', async () => {
    const directory = await newDirectory()
    const token = randomUUID()
    const lock = await abandon(directory, { token, pid: 2 ** 22 + 1 })
    await writeFile(`${lock}.${token}`, await readFile(lock))
    await (await lockDirectory(directory)).release()
  })
})
