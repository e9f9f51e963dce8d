import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inject } from 'vitest'

/** The result of work that one worker does for all of a run, at the first need of it. It is kept as JSON. */
export async function onceInRun<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const place = join(inject('run_folder'), name)
  while (!existsSync(`${place}.json`)) {
    if (await hasLocked(place)) await store(place, work).finally(() => rmdir(`${place}.lock`))
    else await sleep(100)
  }
  return JSON.parse(await readFile(`${place}.json`, 'utf8'))
}

async function hasLocked(place: string): Promise<boolean> {
  try {
    await mkdir(`${place}.lock`)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

async function store(place: string, work: () => Promise<unknown>): Promise<void> {
  if (existsSync(`${place}.json`)) return
  await writeFile(`${place}.part`, JSON.stringify(await work()))
  await rename(`${place}.part`, `${place}.json`)
}
