/** An MSP with the local RMM: devices, scripts that the catalogue has, and an agent whose one action runs a script. */
import { hash } from 'node:crypto'
import { type Api, outcome } from '../../setup/api.ts'
import { clock, type Running, testApp } from '../../setup/app.ts'
import { performDue } from '../../setup/connected.ts'
import { connect } from '../../setup/local-systems.ts'
import { addScript } from '../../setup/rmm-scripts.ts'
import { channelKey } from '../../setup/til-requests.ts'
import { type Caller, type Msp, world } from '../../setup/world.ts'
import { executionOf, start } from '../executions/run/chain.ts'
import { supervisedMsp } from '../til-requests/supervised.ts'

const BODIES = {
  clean: 'Remove-Item C:\\Temp\\*',
  join: 'Add-Computer -Credential $secret',
  slow: 'Start-Sleep 30',
} as const

type Name = keyof typeof BODIES

const secretParameter = {
  name: 'secret',
  type: 'STRING',
  required: true,
  default: null,
  choices: null,
  secret: true,
}
const levelParameter = {
  name: 'level',
  type: 'CHOICE',
  required: false,
  default: 'LOW',
  choices: ['LOW', 'HIGH'],
  secret: false,
}

const PARAMETERS: Record<Name, readonly object[]> = {
  clean: [levelParameter],
  join: [secretParameter],
  slow: [],
}

/** The value that no row, log or model may have. */
export const SECRET_VALUE = 'Correct-Horse-77'

interface Options {
  /** The arguments of the agent's one action. */
  asks?: object
  agent?: Parameters<typeof supervisedMsp>[1]
  script?: object
  /** The service whose jobs are done; the one of all tests if it is left out. */
  running?: Pick<Running, 'app'>
}

/** Every script is enabled for agents, and every run approved. */
export async function office(api: Api, { asks = {}, agent = {}, script = {}, running }: Options = {}) {
  const msp: Msp = await world()
  const action = { device_id: 'dev_1', script_id: 'scr_clean', parameters: {}, ...asks }
  await supervisedMsp([{ type: 'device.run_script', params: action }], agent, msp)
  await connect(msp, ['ninjaone'])
  const { prisma } = msp.database
  const own = { tenant_id: msp.tenant_id, environment: msp.environment }
  await prisma.localRmmDevice.createMany({
    data: [
      { ...own, device_id: 'dev_1', psa_company_id: 'co1', name: 'DESK-1', platform: 'WINDOWS' },
      { ...own, device_id: 'dev_2', psa_company_id: 'co2', name: 'DESK-2', platform: 'WINDOWS' },
      {
        ...own,
        device_id: 'dev_off',
        psa_company_id: 'co1',
        name: 'LT-OFF',
        platform: 'WINDOWS',
        is_online: false,
      },
      { ...own, device_id: 'dev_mac', psa_company_id: 'co1', name: 'MAC-1', platform: 'MACOS' },
    ],
  })
  for (const [name, body] of Object.entries(BODIES) as [Name, string][]) {
    const common = { name: `Script ${name}`, parameters: PARAMETERS[name] as never }
    const stdout = name === 'join' ? `Joined with ${SECRET_VALUE} on {device}` : `Ran ${name} on {device}`
    const takes_seconds = name === 'slow' ? 30 : 0
    await prisma.localRmmScript.create({
      data: { ...own, ...common, script_id: name, body, stdout, takes_seconds },
    })
    await addScript(msp, {
      ...common,
      id: `scr_${name}`,
      external_id: name,
      body,
      body_sha256: hash('sha256', body),
      agent_enabled: true,
      ...script,
    })
  }
  await api.call(msp.owner, 'update_permission_group', {
    name: 'DEVICES',
    input: { approver_technician_ids: [700_011] },
  })
  const { services } = (running ?? (await testApp())).app
  const call = (caller: Caller, operation: string, args: object, headers = {}) =>
    api.call(caller, operation, args as never, headers)
  const done = async (caller: Caller, operation: string, args: object) => {
    const answer = await call(caller, operation, args)
    if (answer.status !== 200) throw new Error(JSON.stringify([operation, answer.error]))
    return answer.data
  }
  /** Works on runs of scripts and on executions until nothing waits. */
  const work = (): Promise<void> => performDue(services, msp)
  return {
    msp,
    api,
    call,
    done,
    work,
    outcome,
    channel: () => channelKey(msp),
    /** Starts the agent on the ticket 4711 of the company co1. */
    start: async () => {
      const execution_id = await start(api, msp)
      await work()
      return execution_id
    },
    execution: (execution_id: string) => executionOf(api, msp, execution_id),
    runs: (args: object = {}) => done(msp.key, 'rmm_script_runs', args),
    run: async (execution_id: string) =>
      (await done(msp.key, 'execution_rmm_script_runs', { execution_id }))[0],
    runScript: (caller: Caller, name: Name, input: object = {}) =>
      call(caller, 'run_rmm_script', { script_id: `scr_${name}`, input: { device_id: 'dev_1', ...input } }),
    approve: (caller: Caller, til_request_id: string, input: object = {}) =>
      call(caller, 'approve_til_request', { til_request_id, input }),
    /** Starts of the script in the RMM. */
    starts: (script_id: Name) => prisma.localRmmScriptRun.findMany({ where: { ...own, script_id } }),
    changeBody: async (name: Name, body: string) => {
      await prisma.rmmScript.updateMany({
        where: { ...own, external_id: name },
        data: { body, body_sha256: hash('sha256', body), agent_enabled: false },
      })
    },
    clock,
  }
}
