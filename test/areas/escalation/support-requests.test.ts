/** Support requests: from a tenant to the operator of the service. */
import { expect, it } from 'vitest'
import { MAIL_SUPPORT_REQUEST } from '../../../src/areas/escalation/declared.ts'
import { addAgents, addExecutions, share } from '../../setup/agents.ts'
import { type Answer, type Api, describeApi, outcome } from '../../setup/api.ts'
import { performDue } from '../../setup/connected.ts'
import { enqueueFor } from '../../setup/escalation-mails.ts'
import type { TakenMail } from '../../setup/smtp.ts'
import { describeSupport, SUPPORT_EMAIL } from '../../setup/support.ts'
import { tenantCommand } from '../../setup/tenant-command.ts'
import { type Caller, type Msp, world } from '../../setup/world.ts'

const DRAFT = { summary: 'The agent stops', details: 'It stops at each ticket.\nWe expected an answer.' }

const ask = (api: Api, caller: Caller, input: object = {}, headers = {}): Promise<Answer> =>
  api.call(caller, 'create_support_request', { input: { ...DRAFT, ...input } }, headers)

const rowsOf = ({ database, tenant_id }: Msp) =>
  database.prisma.supportRequest.findMany({ where: { tenant_id }, orderBy: { created_at: 'asc' } })

/** The mails of the request. Other tests have theirs on the same server. */
const mailsOf = ({ mails }: { mails: TakenMail[] }, reference: string) =>
  mails.filter(({ headers }) => headers.subject?.includes(reference))

describeSupport('a support request', (place) => {
  it('is answered with its reference, listed, and mailed to the operator', async () => {
    const msp = await world()
    const { data, error, headers } = await ask(place.api, msp.owner)
    expect(error).toBeNull()
    expect(data).toEqual({
      id: expect.stringMatching(/^sup_\w{22}$/),
      reference: expect.stringMatching(/^SR-[2-9A-HJKMNP-TV-Z]{8}$/),
      summary: DRAFT.summary,
      execution_id: null,
      conversation_id: null,
      status: 'OPEN',
      created_at: expect.any(String),
      created_by_name: 'Owner',
    })
    expect((await place.api.call(msp.viewer, 'support_requests')).data).toEqual([data])
    await performDue(place.services, msp)
    const mails = mailsOf(place.server, data.reference)
    expect(mails).toHaveLength(1)
    expect(mails[0]).toMatchObject({
      to: [SUPPORT_EMAIL],
      headers: {
        subject: `${data.reference} Test MSP: ${DRAFT.summary}`,
        'message-id': `<${data.id}@mail.example>`,
      },
    })
    expect(mails[0]?.text).toContain(DRAFT.details)
    expect(mails[0]?.text).toContain(`Tenant: Test MSP (${msp.tenant_id}, test)`)
    expect(mails[0]?.text).toContain('From: Owner')
    expect(mails[0]?.text).toContain(`Request of the API: ${headers.get('x-request-id')}`)
    expect(await rowsOf(msp)).toMatchObject([{ began_at: expect.any(Date), sent_at: expect.any(Date) }])
  })

  it('tells the operator of the execution, with its agent and its error', async () => {
    const msp = await world()
    const id = Number(`${Date.now()}`.slice(-8))
    await addAgents(msp, [{ id, name: 'Triage' }])
    const execution_id = `exe_support_${msp.tenant_id}`
    const failed = {
      status: 'FAILED',
      failure_kind: 'PLATFORM',
      error: 'It broke: Bearer abcdefgh12345',
    } as const
    await addExecutions(msp, [{ execution_id, agent_id: id, ...failed }])
    const conversation_id = 'conversation 7'
    const { data } = await ask(place.api, msp.owner, { execution_id, conversation_id })
    expect(data).toMatchObject({ execution_id, conversation_id })
    await performDue(place.services, msp)
    const [mail] = mailsOf(place.server, data.reference)
    expect(mail?.text).toContain(`Execution: ${execution_id} (FAILED)`)
    expect(mail?.text).toContain(`Agent: Triage (${id})`)
    expect(mail?.text).toContain('Error: PLATFORM: It broke: [removed]')
    expect(mail?.text).toContain('Conversation: conversation 7')
  })

  it('names an execution of its tenant', async () => {
    const [msp, other] = [await world(), await world()]
    const id = Number(`${Date.now()}`.slice(-8)) + 1
    const execution_id = `exe_other_${msp.tenant_id}`
    await addAgents(msp, [{ id }])
    await addExecutions(msp, [{ execution_id, agent_id: id }])
    for (const [caller, named] of [
      [msp.owner, 'exe_nobody'],
      [other.owner, execution_id],
    ] as const) {
      const { status, error } = await ask(place.api, caller, { execution_id: named })
      expect([status, error?.code]).toEqual([422, 'request_validation_failed'])
      expect(error?.details.field_errors).toMatchObject([{ field: 'execution_id', code: 'unknown' }])
    }
    expect(await rowsOf(msp)).toEqual([])
  })

  it('about an execution is seen by whoever sees its agent', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }])
    await addExecutions(msp, [{ execution_id: 'exe_hidden', agent_id: 1 }])
    const { data } = await ask(place.api, msp.owner, { execution_id: 'exe_hidden' })
    const read = (caller: Caller) =>
      place.api.call(caller, 'support_request', { support_request_id: data.id })
    expect((await place.api.call(msp.user, 'support_requests')).data).toEqual([])
    expect(outcome(await read(msp.user))).toEqual([404, 'support_request_not_found'])
    await share(msp, 1, msp.user.id)
    expect((await place.api.call(msp.user, 'support_requests')).data).toEqual([data])
    expect((await read(msp.user)).data).toEqual(data)
  })

  it('is found by its reference, its summary and its time', async () => {
    const msp = await world()
    const { data } = await ask(place.api, msp.owner)
    const found = async (args: object) =>
      (await place.api.call(msp.owner, 'support_requests', args as never)).data.length
    expect(await found({ search: data.reference.toLowerCase() })).toBe(1)
    expect(await found({ search: 'AGENT stops' })).toBe(1)
    expect(await found({ search: 'printer' })).toBe(0)
    expect(await found({ from: data.created_at })).toBe(1)
    expect(await found({ to: data.created_at })).toBe(0)
  })

  it('keeps no secret', async () => {
    const msp = await world()
    const token = 'Bearer abcdefgh12345'
    const { data } = await ask(place.api, msp.owner, { summary: `I sent ${token}`, details: `Why? ${token}` })
    expect(data.summary).toBe('I sent [removed]')
    expect(await rowsOf(msp)).toMatchObject([{ summary: 'I sent [removed]', details: 'Why? [removed]' }])
    await performDue(place.services, msp)
    expect(JSON.stringify(mailsOf(place.server, data.reference))).not.toContain('abcdefgh12345')
  })

  it('is recorded without its details', async () => {
    const msp = await world()
    const { data } = await ask(place.api, msp.owner)
    const { activityEntry } = msp.database.prisma
    const [entry] = await activityEntry.findMany({ where: { tenant_id: msp.tenant_id } })
    expect(entry).toMatchObject({
      action: 'support_request.created',
      targets: [{ type: 'support_request', id: data.id, name: data.reference }],
      after: { summary: DRAFT.summary },
    })
    expect(JSON.stringify(entry)).not.toContain('We expected')
  })

  it('is made once by repeated calls with the same Idempotency-Key, and mailed once', async () => {
    const msp = await world()
    const headers = { 'idempotency-key': `support-${msp.tenant_id}` }
    const first = await ask(place.api, msp.owner, {}, headers)
    const again = await ask(place.api, msp.owner, {}, headers)
    expect(again.data).toEqual(first.data)
    await performDue(place.services, msp)
    expect(mailsOf(place.server, first.data.reference)).toHaveLength(1)
    expect(await rowsOf(msp)).toHaveLength(1)
  })

  it('needs the scope, and belongs to its tenant', async () => {
    const [msp, other] = [await world(), await world()]
    const reader = await msp.newKey({ scopes: ['escalation:read'] })
    expect((await ask(place.api, reader)).status).toBe(403)
    const writer = await msp.newKey({ scopes: ['escalation:write'] })
    expect((await ask(place.api, writer)).error).toBeNull()
    expect((await place.api.call(reader, 'support_requests')).data).toHaveLength(1)
    expect((await place.api.call(other.owner, 'support_requests')).data).toEqual([])
  })

  it('is closed by the operator, and opened again', async () => {
    const msp = await world()
    const [{ data: first }, { data: second }] = [
      await ask(place.api, msp.owner),
      await ask(place.api, msp.owner),
    ]
    const listed = async (status: string) =>
      (await place.api.call(msp.owner, 'support_requests', { status: [status] })).data.map(
        ({ id }: { id: string }) => id,
      )
    const close = (...more: string[]) =>
      tenantCommand('close-support-request', '--reference', first.reference, ...more)
    const closed = { tenant_id: msp.tenant_id, reference: first.reference, status: 'CLOSED' }
    expect(await close()).toMatchObject({ ...closed, changed: true })
    expect(await close('--reopen', 'no')).toMatchObject({ ...closed, changed: false })
    expect([await listed('OPEN'), await listed('CLOSED')]).toEqual([[second.id], [first.id]])
    expect(await close('--reopen', 'yes')).toMatchObject({ status: 'OPEN', changed: true })
    expect(await listed('OPEN')).toEqual([second.id, first.id])
    const { activityEntry } = msp.database.prisma
    const by_operator = { tenant_id: msp.tenant_id, actor_name: 'Operator' }
    const entries = await activityEntry.findMany({ where: by_operator, orderBy: { occurred_at: 'asc' } })
    expect(entries.map(({ action }) => action)).toEqual([
      'support_request.closed',
      'support_request.reopened',
    ])
    await expect(tenantCommand('close-support-request', '--reference', 'SR-22222222')).rejects.toThrow(
      'There is no support request SR-22222222',
    )
  })
})

describeSupport('the mail of a support request', (place) => {
  it('is tried again until the server takes it', async () => {
    const msp = await world()
    place.server.behaves({ refuses: { at: 'RCPT', status: 550 } })
    const { data } = await ask(place.api, msp.owner)
    await expect(performDue(place.services, msp)).rejects.toThrow('The mail server refuses SUPPORT_EMAIL')
    place.server.behaves({ refuses: { at: 'DATA', status: 451 } })
    await again(msp, data.id)
    await expect(performDue(place.services, msp)).rejects.toThrow('The mail server answered 451 to DATA')
    expect(await rowsOf(msp)).toMatchObject([{ began_at: null, sent_at: null }])
    place.server.behaves({})
    await again(msp, data.id)
    await performDue(place.services, msp)
    expect(mailsOf(place.server, data.reference)).toHaveLength(1)
  })

  it('waits for a server that is configured', async () => {
    const msp = await world()
    const { data } = await ask(place.api, msp.owner)
    const without = { ...place.services, mail: null }
    await expect(performDue(without, msp)).rejects.toThrow('SMTP_URL and SUPPORT_EMAIL are not set')
    await again(msp, data.id)
    await performDue(place.services, msp)
    expect(mailsOf(place.server, data.reference)).toHaveLength(1)
  })

  it('is never sent again if the operator may have it', async () => {
    const msp = await world()
    place.server.behaves({ breaks_off: true })
    const { data } = await ask(place.api, msp.owner)
    await performDue(place.services, msp)
    const [row] = await rowsOf(msp)
    expect(row?.sent_at).toEqual(row?.began_at)
    await again(msp, data.id)
    await performDue(place.services, msp)
    expect(mailsOf(place.server, data.reference)).toHaveLength(1)
  })

  it('is never sent again if a worker was lost once it had begun', async () => {
    const msp = await world()
    const { data } = await ask(place.api, msp.owner)
    const began_at = new Date('2026-11-27T09:00:00Z')
    await msp.database.prisma.supportRequest.updateMany({ where: { id: data.id }, data: { began_at } })
    await performDue(place.services, msp)
    expect(mailsOf(place.server, data.reference)).toEqual([])
    expect(await rowsOf(msp)).toMatchObject([{ began_at, sent_at: began_at }])
  })

  /** Enqueues the mail once more, as after a lost attempt. */
  const again = (msp: Msp, support_request_id: string) =>
    enqueueFor(place.services, msp, MAIL_SUPPORT_REQUEST, { support_request_id })
})

describeApi('a support request without a mail server', (api) => {
  it('is refused', async () => {
    const msp = await world()
    expect(outcome(await ask(api, msp.owner))).toEqual([409, 'support_not_configured'])
    expect(await rowsOf(msp)).toEqual([])
  })
})
