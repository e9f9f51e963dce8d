import { beforeAll, expect, it } from 'vitest'
import { addAgents } from '../../setup/agents.ts'
import { describeApi } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { counted, times } from '../../setup/at-once.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { addCallbacks } from '../../setup/callbacks.ts'
import { processCallbacksOf, waitingCallbacks } from '../../setup/due.ts'
import { addPsaTickets } from '../../setup/psa.ts'
import { world } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'
import { changeTicket, happen, lastCallback } from './events.ts'

beforeAll(installQueues)

const LONG_AGO = new Date(Date.now() - 86_400_000)

const AGENT = {
  id: 1,
  autonomy_type: 'CHAINED_ACTIONS',
  callback_settings: { change_types: ['TICKET_STATUS_CHANGED'] },
} as const

describeApi('reprocessing a callback', (api) => {
  const reprocess = (caller: { id: string; token: string }, callback_id: string) =>
    api.call(caller, 'reprocess_callback', { callback_id })

  it('queues it with the changes that it had, and starts the agents that select them now', async () => {
    const msp = await world()
    await addPsaTickets(msp, [{ ticket_id: '1', created_at: LONG_AGO, updated_at: LONG_AGO }])
    await happen(msp, [{ event_id: 'before' }])
    await changeTicket(msp, { status: 'In progress' })
    const filtered = await happen(msp, [{ event_id: 'e1' }])
    expect(filtered).toMatchObject({ filter_reason: 'CHANGE_TYPE_UNUSED' })
    await addAgents(msp, [AGENT])
    const answer = await reprocess(msp.key, filtered.id)
    expect([answer.status, answer.data]).toMatchObject([
      200,
      { id: filtered.id, status: 'QUEUED', filter_reason: null, change_types: ['TICKET_STATUS_CHANGED'] },
    ])
    await processCallbacksOf(msp)
    expect(await lastCallback(msp)).toMatchObject({
      status: 'PROCESSED',
      change_types: ['TICKET_STATUS_CHANGED'],
      matches: [{ result: 'MATCHED' }],
    })
    expect((await activitiesOf(msp)).map(({ action }) => action)).toContain('callback.reprocessed')
  })

  it('starts no agent a second time that it has started', async () => {
    const msp = await world()
    await addPsaTickets(msp, [{ ticket_id: '1', created_at: LONG_AGO, updated_at: LONG_AGO }])
    await addAgents(msp, [AGENT])
    await happen(msp, [{ event_id: 'before' }])
    await changeTicket(msp, { status: 'In progress' })
    const { id, matches } = await happen(msp, [{ event_id: 'e1' }])
    const { callback, execution } = msp.database.prisma
    const where = { tenant_id: msp.tenant_id }
    await callback.updateMany({ where: { ...where, id }, data: { status: 'FAILED' } })
    await execution.updateMany({ where, data: { status: 'COMPLETED' } })
    expect((await reprocess(msp.admin, id)).status).toBe(200)
    await processCallbacksOf(msp)
    expect([await execution.count({ where }), (await lastCallback(msp)).matches]).toEqual([1, matches])
  })

  it('is refused in every other status, and after 7 days', async () => {
    const msp = await world()
    const statuses = ['RECEIVED', 'QUEUED', 'PROCESSING', 'PROCESSED'] as const
    const received_at = new Date(clock.now().getTime() - 7 * 86_400_000 - 1000)
    await addCallbacks(msp, [
      ...statuses.map((status) => ({ id: status, status })),
      { id: 'FAILED', status: 'FAILED', received_at },
    ])
    for (const id of [...statuses, 'FAILED']) {
      const { status, error } = await reprocess(msp.key, id)
      expect([status, error]).toMatchObject([
        409,
        { code: 'callback_not_reprocessable', details: { id, current_status: id } },
      ])
    }
    expect((await reprocess(msp.key, 'nothing')).error?.code).toBe('callback_not_found')
    expect((await reprocess(msp.user, 'FAILED')).error?.code).toBe('forbidden')
    expect(await waitingCallbacks(msp)).toEqual([])
  })

  it('happens once, however many ask at once', async () => {
    const msp = await world()
    await addCallbacks(msp, [{ id: 'x', status: 'FAILED', error: 'INTEGRATION: …' }])
    const answers = await times(() => reprocess(msp.key, 'x'), 8)
    expect(counted(answers)).toEqual({ '200': 1, callback_not_reprocessable: 7 })
    expect(await waitingCallbacks(msp)).toHaveLength(1)
  })
})
