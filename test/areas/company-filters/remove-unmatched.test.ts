import { beforeAll, expect, it } from 'vitest'
import { addAgents, addExecutions } from '../../setup/agents.ts'
import { describeApi, outcome } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { installQueues } from '../agents/runnable.ts'
import { companies, inScope, listed, tenancy, territory, type, using } from './companies.ts'

beforeAll(installQueues)

describeApi('the companies that no longer fit', (api) => {
  it('are removed all together, or those that are named', async () => {
    const msp = await companies('abcd')
    const { read, replace, remove } = using(api, msp)
    await replace([type(1), territory(12)])
    const named = await remove({ psa_company_ids: ['psa_c', 'psa_c'], expected_count: 3 })
    expect([named.status, named.data]).toEqual([
      200,
      { psa_type: null, removed: listed('c'), removable: listed('a', 'd') },
    ])
    expect(await inScope(msp)).toBe('abd')
    const rest = await remove()
    expect(rest.data).toEqual({ psa_type: null, removed: listed('a', 'd'), removable: listed() })
    expect([await inScope(msp), (await read()).data.removable]).toEqual(['b', listed()])
    const recorded = await activitiesOf(msp)
    expect(recorded.slice(1)).toMatchObject([
      { action: 'company_filters.unmatched_removed', after: { removed: listed('c') } },
      { action: 'company_filters.unmatched_removed', after: { removed: listed('a', 'd') } },
    ])
  })

  it('that are none are removed without a trace', async () => {
    const msp = await companies('ab')
    const { data } = await using(api, msp).remove({ expected_count: 0 })
    expect([data.removed, await activitiesOf(msp)]).toEqual([listed(), []])
  })

  it('stay if the caller has seen others', async () => {
    const msp = await companies('abcd')
    const { replace, remove } = using(api, msp)
    await replace([type(1)])
    const wrong = [
      [{ expected_count: 1 }, { count: 2 }],
      [{ psa_company_ids: ['psa_c', 'psa_a', 'psa_x'] }, { psa_company_ids: ['psa_a', 'psa_x'] }],
    ] as const
    for (const [input, details] of wrong) {
      const { status, error } = await remove(input)
      expect([status, error?.code, error?.details]).toMatchObject([409, 'removable_changed', details])
    }
    expect(await inScope(msp)).toBe('abcd')
  })

  it('stay, all of them, while an agent works on a ticket of one that is not left out', async () => {
    const msp = await companies('abcd')
    const { replace, remove } = using(api, msp)
    await replace([type(1)])
    const now = clock.now()
    await msp.database.prisma.psaTicket.createMany({
      data: ['a', 'c', 'd'].map((id) => ({
        ...tenancy(msp),
        ticket_id: `t_${id}`,
        number: id,
        title: 'Printer',
        status: 'Open',
        psa_company_id: `psa_${id}`,
        created_at: now,
        updated_at: now,
      })),
    })
    await addAgents(msp, [{ id: 1 }])
    await addExecutions(msp, [
      { execution_id: 'live', agent_id: 1, entity_id: 't_c', status: 'WAITING_FOR_APPROVAL' },
      { execution_id: 'fits', agent_id: 1, entity_id: 't_a', status: 'NEW' },
      { execution_id: 'done', agent_id: 1, entity_id: 't_d' },
      { execution_id: 'gone', agent_id: 1, entity_id: 't_unknown', status: 'RUNNING' },
    ])
    const { status, error } = await remove()
    expect([status, error?.code, error?.details]).toMatchObject([
      409,
      'company_in_use',
      { psa_company_ids: ['psa_c'] },
    ])
    expect(await inScope(msp)).toBe('abcd')
    expect((await remove({ psa_company_ids: ['psa_d'] })).data.removed).toEqual(listed('d'))
    await msp.database.prisma.execution.updateMany({
      where: { ...tenancy(msp), execution_id: 'live' },
      data: { status: 'CANCELLED', finished_at: now },
    })
    expect((await remove()).data.removed).toEqual(listed('c'))
  })

  it('are removed by ADMINs alone', async () => {
    const msp = await companies('abcd')
    const writing = await msp.newKey({ scopes: ['settings:write'] })
    expect((await using(api, msp, writing).remove()).status).toBe(200)
    for (const caller of [msp.user, msp.viewer])
      expect(outcome(await using(api, msp, caller).remove())).toEqual([403, 'forbidden'])
  })
})
