/** An MSP with an RMM whose catalogue was synced, and an agent that a model leads to run a script. */
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { installQueues } from '../areas/agents/runnable.ts'
import { DEVICES } from '../areas/rmm-scripts/rmms.ts'
import { connect } from '../setup/agent-bodies.ts'
import type { Api } from '../setup/api.ts'
import { clock, type Running } from '../setup/app.ts'
import { addCompanies } from '../setup/companies.ts'
import { connectedApp, performDue } from '../setup/connected.ts'
import { testDatabase } from '../setup/database.ts'
import { playModel } from '../setup/model.ts'
import type { Script } from '../setup/model-server.ts'
import { addPsaTickets } from '../setup/psa.ts'
import { performRuns } from '../setup/runs.ts'
import { makeTechnician } from '../setup/til-requests.ts'
import { type Msp, world } from '../setup/world.ts'
import { LEAD, storyOf, TECHNICIAN, TICKET } from './story.ts'

/** The service with the adapters of real systems, on the worker's database, for the tests of a file. */
export function useScripting(): Running {
  const running = {} as Running
  beforeAll(async () => {
    await installQueues()
    Object.assign(running, await connectedApp(await testDatabase()))
  })
  afterAll(() => running.app.close(0))
  return running
}

/** A tenant with the companies `psa_a` and `psa_b`, whose ADMIN and USER approve runs on devices. */
export async function scriptingMsp(api: Api): Promise<Msp> {
  onTestFinished(() => clock.reset())
  const msp = await world()
  await makeTechnician(msp, msp.admin.id, LEAD)
  await makeTechnician(msp, msp.user.id, TECHNICIAN)
  await addCompanies(msp, [{ id: 'a' }, { id: 'b' }])
  await addPsaTickets(msp, [{ ticket_id: TICKET, number: 'T-4711', psa_company_id: 'psa_a' }])
  await connect(msp, 'halo-psa')
  const input = { approver_technician_ids: [LEAD, TECHNICIAN] }
  await storyOf(api, msp).done(msp.owner, 'update_permission_group', { name: 'DEVICES', input })
  return msp
}

const AGENT = {
  name: 'Disk hand',
  autonomy_type: 'AGENTIC',
  integrations: {
    grants: [
      { system: 'HALO_PSA', permission_groups: ['TICKETS'], access: 'WRITE' },
      { system: 'NINJAONE', permission_groups: ['DEVICES'], access: 'WRITE' },
    ],
  },
}

const END = { tool: 'run.finish', args: { message: 'It is done.', resolution: 'FULL', confidence: 0.9 } }

/** The model finds the script by its tool, runs it on the device, and finishes. */
const modelFor =
  (device_id: string): Script =>
  ({ messages }) => {
    const told = messages.filter(({ role }) => role === 'tool').map(({ content }) => content ?? '')
    if (told.length === 0) return { calls: [{ tool: 'device.list_scripts', args: { query: 'disk' } }] }
    const [script_id] = /scr_\w+/.exec(told[0] ?? '') ?? []
    const args = { device_id, script_id, parameters: { drive: 'D' } }
    return { calls: [told.length === 1 ? { tool: 'device.run_script', args } : END] }
  }

/** The moves of people and workers of the tenant, whose RMM is connected. */
export function scriptingOf(running: Running, api: Api, msp: Msp) {
  const story = storyOf(api, msp)
  const { done } = story
  /** Does the tenant's jobs until none is due; `by` another instance of the service, if it is given. */
  const work = (by: Pick<Running, 'app'> = running): Promise<void> => performDue(by.app.services, msp)
  const scripts = () => done(msp.key, 'rmm_scripts')

  /** Reads the scripts of the RMM. The sync, as callers see it before and after. */
  async function sync() {
    clock.advance(1000)
    const { id: sync_id } = await done(msp.admin, 'sync_rmm_scripts', { input: { system: 'NINJAONE' } })
    const progress = () => done(msp.key, 'integration_sync', { name: 'ninjaone', sync_id })
    const before = await progress()
    await work()
    return { before, after: await progress() }
  }

  return {
    ...story,
    work,
    scripts,
    sync,
    /** Reads the scripts, and enables the one that there is. */
    async enable(rules: object = {}) {
      await sync()
      const [{ id: script_id }] = await scripts()
      const input = {
        agent_enabled: true,
        risk: 'CHANGES_STATE',
        agent_description: 'Tells how full disks are.',
        ...rules,
      }
      return await done(msp.admin, 'update_rmm_script', { script_id, input })
    },
    /** Starts the agent on the ticket, and works until the run of the script waits. */
    async ask(device_id = DEVICES.a, supervision: object = {}) {
      const agent_id = await story.createAgent(AGENT)
      const model = await playModel(modelFor(device_id), running)
      const { execution_id } = await story.run(agent_id, supervision)
      await work()
      return { execution_id: execution_id as string, model }
    },
    /** Does jobs of executions alone. */
    workOnExecutions: () => performRuns(msp, { services: running.app.services }),
    /** The answer to an approval of the request that waits. */
    approval: async (execution_id: string) =>
      await api.call(msp.user, 'approve_til_request', {
        til_request_id: (await story.open(execution_id)).id,
        input: {},
      }),
    /** Approves the request that waits, and leaves the work to `work`. */
    async approved(execution_id: string) {
      const til_request_id = (await story.open(execution_id)).id
      return await done(msp.user, 'approve_til_request', { til_request_id, input: {} })
    },
    /** The one run of a script of the execution. */
    async scriptRun(execution_id: string) {
      const runs = await done(msp.key, 'execution_rmm_script_runs', { execution_id })
      expect(runs).toHaveLength(1)
      return runs[0]
    },
    /** The last call of the execution that ran a script. */
    lastCall: async (execution_id: string) =>
      (await story.calls(execution_id)).findLast(
        ({ tool_name }: { tool_name: string }) => tool_name === 'device.run_script',
      ),
    /** The texts of the timeline. */
    told: async (execution_id: string): Promise<string> =>
      (await story.timeline(execution_id)).map(({ text }: { text: string }) => text).join('\n'),
  }
}
