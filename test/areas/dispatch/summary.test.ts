import { expect, it } from 'vitest'
import { addAgents } from '../../setup/agents.ts'
import { describeApi, outcome } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { addDecisions } from '../../setup/dispatch.ts'
import { countStatements } from '../../setup/statements.ts'
import { addTechnicians } from '../../setup/technicians.ts'
import { days, type Msp, world } from '../../setup/world.ts'

const ago = (count: number): Date => new Date(clock.now().getTime() - days(count))

type Known = Partial<Parameters<typeof addDecisions>[1][number]>

/** A tenant with the decisions, of a day ago unless they say something else. The clock stands still. */
async function tenant(...decisions: Known[]): Promise<Msp> {
  clock.freeze()
  const msp = await world()
  await addAgents(msp, [{ id: 1, created_by_user_id: msp.user.id }, { id: 2 }])
  await addDecisions(
    msp,
    decisions.map((decision, n) => ({ id: `dsp_${n}`, created_at: ago(1), ...decision })),
  )
  return msp
}

const NOTHING = {
  decisions: 0,
  applied: 0,
  overridden: 0,
  expired: 0,
  none_fits: 0,
  acceptance_rate_pct: 0,
  by_technician: [],
}

const EVERY_STATUS = ['SUGGESTED', 'APPLIED', 'OVERRIDDEN', 'NONE_FITS', 'EXPIRED', 'FAILED'] as const

const times = (count: number, decision: Known): Known[] => Array.from({ length: count }, () => decision)

describeApi('the summary of dispatch', (api) => {
  const read = async (msp: Msp, caller: Parameters<typeof api.call>[0] = msp.key, args = {}) =>
    (await api.call(caller, 'dispatch_summary', args)).data

  it('has zeros for a tenant without decisions, of the last 30 days', async () => {
    const msp = await tenant()
    const { data, warnings } = await api.call(msp.key, 'dispatch_summary')
    const window = { from: ago(30).toISOString(), to: clock.now().toISOString(), timezone: 'UTC' }
    expect([data, warnings]).toEqual([{ window, ...NOTHING }, []])
  })

  it('counts decisions by what became of them, and by the technician who was suggested', async () => {
    const msp = await tenant(...EVERY_STATUS.map((status) => ({ status })), {
      status: 'OVERRIDDEN',
      suggested_technician_id: 8,
      chosen_technician_id: 1,
    })
    await addTechnicians(msp, [
      { id: 1, psa_id: 1, name: 'Grace' },
      { id: 8, psa_id: 8, name: 'Alan', deleted_at: ago(0) },
    ])
    expect(await read(msp)).toMatchObject({
      decisions: 7,
      applied: 1,
      overridden: 2,
      expired: 1,
      none_fits: 1,
      acceptance_rate_pct: 33.33,
      by_technician: [
        { technician_id: 1, name: 'Grace', suggested: 5, applied: 1, overridden: 1 },
        { technician_id: 8, name: 'Alan', suggested: 1, applied: 0, overridden: 1 },
      ],
    })
  })

  it.each<[string, Known[], number]>([
    ['is 100 if everything was applied', times(3, { status: 'APPLIED' }), 100],
    ['is 0 if everything was overridden', times(3, { status: 'OVERRIDDEN' }), 0],
    [
      'leaves those of AUTO aside',
      [
        ...times(5, { status: 'APPLIED', is_automatic: true }),
        ...times(2, { status: 'APPLIED' }),
        { status: 'OVERRIDDEN', is_automatic: true },
        { status: 'OVERRIDDEN' },
      ],
      66.67,
    ],
    [
      'leaves those aside that suggested nobody',
      [{ status: 'APPLIED' }, ...times(3, { status: 'OVERRIDDEN', suggested_technician_id: null })],
      100,
    ],
    [
      'leaves those aside that nobody judged',
      [{ status: 'APPLIED' }, { status: 'EXPIRED' }, { status: 'FAILED' }, { status: 'SUGGESTED' }],
      100,
    ],
  ])('has a rate of acceptance that %s', async (_what, decisions, rate) => {
    const msp = await tenant(...decisions.map((decision, n) => ({ ticket_id: String(n), ...decision })))
    expect(await read(msp)).toMatchObject({ decisions: decisions.length, acceptance_rate_pct: rate })
  })

  it('is of the decisions that were made in the window: from its start on, and before its end', async () => {
    const [start, end] = [ago(3), ago(2)]
    const msp = await tenant(
      { created_at: start, status: 'APPLIED' },
      { created_at: new Date(start.getTime() - 1), status: 'OVERRIDDEN' },
      { created_at: end, status: 'OVERRIDDEN' },
      { created_at: new Date(end.getTime() - 1), status: 'EXPIRED' },
    )
    const window = { from: start.toISOString(), to: end.toISOString() }
    expect(await read(msp, msp.key, window)).toMatchObject({
      decisions: 2,
      applied: 1,
      expired: 1,
      overridden: 0,
    })
  })

  it('refuses a window that is none or too long, and warns of days that are gone', async () => {
    const msp = await tenant()
    const from = ago(1).toISOString()
    const ask = (args: object) => api.call(msp.key, 'dispatch_summary', { ...args })
    for (const wrong of [
      { from, to: from },
      { from: ago(-1).toISOString() },
      { from, to: ago(2).toISOString() },
    ])
      expect(outcome(await ask(wrong))).toEqual([400, 'invalid_window'])
    const far = await ask({ from, to: ago(-399.1).toISOString() })
    expect(outcome(far)).toEqual([400, 'window_too_large'])
    expect(far.error?.details).toMatchObject({ max_seconds: 34_560_000 })
    const old = await ask({ from: ago(401).toISOString(), to: ago(390).toISOString() })
    expect([old.status, old.warnings]).toEqual([
      200,
      [expect.stringMatching(/^window_retention: .* 400 days/)],
    ])
  })

  it('has the most suggested technicians alone, with a warning, and the figures of all', async () => {
    const msp = await tenant(...Array.from({ length: 201 }, (_, n) => ({ suggested_technician_id: n + 1 })), {
      suggested_technician_id: 201,
      status: 'APPLIED' as const,
    })
    const { data, warnings } = await api.call(msp.key, 'dispatch_summary')
    expect([data.by_technician.length, data.decisions, data.applied]).toEqual([200, 202, 1])
    expect(data.by_technician.slice(0, 2)).toEqual([
      { technician_id: 201, name: '201', suggested: 2, applied: 1, overridden: 0 },
      { technician_id: 1, name: '1', suggested: 1, applied: 0, overridden: 0 },
    ])
    expect(data.by_technician.at(-1).technician_id).toBe(199)
    expect(warnings).toEqual(['technicians_left_out: only the 200 who were suggested most are shown'])
  })

  it('counts for a USER and a VIEWER the decisions that they see', async () => {
    const msp = await tenant(
      { agent_id: 1, status: 'APPLIED' },
      { agent_id: 2, status: 'OVERRIDDEN' },
      { status: 'EXPIRED' },
    )
    expect(await read(msp, msp.admin)).toMatchObject({ decisions: 3, acceptance_rate_pct: 50 })
    expect(await read(msp, msp.user)).toMatchObject({ decisions: 2, overridden: 0, acceptance_rate_pct: 100 })
    expect(await read(msp, msp.viewer)).toMatchObject({ decisions: 1, applied: 0, expired: 1 })
  })

  it('costs as many statements for many technicians as for none', async () => {
    const counts: number[] = []
    for (const count of [0, 1, 50]) {
      const msp = await tenant(
        ...Array.from({ length: count }, (_, n) => ({ suggested_technician_id: n + 1 })),
      )
      counts.push(await countStatements(msp.database, () => api.call(msp.key, 'dispatch_summary')))
    }
    // The key, the zone and the figures.
    expect(counts).toEqual([3, 3, 3])
  })
})
