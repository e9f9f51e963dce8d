/** The open requests to technicians of the demo lead on: a decision resumes the work, which comes to its end without a model. */
import { describe, expect, test } from 'vitest'
import { json } from '../setup/http.ts'
import { until } from '../setup/until.ts'
import { call, dashboardToken, demoPlace, type Service, startService } from './service.ts'

const LONG_MS = 300_000

const FINAL = ['COMPLETED', 'FAILED', 'TIMED_OUT', 'CANCELLED', 'SKIPPED']

interface Open {
  id: string
  kind: string
  execution_id: string | null
  tool_name: string | null
}

interface Caller {
  service: Service
  token: string
}

/** A decision by its verb: the operation, its path and its input. */
type Decide = (caller: Caller, id: string, verb: string, input: object) => Promise<string>

const byRest: Decide = async ({ service, token }, id, verb, input) => {
  const sent = { method: 'POST', body: input }
  const { status, body } = await call(service, token, `/til-requests/${id}/${verb}`, sent)
  return status === 200 ? body.data.status : JSON.stringify(body.error)
}

const INPUTS: Record<string, string> = {
  approve: 'ApprovalOfTilRequest',
  reject: 'RejectionOfTilRequest!',
  answer: 'AnswerToTilRequest!',
}

const byGraphQL: Decide = async ({ service, token }, id, verb, input) => {
  const field = `${verb}_til_request`
  const query = `mutation ($id: ID!, $input: ${INPUTS[verb]}) {
    ${field}(til_request_id: $id, input: $input) { status }
  }`
  const init = json({ query, variables: { id, input } })
  const headers = { ...(init.headers as object), authorization: `Bearer ${token}` }
  const answer = await (await fetch(`${service.base}/graphql`, { ...init, headers })).json()
  return answer.data?.[field]?.status ?? JSON.stringify(answer.errors)
}

/** Decides every open request of a new demo, and answers with how each of their executions ended. */
async function decideAll(decide: Decide, accepts: boolean) {
  const place = await demoPlace()
  const service = await startService(place.env)
  try {
    const caller = { service, token: await dashboardToken(place.env, 'ADMIN') }
    const open: Open[] = (await call(service, caller.token, '/til-requests?status=PENDING')).body.data
    for (const { id, kind } of open) {
      const isQuestion = kind === 'QUESTION'
      if (isQuestion) {
        expect(await decide(caller, id, 'answer', { answer: 'The one in Accounts' })).toBe('ANSWERED')
      } else if (accepts) {
        expect(await decide(caller, id, 'approve', {})).toBe('APPROVED')
      } else {
        expect(await decide(caller, id, 'reject', { comment: 'Not now.' })).toBe('REJECTED')
      }
    }
    const executions = open.flatMap(({ execution_id, kind }) =>
      execution_id ? [{ execution_id, kind }] : [],
    )
    const ends: Record<string, unknown>[] = []
    for (const { execution_id, kind } of executions) {
      const read = async () => (await call(service, caller.token, `/executions/${execution_id}`)).body.data
      await until(async () => FINAL.includes((await read()).status), LONG_MS)
      const { status, resolution, pending_til_request_count } = await read()
      ends.push({ kind, status, resolution, pending_til_request_count })
    }
    return { open, ends }
  } finally {
    await service.stop()
    await place.remove()
  }
}

const DONE = { status: 'COMPLETED', resolution: 'FULL', pending_til_request_count: 0 }
const REFUSED = { ...DONE, resolution: 'NONE' }

describe('the open requests of the demo', () => {
  test(
    'are approved and answered over REST, and their executions complete',
    async () => {
      const { open, ends } = await decideAll(byRest, true)
      expect(open.map(({ kind }) => kind).sort()).toEqual([
        'API_REQUEST',
        'QUESTION',
        'QUESTION',
        'WRITE',
        'WRITE',
      ])
      expect(ends).toHaveLength(4)
      for (const { kind, ...end } of ends) expect([kind, end]).toEqual([kind, DONE])
    },
    LONG_MS,
  )

  test(
    'are rejected and answered over GraphQL, and their executions complete with nothing refused done',
    async () => {
      const { ends } = await decideAll(byGraphQL, false)
      expect(ends).toHaveLength(4)
      for (const { kind, ...end } of ends)
        expect([kind, end]).toEqual([kind, kind === 'QUESTION' ? DONE : REFUSED])
    },
    LONG_MS,
  )
})
