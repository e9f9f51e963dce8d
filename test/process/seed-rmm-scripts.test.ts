/** Scripts and devices in the demo. */
import { hash } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { MORNING, readDemo } from '../setup/demo.ts'

let seeded: Database

beforeAll(async () => {
  seeded = await readDemo(MORNING)
})

test('the catalogue is as a sync of the RMM left it, and some of its scripts are for agents', async () => {
  const { prisma } = seeded
  const scripts = await prisma.rmmScript.findMany({ orderBy: { external_id: 'asc' } })
  const local = await prisma.localRmmScript.findMany({ orderBy: { script_id: 'asc' } })
  expect(scripts.map(({ external_id }) => external_id)).toEqual(local.map(({ script_id }) => script_id))
  for (const [index, { body_sha256, name, parameters }] of scripts.entries()) {
    const { body, build, ...own } = local[index] as (typeof local)[0]
    expect(body_sha256).toBe(hash('sha256', body.replaceAll('{build}', String(build))))
    expect({ name, parameters }).toEqual({ name: own.name, parameters: own.parameters })
  }
  const enabled = scripts.filter(({ agent_enabled }) => agent_enabled)
  expect(enabled.length).toBeGreaterThanOrEqual(4)
  expect(enabled.length).toBeLessThan(scripts.length)
  expect(new Set(scripts.map(({ risk }) => risk)).size).toBe(4)
})

test('the RMM has the scripts and devices that are tried out', async () => {
  const { prisma } = seeded
  const scripts = await prisma.localRmmScript.findMany()
  const parameters = scripts.flatMap((script) => script.parameters as { type: string; secret: boolean }[])
  expect(new Set(parameters.map(({ type }) => type)).size).toBe(4)
  expect(parameters.filter(({ secret }) => secret)).toHaveLength(1)
  expect(scripts.filter(({ is_rebuilt, body }) => is_rebuilt && body.includes('{build}'))).toHaveLength(1)
  expect(scripts.some(({ shell, platforms }) => shell === 'BASH' && platforms.includes('MACOS'))).toBe(true)
  const offline = await prisma.localRmmDevice.findMany({ where: { is_online: false } })
  expect(offline).toMatchObject([{ platform: 'WINDOWS' }])
})

test('every run of the demo has ended, of a script and on a device that are there', async () => {
  const { prisma } = seeded
  const runs = await prisma.rmmScriptRun.findMany({ include: { script: true } })
  expect(runs.length).toBeGreaterThanOrEqual(12)
  expect(new Set(runs.map(({ status }) => status)).size).toBeGreaterThanOrEqual(4)
  expect(runs.filter(({ execution_id }) => execution_id)).toHaveLength(4)
  for (const run of runs) {
    const { script, device_id, device_name, psa_company_id, execution_id, agent_id } = run
    const device = await prisma.localRmmDevice.findFirst({ where: { device_id } })
    expect(device).toMatchObject({ name: device_name, psa_company_id })
    expect(script.platforms).toContain(device?.platform)
    expect([run.script_name, run.body_sha256]).toEqual([script.name, script.body_sha256])
    expect(run.finished_at && run.finished_at <= MORNING && run.finished_at >= run.created_at).toBe(true)
    expect(run.exit_code !== null).toBe(run.stdout !== null)
    if (execution_id === null) continue
    const execution = await prisma.execution.findFirst({ where: { execution_id } })
    expect(execution).toMatchObject({ agent_id, entity_id: run.entity_id, status: 'COMPLETED' })
  }
})
