/** The journey of feedback: an agent asks, an end user is discontent, people are told of it, and the answer is changed. */
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { SEND_MAIL } from '../../src/areas/comms/declared.ts'
import { addUser } from '../access/people.ts'
import { installQueues } from '../areas/agents/runnable.ts'
import { agenticMsp, turns } from '../areas/executions/run/agentic.ts'
import { start } from '../areas/executions/run/chain.ts'
import { addPeople } from '../areas/feedback/asking.ts'
import { share } from '../setup/agents.ts'
import type { Api, Arguments } from '../setup/api.ts'
import { clock, signToken, testApp } from '../setup/app.ts'
import { enqueueFor, useMailServer } from '../setup/escalation-mails.ts'
import { escalate, later } from '../setup/escalations.ts'
import { fillInboxes } from '../setup/inboxes.ts'
import { playModel } from '../setup/model.ts'
import { performRuns } from '../setup/runs.ts'
import { addTechnicians } from '../setup/technicians.ts'
import { describeWebhooks, isSignedBy, sendWebhooks, startReceiver, subscribeTo } from '../setup/webhooks.ts'
import { type Caller, days, type Msp } from '../setup/world.ts'

beforeAll(installQueues)

const HTML = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const FORM_TYPE = 'application/x-www-form-urlencoded'
const COMMENT = 'Nobody called back, and it still does not work.'

/** The service knows its own address until the test ends. */
async function useAddress(): Promise<void> {
  const { app, base } = await testApp()
  const before = app.services.public_url
  app.services.public_url = base
  onTestFinished(() => {
    app.services.public_url = before
  })
}

/** Another user of the tenant. */
async function colleague(msp: Msp, technician_profile_id: number | null = null): Promise<Caller> {
  const { tenant_id, environment, database } = msp
  const { id } = await addUser(database, { tenant_id, environment, role: 'USER' })
  const where = { tenant_id, environment, id }
  await database.prisma.tenantUser.updateMany({ where, data: { technician_profile_id } })
  return { id, token: await signToken({ sub: `sub-${id}`, tenant_id, environment }) }
}

/** An agent that the user USER made and a colleague may edit, and a technician who is told of bad ratings. */
async function office(api: Api) {
  const msp = await agenticMsp()
  const { email } = await addPeople(msp)
  const { tenant_id, database } = msp
  const by_user = { created_by_user_id: msp.user.id }
  await database.prisma.agent.updateMany({ where: { tenant_id, id: 1 }, data: by_user })
  await addTechnicians(msp, [{ id: 1, name: 'Grace' }])
  const [editor, technician] = [await colleague(msp), await colleague(msp, 1)]
  await share(msp, 1, editor.id, true)
  const step = { target_type: 'TECHNICIANS', target_ids: ['1'], notify_via: ['INBOX'] }
  const input = { name: 'Bad ratings', triggers: ['NEGATIVE_FEEDBACK'], steps: [step] }
  expect((await api.call(msp.admin, 'create_escalation_policy', { input })).error).toBeNull()
  return { msp, email, editor, technician }
}

/** Runs the agent, which sends a link by e-mail. */
async function ask(api: Api, msp: Msp): Promise<string> {
  await playModel(turns({ calls: [{ tool: 'feedback.send_link', args: { medium: 'EMAIL' } }] }))
  const execution_id = await start(api, msp)
  await performRuns(msp)
  await escalate(msp)
  return execution_id
}

interface Page {
  status: number
  title: string
  html: string
}

async function open(url: string, init: RequestInit = {}): Promise<Page> {
  const response = await fetch(url, { ...init, headers: { accept: HTML, ...init.headers } })
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  const html = await response.text()
  return { status: response.status, html, title: /<title>(.*?)<\/title>/.exec(html)?.[1] ?? '' }
}

const attributeOf = (tag: string, name: string): string =>
  new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1]?.replaceAll('&amp;', '&') ?? ''

/** Sends the form of the page as a browser does, with the choice of that label. */
async function send(url: string, { html }: Page, label: string, comment: string): Promise<Page> {
  const [form = ''] = /<form [^>]*>/.exec(html) ?? []
  const [area = ''] = /<textarea [^>]*>/.exec(html) ?? []
  const choice = html.split('<label').find((part) => part.includes(`<span>${label}</span>`)) ?? ''
  const [radio = ''] = /<input type="radio"[^>]*>/.exec(choice) ?? []
  const fields = new URLSearchParams([
    [attributeOf(radio, 'name'), attributeOf(radio, 'value')],
    [attributeOf(area, 'name'), comment],
  ])
  return await open(String(new URL(attributeOf(form, 'action'), url)), {
    method: attributeOf(form, 'method').toUpperCase(),
    headers: { 'content-type': FORM_TYPE },
    body: String(fields),
  })
}

describeWebhooks('a journey of feedback', (api) => {
  it('an agent mails a link, the end user is discontent, a technician takes it over, and the end user is content', async () => {
    await useAddress()
    const server = await useMailServer()
    const { services } = (await testApp()).app
    const { msp, email, editor, technician } = await office(api)
    const receiver = await startReceiver()
    const wanted = { event_types: ['feedback.*'] }
    const endpoint = await subscribeTo(api, msp.admin, receiver, wanted)
    const read = async (operation: string, args: Arguments = {}, caller = msp.admin) => {
      const { data, error } = await api.call(caller, operation, args)
      if (error) throw new Error(`${operation}: ${JSON.stringify(error)}`)
      return data
    }
    const inboxOf = (caller: Caller, kind: string) => read('inbox', { kind: [kind] }, caller)

    // A mail with the link.
    const execution_id = await ask(api, msp)
    expect(server.mails).toMatchObject([
      { to: [email], headers: { subject: expect.stringContaining('T-4711') } },
    ])
    const [url = ''] = /https?:\S+/.exec(server.mails[0]?.text ?? '') ?? []
    expect(url.startsWith((await testApp()).base)).toBe(true)
    const [entry, ...others] = await read('feedback_entries', { execution_id })
    expect(others).toEqual([])
    const { id: feedback_id } = entry
    expect(url).toContain(`/feedback/${feedback_id}/form?`)
    const signature = new URL(url).searchParams.get('signature') ?? 'none'
    const messages = await read('comms_messages', { execution_id })
    expect(messages).toMatchObject([{ direction: 'OUTBOUND', medium: 'EMAIL', status: 'SENT' }])
    const message = await read('comms_message', { message_id: messages[0].id })
    expect(JSON.stringify([messages, message])).not.toContain(signature)

    // A scanner of mails opens it.
    for (const method of ['GET', 'HEAD', 'GET', 'HEAD'])
      expect((await open(url, { method })).status).toBe(200)
    const unanswered = { status: 'PENDING', rating: null, submitted_at: null, revision: entry.revision }
    expect(await read('feedback_entry', { feedback_id })).toMatchObject(unanswered)
    expect(await read('events', wanted)).toEqual([])

    // The end user answers.
    const form = await open(url)
    expect(form.title).toMatch(/^How did we do\?/)
    const thanks = await send(url, form, 'Bad', COMMENT)
    expect([thanks.status, thanks.title]).toEqual([200, expect.stringMatching(/^Thank you/)])
    expect(await read('feedback_entry', { feedback_id })).toMatchObject({
      status: 'SUBMITTED',
      rating: 'NEGATIVE',
      comment: COMMENT,
      agent_id: 1,
      ticket_number: 'T-4711',
      end_company_id: 'co1',
    })

    // The feed and a webhook have the event.
    const events = await read('events', wanted)
    const told = { feedback_id, rating: 'NEGATIVE', execution_id, ticket_id: '4711', end_company_id: 'co1' }
    expect(events).toMatchObject([{ type: 'feedback.submitted', data: told }])
    await sendWebhooks(msp)
    const [got, ...more] = receiver.got
    expect(more).toEqual([])
    expect(JSON.parse(got?.body ?? '')).toMatchObject({ type: 'feedback.submitted', data: told })
    expect(got && isSignedBy(endpoint.data.secret, got)).toBe(true)
    expect(JSON.stringify([events, got])).not.toContain(COMMENT)

    // An escalation tells the technician.
    await escalate(msp)
    await fillInboxes(msp)
    const [escalation, ...second] = await read('escalation_events')
    expect(second).toEqual([])
    expect(escalation).toMatchObject({
      trigger: 'NEGATIVE_FEEDBACK',
      status: 'OPEN',
      execution_id,
      entity_number: 'T-4711',
      notified: [{ step: 1, name: 'Grace', via: 'INBOX' }],
    })
    const { id: event_id } = escalation
    const asked = { subject: { type: 'ESCALATION', id: event_id }, action_required: true, state: 'UNREAD' }
    expect(await inboxOf(technician, 'ESCALATION')).toMatchObject([{ ...asked, resolved: false }])
    expect(await inboxOf(msp.user, 'ESCALATION')).toEqual([])
    const claimed = await read('acknowledge_escalation', { event_id }, technician)
    expect(claimed).toMatchObject({ status: 'ACKNOWLEDGED' })
    await fillInboxes(msp)
    expect(await inboxOf(technician, 'ESCALATION')).toMatchObject([{ ...asked, resolved: false }])
    await read('resolve_escalation', { event_id, input: { comment: 'Called back.' } }, technician)
    await fillInboxes(msp)
    expect(await inboxOf(technician, 'ESCALATION')).toMatchObject([{ resolved: true }])

    // The people who may change the agent are told.
    const item = {
      subject: { type: 'FEEDBACK', id: feedback_id },
      affected_agents: [{ id: 1 }],
      resolved: false,
    }
    for (const reader of [msp.user, editor, msp.admin, msp.owner])
      expect(await inboxOf(reader, 'FEEDBACK')).toMatchObject([item])
    for (const other of [technician, msp.viewer]) expect(await inboxOf(other, 'FEEDBACK')).toEqual([])

    // No work that is done again mails again.
    await enqueueFor(services, msp, SEND_MAIL, { message_id: message.id })
    await later(msp, 60)
    expect(server.mails).toHaveLength(1)

    // The figures of the company have the answer.
    const bad = { sent_count: 1, response_count: 1, negative: 1, csat_pct: 0, response_rate_pct: 100 }
    const summary = await read('feedback_summary', { group_by: 'COMPANY' })
    expect(summary).toMatchObject({ ...bad, groups: [{ key: 'co1', label: 'Company co1', ...bad }] })

    // Another answer replaces it.
    clock.advance(days(1) - 3_660_000)
    const again = await open(url)
    expect([again.title, again.html.includes(COMMENT)]).toEqual([
      expect.stringMatching(/^Change your answer/),
      false,
    ])
    expect((await send(url, again, 'Good', '')).title).toMatch(/^Thank you/)
    await escalate(msp)
    await fillInboxes(msp)
    for (const reader of [msp.user, editor])
      expect(await inboxOf(reader, 'FEEDBACK')).toMatchObject([{ ...item, resolved: true }])
    expect(await read('escalation_events')).toMatchObject([{ id: event_id, status: 'RESOLVED' }])
    expect(await read('feedback_summary')).toMatchObject({ positive: 1, negative: 0, csat_pct: 100 })
    await sendWebhooks(msp)
    expect(receiver.got).toHaveLength(2)

    // After a day the answer stays.
    clock.advance(60_000)
    expect((await open(url)).html).toContain('Your answer can no longer be changed')
    expect((await send(url, again, 'Bad', '')).status).toBe(409)

    // The link is taken back.
    await read('revoke_feedback', { feedback_id })
    const gone = await open(url)
    expect([gone.status, gone.title]).toEqual([404, 'This link is no longer in use'])
    expect(await read('feedback_entry', { feedback_id })).toMatchObject({
      status: 'REVOKED',
      rating: 'POSITIVE',
    })
    expect(await read('activity_log', { target_type: 'feedback', target_id: feedback_id })).toMatchObject([
      { action: 'feedback.revoked', actor: { type: 'USER', id: msp.admin.id } },
      { action: 'feedback.submitted', actor: { type: 'FEEDBACK_LINK', id: feedback_id, name: 'Ada Byron' } },
      { action: 'feedback.submitted', actor: { type: 'FEEDBACK_LINK', id: feedback_id } },
      { action: 'feedback.link_created', actor: { type: 'SYSTEM' } },
    ])
    expect(server.mails).toHaveLength(1)
  })
})
