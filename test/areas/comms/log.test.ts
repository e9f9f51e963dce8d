/** The messages of agents follow their tool calls. */
import { beforeAll, expect, it } from 'vitest'
import { expireRequests } from '../../../src/areas/til-requests/deciding/expire.ts'
import { PortRefusal } from '../../../src/connectors/port.ts'
import type { Psa } from '../../../src/connectors/psa.ts'
import { ApiError } from '../../../src/errors/errors.ts'
import type { Services } from '../../../src/gateway/context.ts'
import { type Api, describeApi, outcome } from '../../setup/api.ts'
import { clock, testApp } from '../../setup/app.ts'
import { messagesOf } from '../../setup/comms.ts'
import { addCompanies } from '../../setup/companies.ts'
import { connect } from '../../setup/local-systems.ts'
import { playModel } from '../../setup/model.ts'
import { addPsaContacts, addPsaTechnicians, psaOfTenant } from '../../setup/psa.ts'
import { performRun, performRuns, takeRunJobs } from '../../setup/runs.ts'
import { addTechnicians } from '../../setup/technicians.ts'
import { days, type Msp } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'
import { agenticMsp, turns } from '../executions/run/agentic.ts'
import { executionOf, start, withPsa } from '../executions/run/chain.ts'
import { decisions, openRequest, supervisedMsp, waitingMessage } from '../til-requests/supervised.ts'

beforeAll(installQueues)

const MAIL = {
  type: 'message.send',
  params: { contact_id: 'c1', subject: 'Your printer', body: 'It works again.' },
}
const ANSWER = { type: 'ticket.add_note', params: { text: 'It works again.', visibility: 'PUBLIC' } }
const NOTE = { type: 'ticket.add_note', params: { text: 'Check the fuse.', visibility: 'INTERNAL' } }

/** The end user who is the contact of ticket 4711. */
async function addContact({ tenant_id, environment, database }: Msp): Promise<void> {
  await addCompanies({ tenant_id, environment, database } as Msp, [{ id: 'co1' }])
  const stamps = { created_at: clock.now(), updated_at: clock.now() }
  const ada = { id: 'ada', name: 'Ada Byron', psa_contact_id: 'c1', end_company_id: 'co1' }
  await database.prisma.endUser.create({ data: { tenant_id, environment, ...ada, ...stamps } })
}

const ADA = { recipient_type: 'END_USER', recipient_id: 'ada', recipient_name: 'Ada Byron' }

const listed = async (api: Api, msp: Msp, args: object = {}) =>
  (await api.call(msp.key, 'comms_messages', { ...args })).data

/** A supervised run whose plan is approved, so that its first message waits; its request. */
async function waiting(api: Api, actions: readonly object[] = [MAIL]) {
  const msp = await supervisedMsp(actions)
  await addContact(msp)
  return { msp, ...(await waitingMessage(api, msp)) }
}

describeApi('an e-mail of a supervised agent', (api) => {
  it('waits for its approval, and is sent once', async () => {
    const { msp, execution_id, plan, request, approved } = await waiting(api)
    const [message, ...others] = await listed(api, msp)
    expect(others).toEqual([])
    expect(message).toMatchObject({
      ...ADA,
      direction: 'OUTBOUND',
      medium: 'EMAIL',
      status: 'PENDING_APPROVAL',
      subject: 'Your printer',
      body: 'It works again.',
      ticket_id: '4711',
      channel_id: null,
      conversation_id: null,
      execution_id,
      agent_id: 1,
      til_request_id: request.id,
      error: null,
      sent_at: null,
      // The plan that it is part of was asked about first.
      created_at: plan.created_at,
      updated_at: request.created_at,
      revision: 1,
    })
    expect((await api.call(msp.key, 'comms_message', { message_id: message.id })).data).toEqual(message)
    const [sent, ...more] = await approved()
    expect(more).toEqual([])
    const [call] = await msp.database.prisma.storedToolCall.findMany({
      where: { tenant_id: msp.tenant_id, tool_name: 'message.send' },
    })
    expect(sent).toMatchObject({
      id: message.id,
      status: 'SENT',
      error: null,
      sent_at: call?.ended_at,
      til_request_id: request.id,
      source_id: call?.id,
    })
    expect(message.id.slice(4)).toBe(call?.id.slice(4))
    expect(await psaOfTenant(msp).notesOf('4711')).toHaveLength(1)
  })

  it('is rejected by the technician who refuses it', async () => {
    const { msp, rejected } = await waiting(api)
    expect(await rejected()).toMatchObject([{ status: 'REJECTED', error: 'rejected', sent_at: null }])
    expect(await listed(api, msp, { status: ['REJECTED'] })).toMatchObject([{ error: 'rejected' }])
    expect(await psaOfTenant(msp).notesOf('4711')).toEqual([])
  })

  it('is as the technician edited it', async () => {
    const { msp, approved } = await waiting(api)
    await addPsaContacts(msp, [{ contact_id: 'c2', psa_company_id: 'co1' }])
    const edited_arguments = { contact_id: 'c2', subject: 'The printer', body: 'It prints.' }
    expect(await approved({ edited_arguments })).toMatchObject([
      {
        subject: 'The printer',
        body: 'It prints.',
        recipient_type: 'END_USER',
        recipient_id: null,
        recipient_name: null,
        end_user_id: null,
      },
    ])
  })

  it('is rejected if nobody decides', async () => {
    const { msp, request } = await waiting(api)
    clock.turn(days(3))
    const { services } = (await testApp()).app
    const signal = new AbortController().signal
    await expireRequests.run({ services, now: clock.now(), signal, log: services.log })
    await performRuns(msp)
    expect(await messagesOf(msp)).toMatchObject([
      { status: 'REJECTED', error: 'expired', til_request_id: request.id },
    ])
  })

  it('is rejected if the work is cancelled', async () => {
    const { msp, execution_id } = await waiting(api)
    await api.call(msp.key, 'cancel_execution', { execution_id })
    await performRuns(msp)
    expect(await messagesOf(msp)).toMatchObject([{ status: 'REJECTED', error: 'cancelled', sent_at: null }])
  })
})

describeApi('a note of a supervised agent', (api) => {
  it('for technicians is no message, and one for the contact is', async () => {
    const { msp, approved } = await waiting(api, [NOTE, ANSWER])
    expect(await listed(api, msp)).toEqual([])
    expect(await approved()).toMatchObject([
      { medium: 'TICKET_NOTE', status: 'PENDING_APPROVAL', ticket_id: '4711', recipient_type: null },
    ])
  })

  it('that a technician makes internal reaches nobody', async () => {
    const { approved } = await waiting(api, [ANSWER])
    const edited_arguments = { ticket_id: '4711', text: 'Not yet.', visibility: 'INTERNAL' }
    expect(await approved({ edited_arguments })).toMatchObject([
      { status: 'REJECTED', error: 'cancelled', body: 'It works again.' },
    ])
  })

  it('that a technician makes public is a message', async () => {
    const { approved } = await waiting(api, [NOTE])
    const edited_arguments = { ticket_id: '4711', text: 'It is the fuse.', visibility: 'PUBLIC' }
    expect(await approved({ edited_arguments })).toMatchObject([
      { status: 'DELIVERED', error: null, body: 'It is the fuse.' },
    ])
  })
})

/** Services whose PSA makes a note, or does not, gives no answer, and cannot tell afterwards. */
const losing = (made: boolean): Promise<Services> =>
  withPsa((psa) => {
    const lost = () => Promise.reject(new ApiError('upstream_unavailable', { details: { upstream: 'PSA' } }))
    const addNote: Psa['addNote'] = async (...given) => {
      if (made) await psa.addNote(...given)
      return await lost()
    }
    return { addNote, outcomeOf: async () => 'UNKNOWN' }
  })

describeApi('a note of which nobody knows whether it was made', (api) => {
  const unknown = async (made: boolean) => {
    const msp = await supervisedMsp([ANSWER])
    const execution_id = await start(api, msp)
    await performRuns(msp, { services: await losing(made) })
    const request = await openRequest(api, msp, execution_id)
    expect(await messagesOf(msp)).toMatchObject([
      { status: 'FAILED', error: 'outcome_unknown', til_request_id: request.id, sent_at: null },
    ])
    return {
      msp,
      execution_id,
      async told(option_id: string) {
        await decisions(api).answer(msp.admin, request.id, { option_id })
        await performRuns(msp)
        return await messagesOf(msp)
      },
    }
  }

  it.each([
    ['made', true],
    ['not_made', false],
  ])('is delivered once a technician says: %s', async (option_id, made) => {
    const { msp, told } = await unknown(made)
    expect(await told(option_id)).toMatchObject([{ status: 'DELIVERED', error: null }])
    expect(await psaOfTenant(msp).notesOf('4711')).toHaveLength(1)
  })

  it('stays FAILED if the work goes on without it', async () => {
    const { told } = await unknown(false)
    const [message] = await told('go_on')
    expect(message).toMatchObject({ status: 'FAILED', sent_at: null })
  })

  it('is rejected if the work ends and it was not made', async () => {
    const { msp, execution_id } = await unknown(false)
    await api.call(msp.key, 'cancel_execution', { execution_id })
    await performRuns(msp)
    expect(await messagesOf(msp)).toMatchObject([{ status: 'REJECTED', error: 'cancelled' }])
  })
})

describeApi('a note that the PSA does not take', (api) => {
  it('has failed if the PSA cannot be reached', async () => {
    const msp = await supervisedMsp([ANSWER])
    await start(api, msp)
    const away = () => Promise.reject(new ApiError('upstream_unavailable', { details: { upstream: 'PSA' } }))
    await performRuns(msp, { services: await withPsa(() => ({ addNote: away })) })
    expect(await messagesOf(msp)).toMatchObject([
      { status: 'FAILED', error: 'server_unreachable', sent_at: null },
    ])
  })

  it('has failed with the code of the refusal', async () => {
    const msp = await supervisedMsp([ANSWER])
    await start(api, msp)
    const addNote = () => Promise.reject(new PortRefusal('TICKET_NOT_FOUND'))
    await performRuns(msp, { services: await withPsa(() => ({ addNote })) })
    expect(await messagesOf(msp)).toMatchObject([{ status: 'FAILED', error: 'ticket_not_found' }])
  })

  it.each([
    [true, { status: 'DELIVERED', error: null }],
    [false, { status: 'REJECTED', error: 'cancelled' }],
  ])('because its worker was lost is settled when the work ends, and it was made: %s', async (made, end) => {
    const msp = await supervisedMsp([ANSWER])
    const execution_id = await start(api, msp)
    const [job] = await takeRunJobs(msp)
    if (!job) throw new Error('No job')
    const lost = Promise.withResolvers<void>()
    const services = await withPsa((psa) => ({
      async addNote(...given) {
        if (made) await psa.addNote(...given)
        lost.resolve()
        return await new Promise<never>(() => {})
      },
    }))
    void performRun(job, { services })
    await lost.promise
    expect(await messagesOf(msp)).toMatchObject([{ status: 'QUEUED', error: null, sent_at: null }])
    await api.call(msp.key, 'cancel_execution', { execution_id })
    await performRun(job, { attempt: 2 })
    await performRuns(msp)
    expect(await messagesOf(msp)).toMatchObject([end])
  })
})

const CHAT = {
  toolbox: { tools: ['chat.send'] },
  integrations: { grants: [{ system: 'HALO_PSA', permission_groups: ['TICKETS'], access: 'WRITE' }] },
}

describeApi('an agent that no technician supervises', (api) => {
  it('has its notes delivered to the contact that the service knows of', async () => {
    const msp = await supervisedMsp([ANSWER])
    await addContact(msp)
    const { tenant_id, environment } = msp
    await msp.database.prisma.callbackEntity.create({
      data: {
        tenant_id,
        environment,
        entity: 'TICKET/4711',
        version: { contact: 'c1' },
        is_announced: true,
        callback_id: 'clb_1',
        source: 'POLL',
        seen_at: clock.now(),
      },
    })
    const execution_id = await start(api, msp)
    await performRuns(msp)
    expect(await executionOf(api, msp, execution_id)).toMatchObject({ status: 'COMPLETED' })
    expect(await listed(api, msp, { end_user_id: 'ada' })).toMatchObject([
      { ...ADA, medium: 'TICKET_NOTE', status: 'DELIVERED', til_request_id: null, subject: null },
    ])
  })

  it('writes to technicians in the chat', async () => {
    const msp = await agenticMsp({}, CHAT)
    await connect(msp, ['microsoft-teams'])
    await addPsaTechnicians(msp, [{ psa_id: 7 }])
    await addTechnicians(msp, [{ id: 7, psa_id: 7, name: 'Grace Hopper', is_ready: true }])
    await playModel(
      turns({ calls: [{ tool: 'chat.send', args: { technician_id: 7, text: 'Have a look, please.' } }] }),
    )
    await start(api, msp)
    await performRuns(msp)
    expect(await listed(api, msp)).toMatchObject([
      {
        medium: 'CHAT',
        status: 'DELIVERED',
        recipient_type: 'TECHNICIAN',
        recipient_id: '7',
        recipient_name: 'Grace Hopper',
        body: 'Have a look, please.',
        ticket_id: null,
      },
    ])
  })

  it('leaves no message of a call that a rule refuses', async () => {
    const msp = await agenticMsp()
    const args = { ticket_id: '4711', text: 'Bearer abcdefghijkl', visibility: 'PUBLIC' }
    await playModel(
      turns(
        { calls: [{ tool: 'ticket.add_note', args }] },
        { calls: [{ tool: 'ticket.add_note', args: { text: 'To whom?', visibility: 'PUBLIC' } }] },
        { calls: [{ tool: 'message.send', args: { contact_id: 'c1', subject: 'A', body: 'B' } }] },
      ),
    )
    await start(api, msp)
    await performRuns(msp)
    expect(await messagesOf(msp)).toEqual([])
  })

  it('leaves no message in shadow mode', async () => {
    const msp = await agenticMsp({ supervision_mode: 'SHADOW' })
    const args = { ticket_id: '4711', text: 'Hello.', visibility: 'PUBLIC' }
    await playModel(turns({ calls: [{ tool: 'ticket.add_note', args }] }))
    await start(api, msp)
    await performRuns(msp)
    expect(await messagesOf(msp)).toEqual([])
  })

  it('has its message still when its calls are forgotten', async () => {
    const msp = await supervisedMsp([ANSWER])
    await start(api, msp)
    await performRuns(msp)
    const before = await messagesOf(msp)
    expect(before).toMatchObject([{ status: 'DELIVERED', body: 'It works again.' }])
    const { tenant_id } = msp
    await msp.database.prisma.storedToolCall.updateMany({ where: { tenant_id }, data: { arguments: {} } })
    expect(await messagesOf(msp)).toEqual(before)
  })
})

describeApi('a message that is not there', (api) => {
  it('is not found', async () => {
    const msp = await supervisedMsp([ANSWER])
    const answer = await api.call(msp.key, 'comms_message', { message_id: 'cms_none' })
    expect(outcome(answer)).toEqual([404, 'message_not_found'])
  })
})
