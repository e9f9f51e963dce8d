import { existsSync } from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isRefused } from './raw.ts'
import { endGroup, newPlace, startScript } from './service.ts'

describe('a service that is told to stop', { timeout: 60_000 }, () => {
  test.each(['start', 'dev'])('is told so by npm run %s, which ends when the service has', async (script) => {
    const place = await newPlace({ empty: true })
    onTestFinished(place.remove)
    const npm = await startScript(script, place.env)
    onTestFinished(() => endGroup(npm.pid))
    expect((await fetch(`${npm.base}/livez`)).status).toBe(200)
    const { stderr } = await npm.stop('SIGTERM')
    expect(stderr).toContain('"msg":"stopped"')
    expect(await isRefused(npm.port)).toBe(true)
    expect(existsSync(`${place.env.DATA_DIR}.lock`)).toBe(false)
  })
})
