import { expect, it } from 'vitest'
import { addAgents, addExecutions } from '../../setup/agents.ts'
import { type Answer, describeApi, outcome, walk } from '../../setup/api.ts'
import { addTilRequests, makeTechnician } from '../../setup/til-requests.ts'
import { world } from '../../setup/world.ts'

const at = (hour: number): Date => new Date(Date.UTC(2026, 9, 1, hour))

const ids = ({ data }: Answer): string[] => data.map(({ id }: { id: string }) => id)

describeApi('requests to technicians', (api) => {
  it('are listed open ones first, from the oldest on, then closed ones, from the last closed on', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }])
    const closed = (id: string, created: number, closed_at: number) =>
      ({ id, agent_id: 1, status: 'REJECTED', created_at: at(created), closed_at: at(closed_at) }) as const
    await addTilRequests(msp, [
      closed('closed_early', 1, 5),
      { id: 'open_late', agent_id: 1, created_at: at(4) },
      closed('closed_late', 0, 6),
      { id: 'open_early', agent_id: 1, created_at: at(3) },
      closed('closed_early_too', 2, 5),
    ])
    const all = ['open_early', 'open_late', 'closed_late', 'closed_early', 'closed_early_too']
    expect(ids(await api.call(msp.key, 'til_requests'))).toEqual(all)
    const pages = await walk((cursor) => api.call(msp.key, 'til_requests', { page_size: 1, ...cursor }))
    expect(pages.flatMap(ids)).toEqual(all)
  })

  it('assigned to me are those of the acting user of a key, and none for a caller who is no technician', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }])
    await makeTechnician(msp, msp.user.id, 7)
    await addTilRequests(msp, [
      { id: 'mine', agent_id: 1, technicians: [7] },
      { id: 'other', agent_id: 1 },
    ])
    const acting = await msp.newKey({ acting_user_id: msp.user.id })
    const mine = async (caller: typeof acting, assigned_to_me: boolean) =>
      ids(await api.call(caller, 'til_requests', { assigned_to_me }))
    expect(await mine(acting, true)).toEqual(['mine'])
    expect(await mine(msp.key, true)).toEqual([])
    expect(await mine(msp.owner, true)).toEqual([])
    expect(await mine(msp.owner, false)).toEqual(['mine', 'other'])
  })

  it('of a technician move in their list as they are closed, and are in it from where others name them', async () => {
    const msp = await world()
    const { prisma } = msp.database
    const { tenant_id, environment } = msp
    await addAgents(msp, [{ id: 1 }])
    await makeTechnician(msp, msp.user.id, 7)
    const open = ['a', 'b', 'c', 'd'].map((id, hour) => ({ id, agent_id: 1, created_at: at(hour) }))
    await addTilRequests(
      msp,
      open.map((request) => ({ ...request, technicians: request.id === 'c' ? [] : [7] })),
    )
    const walked = async (args: Record<string, unknown>) => {
      const pages = await walk((cursor) =>
        api.call(msp.user, 'til_requests', { ...args, page_size: 1, ...cursor }),
      )
      return pages.flatMap(ids)
    }
    expect(await walked({ technician_id: 7 })).toEqual(['a', 'b', 'd'])
    const close = (id: string, hour: number) =>
      prisma.tilRequest.updateMany({
        where: { tenant_id, id },
        data: { status: 'APPROVED', closed_at: at(hour) },
      })
    await close('c', 6)
    await close('a', 7)
    await prisma.tilRequestTechnician.create({
      data: { tenant_id, environment, til_request_id: 'c', technician_id: 7 },
    })
    expect(await walked({ technician_id: 7 })).toEqual(['b', 'd', 'a', 'c'])
    expect(await walked({ assigned_to_me: true })).toEqual(['b', 'd', 'a', 'c'])
    expect(await walked({ assigned_to_me: true, technician_id: 7, status: ['APPROVED'] })).toEqual(['a', 'c'])
  })

  it('have one place in every list, however closing and naming a technician meet', async () => {
    const msp = await world()
    const { prisma } = msp.database
    const { tenant_id, environment } = msp
    await addAgents(msp, [{ id: 1 }])
    await makeTechnician(msp, msp.user.id, 7)
    const names = Array.from({ length: 20 }, (_, n) => `til_${n}`)
    await addTilRequests(
      msp,
      names.map((id) => ({ id, agent_id: 1 })),
    )
    await Promise.all(
      names.flatMap((id, hour) => [
        prisma.tilRequest.updateMany({
          where: { tenant_id, id },
          data: { status: 'APPROVED', closed_at: at(hour) },
        }),
        prisma.tilRequestTechnician.create({
          data: { tenant_id, environment, til_request_id: id, technician_id: 7 },
        }),
      ]),
    )
    expect(ids(await api.call(msp.owner, 'til_requests', { technician_id: 7 }))).toEqual(
      ids(await api.call(msp.owner, 'til_requests')),
    )
  })

  it('of an execution are only its own, and none if it is from before 12 August 2026', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }])
    await addExecutions(msp, [
      { execution_id: 'before', agent_id: 1, created_at: new Date('2026-08-11T23:59:59.999Z') },
      { execution_id: 'since', agent_id: 1, created_at: new Date('2026-08-12T00:00:00.000Z') },
    ])
    await addTilRequests(msp, [
      { id: 'a', agent_id: 1, execution_id: 'before', initiating_temporal_run_id: 'run_a_1' },
      { id: 'b', agent_id: 1, execution_id: 'since', initiating_temporal_run_id: 'run_b_1' },
      { id: 'c', agent_id: 1, execution_id: 'since', initiating_temporal_run_id: 'run_b_2' },
    ])
    const of = async (execution_id: string) => api.call(msp.key, 'execution_til_requests', { execution_id })
    expect((await of('before')).data).toEqual([])
    expect((await of('since')).data).toMatchObject([
      { id: 'b', initiating_temporal_run_id: 'run_b_1' },
      { id: 'c', initiating_temporal_run_id: 'run_b_2' },
    ])
    expect(ids(await api.call(msp.key, 'til_requests', { execution_id: 'before' }))).toEqual(['a'])
    expect(outcome(await of('nowhere'))).toEqual([404, 'execution_not_found'])
  })

  it('refuse a window that ends before it starts', async () => {
    const { key } = await world()
    const answer = await api.call(key, 'til_requests', { from: at(2).toISOString(), to: at(2).toISOString() })
    expect(outcome(answer)).toEqual([400, 'invalid_window'])
  })

  it.each([{ technician_id: 0 }, { agent_id: 2_147_483_648 }, { kind: ['NOPE'] }])(
    'refuse %j',
    async (args) => {
      const { status } = await api.call((await world()).key, 'til_requests', args)
      expect([400, 422]).toContain(status)
    },
  )
})
