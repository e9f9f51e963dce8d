/** A supervised run as its subscribers follow it. */
import { beforeAll, expect, it } from 'vitest'
import { installQueues } from '../areas/agents/runnable.ts'
import { describeApi } from '../setup/api.ts'
import { type Stream, subscribe } from '../setup/streams.ts'
import type { Msp } from '../setup/world.ts'
import { journeyMsp, LEAD, NOTE, storyOf } from './story.ts'

beforeAll(installQueues)

const EXECUTIONS = `subscription ($execution_id: ID, $after: Cursor) {
  execution_updates(execution_id: $execution_id, after: $after) {
    status
    execution { status pending_til_request_count }
  }
}`

const REQUESTS = `subscription ($after: Cursor) {
  til_request_updates(after: $after) { status til_request { kind status } }
}`

interface ExecutionUpdate {
  status: string
  execution: { status: string; pending_til_request_count: number }
}

interface RequestUpdate {
  status: string
  til_request: { kind: string; status: string }
}

/** The statuses of an update, of its execution, and the number of requests that wait. */
const told = (stream: Stream) =>
  (stream.updates() as ExecutionUpdate[]).map(({ status, execution }) => [
    status,
    execution.status,
    execution.pending_til_request_count,
  ])

const toldOfRequests = (stream: Stream) =>
  (stream.updates() as RequestUpdate[]).map(({ status, til_request }) => [
    til_request.kind,
    status,
    til_request.status,
  ])

const START = [
  ['NEW', 'NEW', 0],
  ['RUNNING', 'RUNNING', 0],
]
const PLANNED = [
  ['WAITING_FOR_APPROVAL', 'WAITING_FOR_APPROVAL', 1],
  ['RUNNING', 'RUNNING', 0],
]
const WRITTEN = [
  ['WAITING_FOR_APPROVAL', 'WAITING_FOR_APPROVAL', 1],
  ['RUNNING', 'RUNNING', 0],
  // The note that it has written.
  ['RUNNING', 'RUNNING', 0],
  ['COMPLETED', 'COMPLETED', 0],
]
const OF_REQUESTS = ['PLAN', 'WRITE'].flatMap((kind) => [
  [kind, 'PENDING', 'PENDING'],
  [kind, 'APPROVED', 'APPROVED'],
])

describeApi('the journey of a run that is followed', (api) => {
  async function supervised() {
    const msp: Msp = await journeyMsp()
    const story = storyOf(api, msp)
    const agent_id = await story.createAgent({ actions: [NOTE] })
    const run = () => story.run(agent_id, { supervised_run: true, supervisor_technician_ids: [LEAD] })
    const approve = async (execution_id: string) => {
      const { id: til_request_id } = await story.open(execution_id)
      await story.done(msp.admin, 'approve_til_request', { til_request_id, input: {} })
      await story.work()
    }
    /** Follows all, one execution, and requests, until the run waits for its first approval. */
    const followed = async () => {
      const all = await subscribe(msp.key, EXECUTIONS)
      const requests = await subscribe(msp.key, REQUESTS)
      const { execution_id } = await run()
      await all.reaches(1)
      const one = await subscribe(msp.key, EXECUTIONS, { variables: { execution_id } })
      await story.work()
      await Promise.all([all.reaches(3), one.reaches(2), requests.reaches(1)])
      return { execution_id, all, one, requests }
    }
    return { msp, run, approve, followed }
  }

  it('tells every change once, to those who follow it and to those who follow all', async () => {
    const { run, approve, followed } = await supervised()
    const { execution_id, all, one, requests } = await followed()
    await approve(execution_id)
    await Promise.all([all.reaches(5), one.reaches(4), requests.reaches(3)])
    await approve(execution_id)
    const whole = [...START, ...PLANNED, ...WRITTEN]
    await Promise.all([all.reaches(whole.length), one.reaches(whole.length - 1), requests.reaches(4)])
    // Whatever came twice would have come before this one.
    await run()
    await all.reaches(whole.length + 1)
    expect(told(all)).toEqual([...whole, ['NEW', 'NEW', 0]])
    expect(told(one)).toEqual(whole.slice(1))
    expect(toldOfRequests(requests)).toEqual(OF_REQUESTS)
  })

  it('tells every change once to those who come back after it has gone on', async () => {
    const { msp, run, approve, followed } = await supervised()
    const { execution_id, all, one, requests } = await followed()
    const streams = [all, one, requests]
    const last = streams.map((stream) => stream.ids().at(-1))
    for (const stream of streams) stream.close()
    await approve(execution_id)
    await approve(execution_id)
    const again = await Promise.all([
      subscribe(msp.key, EXECUTIONS, { variables: { after: last[0] } }),
      subscribe(msp.key, EXECUTIONS, { variables: { after: last[1], execution_id } }),
      subscribe(msp.key, REQUESTS, { variables: { after: last[2] } }),
    ])
    // Nobody needs to decide any more what has been decided since.
    const decided = ['WAITING_FOR_APPROVAL', 'WAITING_FOR_APPROVAL', 0]
    const rest = [...PLANNED.slice(1), decided, ...WRITTEN.slice(1)]
    await Promise.all([again[0].reaches(rest.length), again[1].reaches(rest.length), again[2].reaches(3)])
    await run()
    await again[0].reaches(rest.length + 1)
    expect(told(again[0])).toEqual([...rest, ['NEW', 'NEW', 0]])
    expect(told(again[1])).toEqual(rest)
    expect(toldOfRequests(again[2])).toEqual(OF_REQUESTS.slice(1))
  })
})
