/** The messages of feedback links follow the approval of the call, and then the jobs that send them. */
import { afterEach, beforeAll, expect, it } from 'vitest'
import type { FeedbackConnector } from '../../../src/connectors/feedback.ts'
import type { Api } from '../../setup/api.ts'
import { describeApi } from '../../setup/api.ts'
import { clock, testApp } from '../../setup/app.ts'
import { messagesOf } from '../../setup/comms.ts'
import { useMailServer } from '../../setup/escalation-mails.ts'
import { feedbackOf } from '../../setup/feedback.ts'
import { psaOfTenant } from '../../setup/psa.ts'
import { performRun, performRuns, takeRunJobs } from '../../setup/runs.ts'
import { installQueues } from '../agents/runnable.ts'
import { start } from '../executions/run/chain.ts'
import { decisions, supervisedMsp, waitingMessage } from '../til-requests/supervised.ts'
import { addPeople, sendWaiting } from './asking.ts'

beforeAll(installQueues)
afterEach(() => clock.reset())

const ASK = { type: 'feedback.send_link', params: { medium: 'EMAIL' } }

/** A supervised run whose plan is approved, so that its call waits; its request. */
async function waiting(api: Api, params: object = {}) {
  const msp = await supervisedMsp([{ ...ASK, params: { ...ASK.params, ...params } }])
  const { email } = await addPeople(msp)
  const server = await useMailServer()
  return { msp, email, server, ...(await waitingMessage(api, msp)) }
}

describeApi('the message of a supervised agent that asks for feedback', (api) => {
  it('waits for its approval, and is sent once', async () => {
    const { msp, email, server, execution_id, request, approved } = await waiting(api, {
      end_user_id: 'ada',
    })
    const [pending, ...others] = (await api.call(msp.key, 'comms_messages')).data
    expect(others).toEqual([])
    expect(pending).toMatchObject({
      medium: 'EMAIL',
      status: 'PENDING_APPROVAL',
      body: '[feedback link]',
      recipient_id: 'ada',
      recipient_name: 'Ada Byron',
      ticket_id: '4711',
      execution_id,
      til_request_id: request.id,
    })
    expect(await feedbackOf(msp)).toEqual([])
    expect(await sendWaiting(msp)).toBe(0)
    const [queued, ...more] = await approved()
    expect(more).toEqual([])
    const [entry] = await feedbackOf(msp)
    expect(queued).toMatchObject({
      id: pending.id,
      status: 'QUEUED',
      sent_at: null,
      til_request_id: request.id,
      feedback_id: entry?.id,
      created_at: new Date(pending.created_at),
    })
    expect(await sendWaiting(msp)).toBe(1)
    expect(server.mails).toMatchObject([{ to: [email] }])
    expect(await messagesOf(msp)).toMatchObject([{ id: pending.id, status: 'SENT', error: null }])
  })

  it('is rejected by the technician who refuses it', async () => {
    const { msp, rejected } = await waiting(api)
    expect(await rejected()).toMatchObject([
      { status: 'REJECTED', error: 'rejected', feedback_id: null, sent_at: null },
    ])
    expect(await feedbackOf(msp)).toEqual([])
    expect(await sendWaiting(msp)).toBe(0)
  })

  it('is rejected if the work is cancelled', async () => {
    const { msp, execution_id } = await waiting(api)
    await api.call(msp.key, 'cancel_execution', { execution_id })
    await performRuns(msp)
    expect(await messagesOf(msp)).toMatchObject([{ status: 'REJECTED', error: 'cancelled' }])
  })

  it('goes the way that the technician chooses', async () => {
    const { msp, server, approved } = await waiting(api)
    const edited_arguments = { medium: 'TICKET_NOTE', ticket_id: '4711' }
    expect(await approved({ edited_arguments })).toMatchObject([
      { medium: 'TICKET_NOTE', status: 'QUEUED', subject: null, address: null },
    ])
    expect(await sendWaiting(msp)).toBe(1)
    expect(server.mails).toEqual([])
    expect(await messagesOf(msp)).toMatchObject([{ status: 'DELIVERED' }])
  })

  it('goes to no end user of another company whom the technician names', async () => {
    const { msp, request } = await waiting(api)
    const edited_arguments = { medium: 'EMAIL', ticket_id: '4711', end_user_id: 'mallory' }
    const { approve } = decisions(api)
    const { status } = await approve(msp.admin, request.id, { edited_arguments })
    expect(status).toBe(422)
  })
})

describeApi('an agent in shadow mode', (api) => {
  it('asks nobody for feedback', async () => {
    const msp = await supervisedMsp([ASK], { agent_settings: { supervision_mode: 'SHADOW' } })
    await addPeople(msp)
    await useMailServer()
    await start(api, msp)
    await performRuns(msp)
    expect(await messagesOf(msp)).toEqual([])
    expect(await feedbackOf(msp)).toEqual([])
  })
})

describeApi('an agent whose worker is lost', (api) => {
  it.each([
    ['before the link is made', false],
    ['once its message is sent', true],
  ])('%s, asks once', async (_name, is_made) => {
    const msp = await supervisedMsp([{ ...ASK, params: { medium: 'TICKET_NOTE' } }])
    await addPeople(msp)
    await start(api, msp)
    const [job] = await takeRunJobs(msp)
    if (!job) throw new Error('No job')
    const lost = Promise.withResolvers<void>()
    const { services } = (await testApp()).app
    const feedback: FeedbackConnector = (ctx) => {
      const port = services.connectors.feedback(ctx)
      return {
        ...port,
        async sendLink(...given) {
          if (is_made) await port.sendLink(...given)
          lost.resolve()
          return await new Promise<never>(() => {})
        },
      }
    }
    const connectors = { ...services.connectors, feedback }
    void performRun(job, { services: { ...services, connectors } })
    await lost.promise
    expect(await messagesOf(msp)).toMatchObject([{ status: 'QUEUED' }])
    expect(await sendWaiting(msp)).toBe(is_made ? 1 : 0)
    await performRun(job, { attempt: 2 })
    expect(await sendWaiting(msp)).toBe(is_made ? 0 : 1)
    expect(await feedbackOf(msp)).toHaveLength(1)
    expect(await messagesOf(msp)).toMatchObject([{ status: 'DELIVERED', error: null }])
    expect(await psaOfTenant(msp).notesOf('4711')).toHaveLength(1)
  })
})
