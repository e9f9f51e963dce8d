import { describe, expect, it } from 'vitest'
import { addAgents, share } from '../setup/agents.ts'
import { apis, describeApi } from '../setup/api.ts'
import { clock } from '../setup/app.ts'
import { counted, TIMES, times } from '../setup/at-once.ts'
import { activitiesOf } from '../setup/audit-log.ts'
import { addPsaTickets } from '../setup/psa.ts'
import { addScheduledWork } from '../setup/scheduled-work.ts'
import { days, type Msp, world } from '../setup/world.ts'

const inHours = (hours: number): string => new Date(clock.now().getTime() + hours * 3_600_000).toISOString()

/** A tenant with a TRIGGERED agent of everybody, and a ticket. */
async function queueable(): Promise<Msp> {
  const msp = await world()
  await addAgents(msp, [
    { id: 1, name: 'Triage' },
    { id: 2, trigger_type: 'ON_DEMAND' },
    { id: 3, state: 'PAUSED' },
    { id: 4, created_by_user_id: msp.user.id },
    { id: 5, entity_type: 'TIME_ENTRY' },
  ])
  await addPsaTickets(msp, [{ ticket_id: '4711', number: 'T-4711' }])
  return msp
}

const draft = (changes: object = {}) => ({
  input: { workflow_id: 1, ticket_id: '4711', scheduled_for: inHours(24), ...changes },
})

describeApi('scheduled work', (api) => {
  it('is queued for a time, with every field of the contract', async () => {
    const msp = await queueable()
    const scheduled_for = inHours(24)
    const { status, data, headers } = await api.call(
      msp.admin,
      'create_scheduled_work',
      draft({ scheduled_for, additional_custom_instructions: '  Keep it short.  ' }),
    )
    expect([status, data]).toEqual([
      200,
      {
        id: expect.any(Number),
        status: 'PENDING',
        scheduled_for,
        executed_at: null,
        created_at: expect.any(String),
        updated_at: expect.any(String),
        created_by: 'Admin',
        client_id: msp.tenant_id,
        ticket_id: '4711',
        ticket_number: 'T-4711',
        workflow_id: 1,
        workflow_name: 'Triage',
        additional_custom_instructions: 'Keep it short.',
        execution_message: null,
        execution_temporal_run_id: null,
        execution_id: null,
        attempt: 0,
        cancel_reason: null,
        revision: 1,
      },
    ])
    if (api.name === 'rest') expect(headers.get('location')).toBe(`/public-api/scheduled-work/${data.id}`)
    const read = await api.call(msp.key, 'scheduled_work_entry', { entry_id: data.id })
    expect(read.data).toEqual(data)
    expect(await activitiesOf(msp)).toMatchObject([
      {
        action: 'scheduled_work.created',
        targets: [{ type: 'scheduled_work', id: String(data.id), name: 'T-4711' }],
      },
    ])
  })

  it('has numbered pages, or a cursor in place of the number', async () => {
    const msp = await queueable()
    await addScheduledWork(
      msp,
      Array.from({ length: 5 }, (_, n) => ({
        workflow_id: 1,
        ticket_number: `T-${n}`,
        scheduled_for: new Date(clock.now().getTime() + days(n + 1)),
      })),
    )
    const numbersOn = async (args: object) => {
      const { data, pagination } = await api.call(msp.key, 'scheduled_work', { page_size: 2, ...args })
      return { numbers: data.map((one: { ticket_number: string }) => one.ticket_number), pagination }
    }
    const first = await numbersOn({})
    expect([first.numbers, (await numbersOn({ page: 1 })).numbers]).toEqual([
      ['T-4', 'T-3'],
      ['T-4', 'T-3'],
    ])
    expect((await numbersOn({ page: 2 })).numbers).toEqual(['T-2', 'T-1'])
    const last = await numbersOn({ page: 3 })
    expect([last.numbers, last.pagination]).toEqual([['T-0'], { next_cursor: null, has_more: false }])
    expect((await numbersOn({ page: 4 })).numbers).toEqual([])
    const cursor = first.pagination?.next_cursor
    expect((await numbersOn({ cursor })).numbers).toEqual(['T-2', 'T-1'])
    expect((await numbersOn({ sort: 'scheduled_for' })).numbers).toEqual(['T-0', 'T-1'])
    const both = await api.call(msp.key, 'scheduled_work', { page: 2, cursor })
    expect([both.status, both.error?.details.field_errors?.map(({ field }) => field)]).toEqual([
      422,
      ['page'],
    ])
    for (const page of [0, -1]) {
      expect((await api.call(msp.key, 'scheduled_work', { page })).status).toBe(422)
    }
  })

  it('is found by its status, its ticket, and a part of the ticket’s id or number', async () => {
    const msp = await queueable()
    await addScheduledWork(msp, [
      { workflow_id: 1, ticket_id: '4711', ticket_number: 'T-1', status: 'COMPLETED' },
      { workflow_id: 1, ticket_id: '47110', ticket_number: 'T-2', status: 'PENDING' },
      { workflow_id: 1, ticket_id: '12', ticket_number: 'X4711', status: 'CANCELLED' },
    ])
    const found = async (args: Record<string, string>) => {
      const { data } = await api.call(msp.key, 'scheduled_work', args)
      return data.map((one: { ticket_id: string }) => one.ticket_id).sort()
    }
    expect(await found({ status: 'PENDING' })).toEqual(['47110'])
    expect(await found({ ticket_id: '4711' })).toEqual(['4711'])
    expect(await found({ search: '4711' })).toEqual(['12', '4711', '47110'])
    expect(await found({ search: 't-' })).toEqual(['4711', '47110'])
    expect(await found({ search: 't-', status: 'CANCELLED' })).toEqual([])
  })

  it.each([
    [{ workflow_id: 2 }, 409, 'agent_not_triggered'],
    [{ workflow_id: 3 }, 409, 'agent_not_active'],
    [{ workflow_id: 5 }, 422, 'request_validation_failed'],
    [{ workflow_id: 99 }, 404, 'agent_not_found'],
    [{ ticket_id: 'gone' }, 422, 'request_validation_failed'],
    [{ ticket_id: 'a\u0000b' }, 422, 'request_validation_failed'],
    [{ scheduled_for: '2020-01-01T00:00:00Z' }, 422, 'request_validation_failed'],
    [{ scheduled_for: '2100-01-01T00:00:00Z' }, 422, 'request_validation_failed'],
    [{ additional_custom_instructions: 'x'.repeat(4001) }, 422, 'request_validation_failed'],
  ])('refuses %j, and stores nothing', async (changes, status, code) => {
    const msp = await queueable()
    const answer = await api.call(msp.admin, 'create_scheduled_work', draft(changes))
    expect([answer.status, answer.error?.code]).toEqual([status, code])
    expect(await msp.database.prisma.scheduledWork.count({ where: { tenant_id: msp.tenant_id } })).toBe(0)
    expect(await activitiesOf(msp)).toEqual([])
  })

  it('is queued once for an agent, a ticket and a minute', async () => {
    const msp = await queueable()
    const minute = new Date(Math.ceil(clock.now().getTime() / 60_000) * 60_000 + days(1)).getTime()
    const at = (ms: number) => draft({ scheduled_for: new Date(minute + ms).toISOString() })
    const { data } = await api.call(msp.key, 'create_scheduled_work', at(0))
    const again = await api.call(msp.key, 'create_scheduled_work', at(59_999))
    expect([again.status, again.error?.code, again.error?.details]).toMatchObject([
      409,
      'scheduled_work_duplicate',
      { current_status: 'PENDING', entry_id: data.id },
    ])
    const later = await api.call(msp.key, 'create_scheduled_work', at(60_000))
    expect(later.status).toBe(200)
    const moved = await api.call(msp.key, 'reschedule_work', {
      entry_id: later.data.id,
      input: { scheduled_for: new Date(minute + 1).toISOString() },
    })
    expect(moved.error?.code).toBe('scheduled_work_duplicate')
    await api.call(msp.key, 'cancel_scheduled_work', { entry_id: data.id })
    expect((await api.call(msp.key, 'create_scheduled_work', at(1))).status).toBe(200)
  })

  it('is rescheduled while it is pending, and stays as it is if nothing changes', async () => {
    const msp = await queueable()
    const { data } = await api.call(msp.key, 'create_scheduled_work', draft())
    const entry_id = data.id
    const same = await api.call(msp.key, 'reschedule_work', {
      entry_id,
      input: { scheduled_for: data.scheduled_for, additional_custom_instructions: null },
    })
    expect([same.status, same.data]).toEqual([200, data])
    const scheduled_for = inHours(48)
    const moved = await api.call(
      msp.key,
      'reschedule_work',
      { entry_id, input: { scheduled_for, additional_custom_instructions: 'Now' } },
      { 'if-match': '"1"' },
    )
    expect(moved.data).toMatchObject({ scheduled_for, additional_custom_instructions: 'Now', revision: 2 })
    const stale = await api.call(
      msp.key,
      'reschedule_work',
      { entry_id, input: { additional_custom_instructions: 'Later' } },
      { 'if-match': '"1"' },
    )
    expect(stale.error?.code).toBe('version_conflict')
    const early = await api.call(msp.key, 'reschedule_work', {
      entry_id,
      input: { scheduled_for: clock.now().toISOString() },
    })
    expect([early.status, early.error?.details.field_errors?.map(({ field }) => field)]).toEqual([
      422,
      ['scheduled_for'],
    ])
    expect((await activitiesOf(msp)).map(({ action }) => action)).toEqual([
      'scheduled_work.created',
      'scheduled_work.rescheduled',
    ])
  })

  it('is cancelled once, with its reason; what has started is neither cancelled nor changed', async () => {
    const msp = await queueable()
    const statuses = ['PROCESSING', 'COMPLETED', 'FAILED', 'CANCELLED'] as const
    await addScheduledWork(
      msp,
      statuses.map((status, index) => ({
        id: index + 1,
        workflow_id: 1,
        status,
        execution_id: `exe_${index}`,
      })),
    )
    const { data } = await api.call(msp.key, 'create_scheduled_work', draft())
    const cancelled = await api.call(msp.key, 'cancel_scheduled_work', {
      entry_id: data.id,
      input: { reason: 'Not needed' },
    })
    expect(cancelled.data).toMatchObject({ status: 'CANCELLED', cancel_reason: 'Not needed', revision: 2 })
    for (const [index, current_status] of statuses.entries()) {
      const entry_id = index + 1
      const details = { current_status, execution_id: `exe_${index}` }
      const again = await api.call(msp.key, 'cancel_scheduled_work', { entry_id })
      expect([again.status, again.error?.code]).toEqual([409, 'scheduled_work_not_cancellable'])
      expect(again.error?.details).toMatchObject(details)
      const edited = await api.call(msp.key, 'reschedule_work', {
        entry_id,
        input: { scheduled_for: inHours(9) },
      })
      expect([edited.status, edited.error?.code]).toEqual([409, 'scheduled_work_not_editable'])
      expect(edited.error?.details).toMatchObject(details)
    }
  })

  it('of an agent that the caller does not see does not exist', async () => {
    const msp = await queueable()
    await share(msp, 1, msp.viewer.id)
    await addScheduledWork(msp, [
      { id: 1, workflow_id: 1 },
      { id: 4, workflow_id: 4 },
    ])
    const seenBy = async (caller: Msp['user']) =>
      (await api.call(caller, 'scheduled_work')).data.map(({ id }: { id: number }) => id)
    expect([await seenBy(msp.owner), await seenBy(msp.user), await seenBy(msp.viewer)]).toEqual([
      [4, 1],
      [4],
      [1],
    ])
    for (const [operation, args] of [
      ['scheduled_work_entry', {}],
      ['cancel_scheduled_work', {}],
      ['reschedule_work', { input: {} }],
    ] as const) {
      const answer = await api.call(msp.user, operation, { entry_id: 1, ...args })
      expect([answer.status, answer.error?.code]).toEqual([404, 'scheduled_work_not_found'])
    }
    const foreign = await api.call(msp.user, 'create_scheduled_work', draft())
    expect([foreign.status, foreign.error?.code]).toEqual([404, 'agent_not_found'])
    expect(
      (
        await api.call(
          msp.user,
          'create_scheduled_work',
          draft({ workflow_id: 4, scheduled_for: inHours(30) }),
        )
      ).status,
    ).toBe(200)
  })
})

describe.runIf(process.env.DATABASE_URL).each(apis)(`${TIMES} at once through $name:`, (api) => {
  it('one entry is made for an agent, a ticket and a minute', async () => {
    const msp = await queueable()
    const args = draft()
    const answers = await times(() => api.call(msp.key, 'create_scheduled_work', args))
    expect(counted(answers)).toEqual({ 200: 1, scheduled_work_duplicate: TIMES - 1 })
  })

  it('entries that move to one minute: one does', async () => {
    const msp = await queueable()
    const start = clock.now().getTime()
    await addScheduledWork(
      msp,
      Array.from({ length: TIMES }, (_, n) => ({
        id: n + 1,
        workflow_id: 1,
        scheduled_for: new Date(start + days(n + 2)),
      })),
    )
    const input = { scheduled_for: inHours(24) }
    const answers = await times((n) => api.call(msp.key, 'reschedule_work', { entry_id: n + 1, input }))
    expect(counted(answers)).toEqual({ 200: 1, scheduled_work_duplicate: TIMES - 1 })
  })

  it('one entry is cancelled or moved once', async () => {
    const msp = await queueable()
    await addScheduledWork(msp, [{ id: 1, workflow_id: 1 }])
    const answers = await times((n) =>
      n % 2
        ? api.call(msp.key, 'cancel_scheduled_work', { entry_id: 1 })
        : api.call(msp.key, 'reschedule_work', { entry_id: 1, input: { scheduled_for: inHours(n + 30) } }),
    )
    const cancelled = answers.filter((_, n) => n % 2)
    expect(counted(cancelled)).toEqual({ 200: 1, scheduled_work_not_cancellable: TIMES / 2 - 1 })
    const moved = answers.filter(({ status }, n) => n % 2 === 0 && status === 200).length
    const { data } = await api.call(msp.key, 'scheduled_work_entry', { entry_id: 1 })
    expect([data.status, data.revision]).toEqual(['CANCELLED', moved + 2])
  })
})
