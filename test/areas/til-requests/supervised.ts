/** Supervised chains of actions: technicians, and the requests that they decide. */
import { expect } from 'vitest'
import type { Api } from '../../setup/api.ts'
import { messagesOf } from '../../setup/comms.ts'
import { performRuns } from '../../setup/runs.ts'
import { makeTechnician } from '../../setup/til-requests.ts'
import type { Caller, Msp } from '../../setup/world.ts'
import { chainMsp, start } from '../executions/run/chain.ts'
import { ADMIN, USER } from './people.ts'

/** The times that a race is run: 5, or as many as `TEST_RACES` says. */
export const RACES = Number(process.env.TEST_RACES ?? 5)

/** A tenant with a chain that works on ticket 4711, and whose ADMIN and USER are technicians. */
export async function supervisedMsp(
  actions?: Parameters<typeof chainMsp>[0],
  agent?: Parameters<typeof chainMsp>[1],
  tenant?: Msp,
): Promise<Msp> {
  const msp = await chainMsp(actions, agent, tenant)
  await makeTechnician(msp, msp.admin.id, ADMIN)
  await makeTechnician(msp, msp.user.id, USER)
  return msp
}

/** The input of a run that is supervised by the ADMIN and the USER. */
export const SUPERVISED = { supervised_run: true, supervisor_technician_ids: [ADMIN, USER] }

/** The requests of the execution, the first one first. */
export const requestsOf = async (api: Api, msp: Msp, execution_id: string) =>
  (await api.call(msp.key, 'til_requests', { execution_id })).data.toSorted(
    (one: { created_at: string }, other: { created_at: string }) =>
      one.created_at.localeCompare(other.created_at),
  )

/** The one request that waits. */
export async function openRequest(api: Api, msp: Msp, execution_id: string) {
  const { data } = await api.call(msp.key, 'til_requests', { execution_id, status: ['PENDING'] })
  if (data.length !== 1) throw new Error(`${data.length} requests wait`)
  return data[0]
}

/** Calls for the decisions of a caller. */
export const decisions = (api: Api) => ({
  approve: (caller: Caller, til_request_id: string, input: object = {}) =>
    api.call(caller, 'approve_til_request', { til_request_id, input }),
  reject: (caller: Caller, til_request_id: string, comment = 'Not now') =>
    api.call(caller, 'reject_til_request', { til_request_id, input: { comment } }),
  answer: (caller: Caller, til_request_id: string, input: object) =>
    api.call(caller, 'answer_til_request', { til_request_id, input }),
})

/** A supervised run of the tenant whose plan is approved, so that its first message waits. A decision answers with the messages. */
export async function waitingMessage(api: Api, msp: Msp) {
  const execution_id = await start(api, msp, '4711', SUPERVISED)
  await performRuns(msp)
  const { approve, reject } = decisions(api)
  const plan = await openRequest(api, msp, execution_id)
  expect((await approve(msp.admin, plan.id)).status).toBe(200)
  await performRuns(msp)
  const request = await openRequest(api, msp, execution_id)
  const decide = async (made: Promise<{ status: number }>) => {
    expect((await made).status).toBe(200)
    await performRuns(msp)
    return await messagesOf(msp)
  }
  return {
    execution_id,
    plan,
    request,
    approved: (input: object = {}) => decide(approve(msp.admin, request.id, input)),
    rejected: () => decide(reject(msp.admin, request.id)),
  }
}
