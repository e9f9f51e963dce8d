/** Requests to technicians that come to each of their statuses. */
import { expireRequests } from '../../../src/areas/til-requests/deciding/expire.ts'
import { clock, testApp } from '../../setup/app.ts'
import { performRuns } from '../../setup/runs.ts'
import type { AreaSuites, EventScene } from '../../setup/suites/area.ts'
import { addTechnicians } from '../../setup/technicians.ts'
import { NOTE } from '../executions/run/chain.ts'
import { SUPERVISED, supervisedMsp } from './supervised.ts'

const QUESTION = { type: 'technician.ask', params: { question: 'Which one?' } }

/** A supervised run that has asked its technicians, and its request. */
async function ask({ msp, call }: EventScene, action: object = NOTE) {
  await supervisedMsp([action], {}, msp)
  const { execution_id } = await call('run_agent_now', {
    agent_id: 1,
    input: { entity_id: '4711', ...SUPERVISED },
  })
  await performRuns(msp)
  const [{ id }] = await call('til_requests', { execution_id })
  return { execution_id, til_request_id: id }
}

export const TIL_REQUEST_SCENES: NonNullable<AreaSuites['events']> = {
  'til_request.created': ask,
  async 'til_request.reassigned'(scene) {
    const { til_request_id } = await ask(scene)
    const [other = 0] = await addTechnicians(scene.msp, [{ name: 'Bo' }])
    await scene.call('reassign_til_request', { til_request_id, input: { technician_ids: [other] } })
  },
  async 'til_request.approved'(scene) {
    const { til_request_id } = await ask(scene)
    await scene.call('approve_til_request', { til_request_id, input: { comment: 'Go on.' } })
  },
  async 'til_request.rejected'(scene) {
    const { til_request_id } = await ask(scene)
    await scene.call('reject_til_request', { til_request_id, input: { comment: 'Not now.' } })
  },
  async 'til_request.answered'(scene) {
    const { til_request_id } = await ask(scene, QUESTION)
    await scene.call('answer_til_request', { til_request_id, input: { answer: 'The red one.' } })
  },
  async 'til_request.expired'(scene) {
    const { til_request_id } = await ask(scene)
    const { database, tenant_id } = scene.msp
    const expires_at = new Date(clock.now().getTime() - 1)
    await database.prisma.tilRequest.updateMany({
      where: { tenant_id, id: til_request_id },
      data: { expires_at },
    })
    const { services } = (await testApp()).app
    const { signal } = new AbortController()
    await expireRequests.run({ services, now: clock.now(), signal, log: services.log })
  },
  async 'til_request.cancelled'(scene) {
    const { execution_id } = await ask(scene)
    await scene.call('cancel_execution', { execution_id })
  },
}
