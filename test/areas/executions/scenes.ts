/** Executions that come to each of their statuses. */
import { useModel } from '../../setup/model.ts'
import { performRuns } from '../../setup/runs.ts'
import type { AreaSuites, EventScene } from '../../setup/suites/area.ts'
import { SUPERVISED, supervisedMsp } from '../til-requests/supervised.ts'
import { agenticMsp } from './run/agentic.ts'
import { chainMsp, NOTE } from './run/chain.ts'

const start = ({ call }: EventScene, input: object = {}) =>
  call('run_agent_now', { agent_id: 1, input: { entity_id: '4711', ...input } })

async function runChain(scene: EventScene): Promise<void> {
  await chainMsp([NOTE], {}, scene.msp)
  await start(scene)
  await performRuns(scene.msp)
}

export const EXECUTION_SCENES: NonNullable<AreaSuites['events']> = {
  'execution.created': runChain,
  'execution.started': runChain,
  'execution.completed': runChain,
  async 'execution.waiting'(scene) {
    await supervisedMsp([NOTE], {}, scene.msp)
    await start(scene, SUPERVISED)
    await performRuns(scene.msp)
  },
  async 'execution.failed'(scene) {
    await agenticMsp({}, {}, scene.msp)
    await start(scene)
    await useModel(null)
    await performRuns(scene.msp)
  },
  async 'execution.cancelled'(scene) {
    await chainMsp([NOTE], {}, scene.msp)
    const { execution_id } = await start(scene)
    await scene.call('cancel_execution', { execution_id })
  },
}
