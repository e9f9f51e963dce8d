/** The open requests to technicians of the demo lead on: a decision resumes the work, which comes to its end without a model. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEMO_SUBJECTS, DEMO_TENANT_ID } from '../../src/access/demo.ts'
import { clock, signToken, startApp } from '../setup/app.ts'
import { DEMO, demoDatabase, MORNING } from '../setup/demo.ts'
import { json } from '../setup/http.ts'
import { performRuns } from '../setup/runs.ts'
import { call } from './service.ts'

const LONG_MS = 300_000

beforeAll(() => clock.set(MORNING))
afterAll(() => clock.reset())

interface Open {
  id: string
  kind: string
  execution_id: string | null
  tool_name: string | null
}

interface Caller {
  service: { base: string }
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
  const database = await demoDatabase(MORNING)
  const { environment } = DEMO
  const tenant_id = DEMO_TENANT_ID
  const { app, base } = await startApp(database, { ENVIRONMENT: environment })
  try {
    const token = await signToken({ sub: DEMO_SUBJECTS.ADMIN, tenant_id, environment })
    const service = { base }
    const caller = { service, token }
    const open: Open[] = (await call(service, token, '/til-requests?status=PENDING')).body.data
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
    await performRuns({ tenant_id, database }, { services: app.services })
    const ends: Record<string, unknown>[] = []
    for (const { execution_id, kind } of executions) {
      const { data } = (await call(service, token, `/executions/${execution_id}`)).body
      const { status, resolution, pending_til_request_count } = data
      ends.push({ kind, status, resolution, pending_til_request_count })
    }
    return { open, ends }
  } finally {
    await app.close(0)
    await database.close()
  }
}

const DONE = { status: 'COMPLETED', resolution: 'FULL', pending_til_request_count: 0 }
const REFUSED = { ...DONE, resolution: 'NONE' }

describe('the open requests of the demo', { timeout: LONG_MS }, () => {
  test('are approved and answered over REST, and their executions complete', async () => {
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
  })

  test('are rejected and answered over GraphQL, and their executions complete with nothing refused done', async () => {
    const { ends } = await decideAll(byGraphQL, false)
    expect(ends).toHaveLength(4)
    for (const { kind, ...end } of ends)
      expect([kind, end]).toEqual([kind, kind === 'QUESTION' ? DONE : REFUSED])
  })
})
