/** Scripts, runs and devices of a tenant for tests, as they are stored. */
import type { Prisma } from '../../src/db/generated/client/client.ts'
import { clock } from './app.ts'
import type { Msp } from './world.ts'

type Tenant = Pick<Msp, 'tenant_id' | 'environment' | 'database'>
type Script = Partial<Prisma.RmmScriptUncheckedCreateInput>
type ScriptRow = Partial<Prisma.RmmScriptCreateManyInput> & { id: string }
type LocalScript = Partial<Prisma.LocalRmmScriptCreateManyInput> & { script_id: string }
type Device = Partial<Prisma.LocalRmmDeviceCreateManyInput> & { device_id: string }
type Run = Partial<Prisma.RmmScriptRunCreateManyInput>

const BODY_SHA256 = 'a'.repeat(64)

/** Stores a script of NinjaOne without parameters, which agents may not run and nobody has judged; its id. */
export async function addScript(
  { tenant_id, environment, database: { prisma } }: Tenant,
  script: Script = {},
): Promise<string> {
  const { id = 'scr_1', created_at = clock.now() } = script
  await prisma.rmmScript.create({
    data: {
      tenant_id,
      environment,
      system: 'NINJAONE',
      external_id: id,
      name: `Script ${id}`,
      shell: 'POWERSHELL',
      platforms: ['WINDOWS'],
      default_timeout_seconds: 90,
      run_as_user: false,
      body_sha256: BODY_SHA256,
      created_at,
      updated_at: created_at,
      synced_at: created_at,
      ...script,
      id,
    },
  })
  return id
}

/** The statuses of runs that have ended. */
const ENDED = ['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'REJECTED', 'EXPIRED', 'CANCELLED']

const rowOf = ({ tenant_id, environment }: Tenant, run: Run): Prisma.RmmScriptRunCreateManyInput => {
  const { id = 'rsr_1', script_id = 'scr_1', status = 'SUCCEEDED', created_at = clock.now() } = run
  const is_sent = ['RUNNING', 'SUCCEEDED', 'TIMED_OUT'].includes(status)
  return {
    tenant_id,
    environment,
    script_name: `Script ${script_id}`,
    body_sha256: BODY_SHA256,
    device_id: 'dev_1',
    device_name: 'DESK-1',
    timeout_seconds: 90,
    requested_by_name: 'Ada Admin',
    ...(run.agent_id && { agent_name: `Agent ${run.agent_id}` }),
    ...(status === 'SUCCEEDED' && { exit_code: 0, stdout: 'Done.' }),
    created_at,
    updated_at: created_at,
    started_at: is_sent ? created_at : null,
    finished_at: ENDED.includes(status) ? created_at : null,
    ...run,
    id,
    script_id,
    status,
  }
}

/** Stores runs of the script `scr_1` on the device `dev_1` that no agent asked for, by default SUCCEEDED ones. */
export async function addRuns(msp: Tenant, runs: readonly Run[]): Promise<void> {
  await msp.database.prisma.rmmScriptRun.createMany({ data: runs.map((run) => rowOf(msp, run)) })
}

/** Stores a run as `addRuns` does; its id, by default `rsr_1`. */
export async function addRun(msp: Tenant, run: Run = {}): Promise<string> {
  await addRuns(msp, [run])
  return run.id ?? 'rsr_1'
}

/** Scripts of NinjaOne as a sync left them, by default for agents, and not judged. */
export async function addScripts(
  { tenant_id, environment, database: { prisma } }: Tenant,
  scripts: readonly ScriptRow[],
): Promise<void> {
  await prisma.rmmScript.createMany({
    data: scripts.map((script) => ({
      tenant_id,
      environment,
      system: 'NINJAONE',
      external_id: script.id,
      name: `Script ${script.id}`,
      shell: 'POWERSHELL',
      platforms: ['WINDOWS'],
      default_timeout_seconds: 90,
      run_as_user: false,
      agent_enabled: true,
      body_sha256: 'a'.repeat(64),
      created_at: clock.now(),
      updated_at: clock.now(),
      synced_at: clock.now(),
      ...script,
    })),
  })
}

/** Scripts of the local RMM. */
export async function addLocalScripts(
  { tenant_id, environment, database: { prisma } }: Tenant,
  scripts: readonly LocalScript[],
): Promise<void> {
  await prisma.localRmmScript.createMany({
    data: scripts.map((script) => ({
      tenant_id,
      environment,
      name: `Script ${script.script_id}`,
      ...script,
    })),
  })
}

/** Devices of the local RMM, by default of a company that has no other things. */
export async function addLocalDevices(
  { tenant_id, environment, database: { prisma } }: Tenant,
  devices: readonly Device[],
): Promise<void> {
  await prisma.localRmmDevice.createMany({
    data: devices.map((device) => ({
      tenant_id,
      environment,
      psa_company_id: 'psa_a',
      name: `Device ${device.device_id}`,
      platform: 'WINDOWS',
      ...device,
    })),
  })
}
