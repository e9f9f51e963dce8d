/** The tool by which agents ask end users for feedback. */
import { pino } from 'pino'
import { beforeAll, describe, expect, it } from 'vitest'
import { ADD_NOTE, SEND_MAIL } from '../../../src/areas/comms/declared.ts'
import type { Feedback } from '../../../src/connectors/feedback.ts'
import { psaOf } from '../../../src/connectors/psa.ts'
import { serviceContext } from '../../../src/jobs/service-context.ts'
import { type Api, describeApi } from '../../setup/api.ts'
import { clock, testApp } from '../../setup/app.ts'
import { messagesOf } from '../../setup/comms.ts'
import { waitingFor } from '../../setup/comms-writing.ts'
import { useMailServer } from '../../setup/escalation-mails.ts'
import { feedbackOf } from '../../setup/feedback.ts'
import { playModel } from '../../setup/model.ts'
import { psaOfTenant } from '../../setup/psa.ts'
import { performRuns } from '../../setup/runs.ts'
import type { Msp } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'
import { agenticMsp, answersIn, trailOf, turns } from '../executions/run/agentic.ts'
import { start } from '../executions/run/chain.ts'
import { addPeople, sendWaiting, tablesWith } from './asking.ts'

beforeAll(installQueues)

const LINK = /\S*\/public-api\/feedback\/(fb_\w+)\/form\?expires=(\d+)&signature=[\w-]{43}/

/** Runs agent 1 on the ticket, which makes the call; the execution, its call, and what the model was told of it. */
async function ask(api: Api, msp: Msp, args: object, entity_id = '4711') {
  const model = await playModel(turns({ calls: [{ tool: 'feedback.send_link', args }] }))
  const execution_id = await start(api, msp, entity_id)
  await performRuns(msp)
  const { execution, calls } = await trailOf(api, msp, execution_id)
  return { execution, call: calls[0], answer: answersIn(model.asked[1])[0], model }
}

/** Runs agent 1 on ticket 4711; the id of the execution. */
async function finished(api: Api, msp: Msp): Promise<string> {
  const execution_id = await start(api, msp)
  await performRuns(msp)
  return execution_id
}

async function asking(agent: object = {}) {
  const msp = await agenticMsp({}, agent)
  return { msp, ...(await addPeople(msp)) }
}

describeApi('an agent asks for feedback', (api) => {
  it('in a note that the contact of the ticket reads', async () => {
    const { msp } = await asking()
    const input = { human_friendly_client_name: 'Harbour Help' }
    await api.call(msp.admin, 'update_settings', { input })
    const { execution, answer } = await ask(api, msp, { medium: 'TICKET_NOTE' })
    const { execution_id } = execution
    const [entry, ...others] = await feedbackOf(msp)
    expect(others).toEqual([])
    expect(entry).toMatchObject({
      status: 'PENDING',
      execution_id,
      agent_id: 1,
      ticket_id: '4711',
      ticket_number: 'T-4711',
      end_company_id: 'co1',
      end_user_id: 'ada',
      end_user_name: 'Ada Byron',
    })
    const hours = Number(entry?.expires_at) - Number(entry?.created_at)
    expect(Math.ceil(hours / 1000)).toBe(336 * 3600)
    expect(Number(entry?.expires_at) % 1000).toBe(0)
    const [message] = await messagesOf(msp)
    expect(answer).toMatchObject({
      outcome: 'SUCCEEDED',
      data: { feedback_id: entry?.id, message_id: message?.id },
    })
    expect(message).toMatchObject({
      direction: 'OUTBOUND',
      medium: 'TICKET_NOTE',
      status: 'QUEUED',
      recipient_type: 'END_USER',
      recipient_id: 'ada',
      subject: null,
      ticket_id: '4711',
      execution_id,
      agent_id: 1,
      feedback_id: entry?.id,
      feedback_expires_at: entry?.expires_at,
    })
    expect(message?.id.slice(4)).toBe(message?.source_id?.slice(4))
    expect(await sendWaiting(msp)).toBe(1)
    const [note, ...more] = await psaOfTenant(msp).notesOf('4711')
    expect(more).toEqual([])
    expect(note).toMatchObject({ author_name: 'Test MSP', is_internal: false })
    expect(note?.text).toContain('T-4711')
    expect(note?.text).toMatch(/\nHarbour Help$/)
    const [, id, expires] = LINK.exec(note?.text ?? '') ?? []
    expect([id, Number(expires) * 1000]).toEqual([entry?.id, Number(entry?.expires_at)])
    const message_id = message?.id
    const { data } = await api.call(msp.key, 'comms_message', { message_id })
    expect(data).toMatchObject({ status: 'DELIVERED', error: null })
    expect(data.body).toContain('[feedback link]')
  })

  it('and no row has the signature, also if it reads the note', async () => {
    const { msp } = await asking()
    await ask(api, msp, { medium: 'TICKET_NOTE' })
    await sendWaiting(msp)
    await playModel(turns({ calls: [{ tool: 'ticket.list_notes', args: { ticket_id: '4711' } }] }))
    const { calls } = await trailOf(api, msp, await finished(api, msp))
    expect(calls[0]?.result_summary).toContain('signature=[removed]')
    const [note] = await psaOfTenant(msp).notesOf('4711')
    const [, signature = 'none'] = /signature=([\w-]+)/.exec(note?.text ?? '') ?? []
    expect(await tablesWith(msp, signature)).toEqual([])
  })

  it('by an e-mail, once, and no row and no log has the signature', async () => {
    const { msp, email } = await asking()
    const server = await useMailServer()
    const written: string[] = []
    const log = pino({ level: 'trace' }, { write: (line: string) => written.push(line) })
    const services = { ...(await testApp()).app.services, log }
    await ask(api, msp, { medium: 'EMAIL' })
    expect(await messagesOf(msp)).toMatchObject([
      { medium: 'EMAIL', status: 'QUEUED', address: email, subject: 'How did we do? (ticket T-4711)' },
    ])
    expect(await sendWaiting(msp, services)).toBe(1)
    expect(await sendWaiting(msp)).toBe(0)
    expect(server.mails).toMatchObject([{ to: [email] }])
    expect(server.mails[0]?.text).toMatch(LINK)
    const [message] = await messagesOf(msp)
    expect(message).toMatchObject({ status: 'SENT', error: null, sent_at: expect.any(Date) })
    const signature = /signature=([\w-]+)/.exec(server.mails[0]?.text ?? '')?.[1] ?? 'none'
    expect(await tablesWith(msp, 'signature=')).toEqual([])
    expect(await tablesWith(msp, signature)).toEqual([])
    expect(written.join('')).not.toContain(signature)
    expect(await tablesWith(msp, '[feedback link]')).toEqual(['public.comms_message'])
  })

  it('of an end user whom it names, about another ticket of the company', async () => {
    const { msp, email } = await asking()
    const server = await useMailServer()
    await ask(api, msp, { medium: 'EMAIL', ticket_id: '4712', end_user_id: 'ada' })
    expect(await feedbackOf(msp)).toMatchObject([
      { ticket_id: '4712', end_user_id: 'ada', end_company_id: 'co1' },
    ])
    await sendWaiting(msp)
    expect(server.mails).toMatchObject([{ to: [email] }])
  })

  it('about its work alone, if that is on no ticket', async () => {
    const { msp } = await asking({ entity_type: 'NONE', trigger_type: 'ON_DEMAND' })
    await useMailServer()
    const args = { medium: 'EMAIL', end_user_id: 'mallory' }
    await playModel(turns({ calls: [{ tool: 'feedback.send_link', args }] }))
    const { data } = await api.call(msp.key, 'run_agent_now', { agent_id: 1, input: {} })
    await performRuns(msp)
    expect(await feedbackOf(msp)).toMatchObject([
      {
        execution_id: data.execution_id,
        ticket_id: null,
        ticket_number: null,
        end_user_id: 'mallory',
        end_company_id: 'co2',
      },
    ])
    expect(await messagesOf(msp)).toMatchObject([{ subject: 'How did we do?', ticket_id: null }])
  })

  it('of no address that refused a mail for good', async () => {
    const { msp, email } = await asking()
    await useMailServer()
    const { tenant_id, environment, database } = msp
    await database.prisma.commsBounce.create({
      data: { tenant_id, environment, address: email, at: clock.now() },
    })
    const { answer } = await ask(api, msp, { medium: 'EMAIL' })
    expect(answer).toMatchObject({ outcome: 'SUCCEEDED' })
    expect(await messagesOf(msp)).toMatchObject([
      { status: 'SUPPRESSED', error: 'address_refused', address: email },
    ])
    expect(await waitingFor(msp, SEND_MAIL.name)).toEqual([])
  })

  it.each([
    ['an end user of another company', { medium: 'EMAIL', end_user_id: 'mallory' }, 'end_user_not_found'],
    ['an end user who is gone', { medium: 'EMAIL', end_user_id: 'eve' }, 'end_user_not_found'],
    ['nobody', { medium: 'TICKET_NOTE', end_user_id: 'none' }, 'end_user_not_found'],
    ['a person without an address', { medium: 'EMAIL', end_user_id: 'bob' }, 'no_address'],
    ['no contact', { medium: 'EMAIL', ticket_id: '4712' }, 'no_address'],
    ['no ticket of the company', { medium: 'TICKET_NOTE', ticket_id: '9' }, 'ticket_not_found'],
  ])('of %s, and is refused', async (_who, args, code) => {
    const { msp } = await asking()
    await useMailServer()
    const { call } = await ask(api, msp, args)
    expect(call).toMatchObject({ outcome: 'FAILED', error_code: code })
    expect(await feedbackOf(msp)).toEqual([])
    expect(await messagesOf(msp)).toMatchObject([{ status: 'FAILED', error: code, feedback_id: null }])
    expect(await sendWaiting(msp)).toBe(0)
  })

  it('by a service without a mail server, and is refused', async () => {
    const { msp } = await asking()
    const { call } = await ask(api, msp, { medium: 'EMAIL' })
    expect(call).toMatchObject({ outcome: 'FAILED', error_code: 'email_not_configured' })
    expect(await feedbackOf(msp)).toEqual([])
  })

  it('in a note on no ticket, and is refused', async () => {
    const { msp } = await asking({ entity_type: 'NONE', trigger_type: 'ON_DEMAND' })
    await playModel(turns({ calls: [{ tool: 'feedback.send_link', args: { medium: 'TICKET_NOTE' } }] }))
    const { data } = await api.call(msp.key, 'run_agent_now', { agent_id: 1, input: {} })
    await performRuns(msp)
    const { calls } = await trailOf(api, msp, data.execution_id)
    expect(calls).toMatchObject([{ outcome: 'FAILED', error_code: 'entity_required' }])
  })

  it('without the right to write on tickets, and is refused', async () => {
    const grants = [{ system: 'HALO_PSA', permission_groups: ['TICKETS'], access: 'READ' }]
    const { msp } = await asking({ integrations: { grants } })
    const { call } = await ask(api, msp, { medium: 'TICKET_NOTE' })
    expect(call).toMatchObject({ outcome: 'DENIED', error_code: 'tool_not_granted' })
    expect(await messagesOf(msp)).toEqual([])
  })
})

describeApi('the message of a feedback link', (api) => {
  it('that has failed is not sent again by a caller', async () => {
    const { msp } = await asking()
    await ask(api, msp, { medium: 'TICKET_NOTE' })
    const { tenant_id } = msp
    await msp.database.prisma.commsMessage.updateMany({
      where: { tenant_id },
      data: { status: 'FAILED', error: 'server_unreachable' },
    })
    const [message] = await messagesOf(msp)
    const { error } = await api.call(msp.admin, 'retry_comms_message', { message_id: message?.id })
    expect(error).toMatchObject({ code: 'message_not_retryable' })
  })
})

/** The port of the tenant’s feedback, and a link that it sends about the ticket. */
async function port({ tenant_id, environment }: Msp) {
  const { services } = (await testApp()).app
  const contextOf = () => serviceContext(services, 'test', 'test', { tenant_id, environment })
  const link: Parameters<Feedback['sendLink']>[0] = {
    agent_id: 1,
    execution_id: null,
    ticket_id: '4711',
    end_user_id: null,
    medium: 'TICKET_NOTE',
    psa: psaOf(contextOf()),
    company: null,
  }
  return { link, feedback: () => services.connectors.feedback(contextOf()) }
}

describe('a call that is repeated', () => {
  it('makes one link and one message, whatever has become of the ticket', async () => {
    const { msp } = await asking()
    const { link, feedback } = await port(msp)
    expect(await feedback().outcomeOf('tlc_1')).toBe('NOT_MADE')
    const sent = await feedback().sendLink(link, 'tlc_1')
    expect(sent).toMatchObject({ message_id: 'cms_1' })
    expect(await feedback().outcomeOf('tlc_1')).toBe('MADE')
    const gone = { ...link, psa: { ticket: async () => null } }
    expect(await feedback().sendLink(gone, 'tlc_1')).toEqual(sent)
    expect(await feedback().sendLink(gone, 'tlc_2')).toEqual({ problem: 'TICKET_NOT_FOUND' })
    expect(await feedbackOf(msp)).toHaveLength(1)
    expect(await waitingFor(msp, ADD_NOTE.name)).toEqual(['cms_1'])
  })

  it('of no execution and no ticket makes none', async () => {
    const { msp } = await asking()
    const { link, feedback } = await port(msp)
    const problem = { problem: 'ENTITY_REQUIRED' }
    expect(await feedback().sendLink({ ...link, ticket_id: null }, 'tlc_1')).toEqual(problem)
    expect(
      await feedback().sendLink({ ...link, ticket_id: null, medium: 'EMAIL', end_user_id: 'ada' }, 'tlc_1'),
    ).toEqual(problem)
  })

  it.runIf(process.env.DATABASE_URL)('at once makes one link, one message and one job', async () => {
    const { msp } = await asking()
    const { link, feedback } = await port(msp)
    for (let race = 0; race < Number(process.env.TEST_RACES ?? 5); race++) {
      const calls = Array.from({ length: 4 }, () => feedback().sendLink(link, `tlc_${race}`))
      const [first, ...others] = await Promise.all(calls)
      for (const other of others) expect(other).toEqual(first)
      expect(await feedbackOf(msp)).toHaveLength(race + 1)
      expect(await messagesOf(msp)).toHaveLength(race + 1)
      expect(await waitingFor(msp, ADD_NOTE.name)).toHaveLength(race + 1)
    }
  })
})
