import { expect, it } from 'vitest'
import { describeApi } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { days, world } from '../../setup/world.ts'
import { addAgents, addCredits, addExecutions, addTickets, at, QUARTER, summary, tenancy } from './rows.ts'

describeApi('the window of the performance summary', (api) => {
  it('is of this month in the tenant’s zone, up to now, if no window is given', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }])
    clock.advance(at('11-01T02:30:00').getTime() - clock.now().getTime())
    await addExecutions(
      msp,
      [
        '09-30T23:59',
        '10-01T03:59',
        '10-01T04:01',
        '10-31T12:59',
        '10-31T13:01',
        '11-01T01:00',
        '11-01T03:00',
      ].map((time) => ({ agent_id: 1, created_at: at(time) })),
    )
    const found: number[] = []
    const key = await msp.newKey()
    for (const timezone of [null, 'Europe/London', 'America/New_York', 'Australia/Lord_Howe']) {
      await msp.database.prisma.settings.updateMany({ where: tenancy(msp), data: { timezone } })
      found.push((await summary(api, key)).data.total_executions)
    }
    expect(found).toEqual([1, 1, 4, 2])
    expect((await summary(api, key, { to: '2026-11-01T00:59:00Z' })).data.total_executions).toBe(1)
    expect((await summary(api, key, { from: '2026-10-31T13:00:00+00:00' })).data.total_executions).toBe(2)
  })

  it.each([
    [{ from: '2026-03-02', to: '2026-03-02' }, 'invalid_window', {}],
    [{ from: '2026-03-02', to: '2026-03-01T23:59:59Z' }, 'invalid_window', {}],
    [{ from: '2999-01-01' }, 'invalid_window', {}],
    [{ to: '2020-01-01' }, 'invalid_window', {}],
  ])('refuses the window %j with 400 %s', async (args, code, details) => {
    const msp = await world()
    const { status, error } = await summary(api, msp.key, args)
    expect([status, error?.code]).toEqual([400, code])
    const { docs_url: _docs, ...told } = error?.details ?? {}
    expect(told).toEqual({ from: expect.any(String), to: expect.any(String), ...details })
  })

  it('takes a start of any age, and says from when on executions, credits and tickets are kept', async () => {
    const msp = await world()
    clock.freeze()
    const now = clock.now().getTime()
    const ago = (daysAgo: number) => new Date(Math.floor((now - days(daysAgo)) / QUARTER) * QUARTER)
    await addAgents(msp, [{ id: 1 }])
    for (const [daysAgo, count] of [
      [402, 100],
      [399, 1],
      [100, 2],
    ] as const) {
      await addTickets(msp, [{ quarter: ago(daysAgo), count }])
      await addCredits(msp, [{ id: `${daysAgo}`, agent_id: 1, at: ago(daysAgo), credits: count }])
    }
    await addExecutions(
      msp,
      [402, 399, 100].map((daysAgo) => ({ agent_id: 1, created_at: ago(daysAgo) })),
    )
    const to = ago(10).toISOString()
    for (const from of [ago(410).toISOString(), '0001-01-01T00:00:00.000Z']) {
      const { data, warnings } = await summary(api, msp.key, { from, to })
      const { total_tickets_received, total_executions, credits_consumed, window } = data
      expect([total_tickets_received, total_executions, credits_consumed]).toEqual([3, 2, 3])
      expect(window).toEqual({ from, to, timezone: 'UTC' })
      expect(warnings).toEqual([expect.stringMatching(/^window_retention: .* from \S+Z on$/)])
      const began = new Date(/from (\S+) on$/.exec(warnings[0] ?? '')?.[1] ?? '').getTime()
      expect(Math.abs(began - (now - days(400)))).toBeLessThan(QUARTER)
    }
    const old = await summary(api, msp.key, { from: '1999-01-01', to: '2000-01-01' })
    expect([old.status, old.data.total_executions, old.warnings.length]).toEqual([200, 0, 1])
    const known = await summary(api, msp.key, { from: ago(390).toISOString() })
    expect([known.data.total_tickets_received, known.warnings]).toEqual([2, []])
  })

  it('counts tickets received in quarters of an hour, and says if a bound is inside one', async () => {
    const msp = await world()
    await addTickets(
      msp,
      ['09:45', '10:00', '10:15', '10:30'].map((time, index) => ({
        quarter: at(`03-10T${time}:00`),
        count: 10 ** index,
      })),
    )
    const asked = async (from: string, to: string) => {
      const { data, warnings } = await summary(api, msp.key, {
        from: `2026-03-10T${from}`,
        to: `2026-03-10T${to}`,
      })
      return [data.total_tickets_received, warnings]
    }
    const told = (from: string, to: string) => [
      'tickets_received_by_quarter: total_tickets_received is counted from ' +
        `2026-03-10T${from}:00.000Z to 2026-03-10T${to}:00.000Z`,
    ]
    expect(await asked('10:00:00Z', '10:30:00Z')).toEqual([110, []])
    expect(await asked('10:00:01Z', '10:30:00Z')).toEqual([110, told('10:00', '10:30')])
    expect(await asked('10:00:00Z', '10:44:59Z')).toEqual([110, told('10:00', '10:30')])
    expect(await asked('10:01:00Z', '10:02:00Z')).toEqual([0, told('10:00', '10:00')])
    clock.advance(at('03-10T10:31:00').getTime() - clock.now().getTime())
    const key = await msp.newKey()
    const up_to_now = await summary(api, key, { from: '2026-03-10T10:15:00Z' })
    expect([up_to_now.data.total_tickets_received, up_to_now.warnings]).toEqual([1100, []])
  })

  it('tells the window that stands for what was left out, in the tenant’s zone', async () => {
    const msp = await world()
    clock.advance(at('11-10T12:00:00').getTime() - clock.now().getTime())
    const data = { timezone: 'Asia/Kathmandu' }
    await msp.database.prisma.settings.updateMany({ where: tenancy(msp), data })
    const { window } = (await summary(api, await msp.newKey())).data
    expect(window).toEqual({
      from: '2026-10-31T18:15:00.000Z',
      to: expect.stringMatching(/^2026-11-10T12:0/),
      timezone: 'Asia/Kathmandu',
    })
  })
})
