/** The journey of an inbox: one item for many failures, a claim that settles the items of the others, and the mails of an agent. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { Psa } from '../../src/connectors/psa.ts'
import { ApiError } from '../../src/errors/errors.ts'
import { installQueues } from '../areas/agents/runnable.ts'
import { agenticMsp, turns } from '../areas/executions/run/agentic.ts'
import { chainMsp, NOTE, start, withPsa } from '../areas/executions/run/chain.ts'
import { decisions, openRequest, SUPERVISED, supervisedMsp } from '../areas/til-requests/supervised.ts'
import { PLAYED, WRONG } from '../setup/adapters.ts'
import { addExecutions } from '../setup/agents.ts'
import { type Api, apisAt, describeApi } from '../setup/api.ts'
import { clock, type Running, startApp, testApp } from '../setup/app.ts'
import { performDue } from '../setup/connected.ts'
import { testDatabase } from '../setup/database.ts'
import { useMailServer } from '../setup/escalation-mails.ts'
import { fillInboxes } from '../setup/inboxes.ts'
import { playModel } from '../setup/model.ts'
import { psaOfTenant } from '../setup/psa.ts'
import { performRuns } from '../setup/runs.ts'
import { type Stream, subscribe } from '../setup/streams.ts'
import { addTechnicians } from '../setup/technicians.ts'
import { until } from '../setup/until.ts'
import type { Msp } from '../setup/world.ts'

/** A process of the service whose systems are played. */
let played: Running

beforeAll(async () => {
  await installQueues()
  played = await startApp(await testDatabase(), {}, undefined, { adapters: PLAYED })
})
afterAll(() => played.app.close(0))
afterEach(() => clock.reset())

const HALO = 'halo-psa'
const away = () => Promise.reject(new ApiError('upstream_unavailable', { details: { upstream: 'PSA' } }))

/** Connects the PSA with the secret, and tries the connection. */
async function tryPsa(api: Api, msp: Msp, client_secret: string): Promise<boolean> {
  const input = { halo_psa: { site: 'https://acme.halo.example', client_id: 'c', client_secret } }
  expect((await api.call(msp.owner, 'connect_integration', { name: HALO, input })).error).toBeNull()
  return (await api.call(msp.owner, 'test_integration', { name: HALO })).data.ok
}

const FAILURE = 'integration_unavailable: The system could not be reached, or did not answer in time.'

/** So many executions of agent 1 fail. */
async function failAlso(msp: Msp, count: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, index) => `exe_${index}`)
  await addExecutions(
    msp,
    ids.map((execution_id) => ({ execution_id, agent_id: 1, status: 'RUNNING' })),
  )
  await msp.database.prisma.execution.updateMany({
    where: { tenant_id: msp.tenant_id, execution_id: { in: ids } },
    data: { status: 'FAILED', failure_kind: 'INTEGRATION', error: FAILURE },
  })
}

const TITLE = 'executions fail (integration_unavailable)'
/** The item of the last update. */
const lastOf = (stream: Stream) => stream.updates().at(-1)?.item

const UPDATES = 'subscription { inbox_updates { item { id occurrence_count resolved } } }'

describeApi('a journey of an inbox', (api) => {
  it('500 executions fail for one cause: one item counts them, is mailed once, and ends with the outage', async () => {
    const [msp, server] = [await chainMsp([NOTE]), await useMailServer()]
    const input = { mail_kinds: ['EXECUTION_FAILED'], quiet_kinds: ['INTEGRATION_HEALTH'] }
    expect((await api.call(msp.admin, 'update_inbox_preferences', { input })).data).toMatchObject(input)
    const stream = await subscribe(msp.admin, UPDATES)
    const execution_id = await start(api, msp)
    await performRuns(msp, { services: await withPsa((_psa: Psa) => ({ addNote: away })) })
    const failed = await api.call(msp.admin, 'execution', { execution_id })
    expect(failed.data).toMatchObject({ status: 'FAILED', error_code: 'integration_unavailable' })
    await fillInboxes(msp)
    await stream.reaches(1)
    await failAlso(msp, 499)
    await fillInboxes(msp)

    const { data } = await api.call(msp.admin, 'inbox')
    expect(data).toMatchObject([
      {
        kind: 'EXECUTION_FAILED',
        state: 'UNREAD',
        title: expect.stringContaining(TITLE),
        occurrence_count: 500,
        affected_agents: [{ id: 1 }],
        resolved: false,
        last_mailed_at: expect.any(String),
      },
    ])
    const [{ id: item_id }] = data
    expect((await api.call(msp.admin, 'inbox_counts')).data).toEqual({
      unread: 1,
      action_required: 0,
      by_kind: [{ kind: 'EXECUTION_FAILED', unread: 1 }],
    })
    expect(server.mails.map(({ headers }) => headers.subject)).toEqual([expect.stringContaining(TITLE)])
    await until(() => lastOf(stream)?.occurrence_count === 500)
    const read = await api.call(msp.admin, 'mark_inbox_item_read', { item_id })
    expect(read.data).toMatchObject({ state: 'READ', read_at: expect.any(String) })

    const on_played = apisAt(async () => played.base).find(({ name }) => name === api.name) as Api
    expect(await tryPsa(on_played, msp, WRONG)).toBe(false)
    await fillInboxes(msp)
    expect((await api.call(msp.admin, 'inbox_item', { item_id })).data.resolved).toBe(false)
    expect(await tryPsa(on_played, msp, 'right')).toBe(true)
    await fillInboxes(msp)
    expect((await api.call(msp.admin, 'inbox_item', { item_id })).data).toMatchObject({
      resolved: true,
      state: 'READ',
      occurrence_count: 500,
    })
    await until(() => lastOf(stream)?.resolved === true)
    expect(lastOf(stream)?.id).toBe(item_id)
    expect(server.mails).toHaveLength(1)
  })

  it('a step of an escalation makes items, and a claim settles those of the others', async () => {
    const msp = await agenticMsp()
    const { tenant_id, database } = msp
    await addTechnicians(msp, [
      { id: 1, name: 'Ada' },
      { id: 2, name: 'Bo' },
    ])
    for (const [id, technician_profile_id] of [
      [msp.user.id, 1],
      [msp.viewer.id, 2],
    ] as const)
      await database.prisma.tenantUser.updateMany({
        where: { tenant_id, id },
        data: { technician_profile_id },
      })
    const step = { target_type: 'TECHNICIANS', target_ids: ['1', '2'], notify_via: ['INBOX'] }
    const input = { name: 'Hand over', triggers: ['AGENT_GAVE_UP'], steps: [step] }
    expect((await api.call(msp.admin, 'create_escalation_policy', { input })).error).toBeNull()
    await playModel(
      turns({ calls: [{ tool: 'escalation.raise', args: { reason: 'It needs a new contract.' } }] }),
    )
    await start(api, msp)
    await performRuns(msp)
    await performDue((await testApp()).app.services, msp)
    await fillInboxes(msp)

    const itemsOf = async (caller: Msp['user']) => (await api.call(caller, 'inbox')).data
    const told = { kind: 'ESCALATION', action_required: true, resolved: false, state: 'UNREAD' }
    expect([await itemsOf(msp.user), await itemsOf(msp.viewer)]).toMatchObject([[told], [told]])
    expect(await itemsOf(msp.owner)).toEqual([])
    const [{ subject, title }] = await itemsOf(msp.user)
    expect(title).toBe('An agent cannot go on (ticket T-4711)')
    const event_id = subject.id
    await api.call(msp.user, 'acknowledge_escalation', { event_id })
    await fillInboxes(msp)
    expect([await itemsOf(msp.user), await itemsOf(msp.viewer)]).toMatchObject([[told], [{ resolved: true }]])
    await api.call(msp.user, 'resolve_escalation', { event_id })
    await fillInboxes(msp)
    expect(await itemsOf(msp.user)).toMatchObject([{ resolved: true }])
  })

  it('a mail of an agent waits for approval and is refused; another one goes out once', async () => {
    const mail = {
      type: 'message.send',
      params: { contact_id: 'c1', subject: 'Your printer', body: 'It works.' },
    }
    const msp = await supervisedMsp([mail])
    const { approve, reject } = decisions(api)
    const begin = async () => {
      const execution_id = await start(api, msp, '4711', SUPERVISED)
      await performRuns(msp)
      await approve(msp.admin, (await openRequest(api, msp, execution_id)).id)
      await performRuns(msp)
      return { execution_id, request: await openRequest(api, msp, execution_id) }
    }
    const messagesOf = async (execution_id: string) =>
      (await api.call(msp.admin, 'comms_messages', { execution_id })).data
    const first = await begin()
    const waiting = { medium: 'EMAIL', status: 'PENDING_APPROVAL', subject: 'Your printer' }
    expect(await messagesOf(first.execution_id)).toMatchObject([
      { ...waiting, til_request_id: first.request.id },
    ])
    await fillInboxes(msp)
    const asked = (await api.call(msp.admin, 'inbox', { kind: ['TIL_REQUEST'] })).data
    expect(asked[0]).toMatchObject({
      subject: { type: 'TIL_REQUEST', id: first.request.id },
      resolved: false,
    })
    await reject(msp.admin, first.request.id)
    await performRuns(msp)
    expect(await messagesOf(first.execution_id)).toMatchObject([{ status: 'REJECTED', error: 'rejected' }])
    expect(await psaOfTenant(msp).notesOf('4711')).toEqual([])
    await fillInboxes(msp)
    expect((await api.call(msp.admin, 'inbox_item', { item_id: asked[0].id })).data.resolved).toBe(true)

    const second = await begin()
    await approve(msp.admin, second.request.id)
    await performRuns(msp)
    expect(await messagesOf(second.execution_id)).toMatchObject([
      { status: 'SENT', sent_at: expect.any(String) },
    ])
    expect(await psaOfTenant(msp).notesOf('4711')).toHaveLength(1)
  })
})
