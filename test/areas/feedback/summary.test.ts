import { expect, it } from 'vitest'
import { addAgents } from '../../setup/agents.ts'
import { describeApi, outcome } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { addFeedback } from '../../setup/feedback.ts'
import { countStatements } from '../../setup/statements.ts'
import { days, type Msp, world } from '../../setup/world.ts'

const ago = (count: number): Date => new Date(clock.now().getTime() - days(count))

interface Known {
  rating?: 'POSITIVE' | 'NEUTRAL' | 'NEGATIVE' | null
  status?: 'PENDING' | 'SUBMITTED' | 'EXPIRED' | 'REVOKED'
  agent_id?: number
  end_company_id?: string
  created_at?: Date
}

async function addLinks(msp: Msp, links: readonly Known[]): Promise<void> {
  await addFeedback(
    msp,
    links.map(({ rating = null, ...link }, n) => ({
      id: `fb_${n}_${msp.tenant_id}`,
      rating,
      status: rating ? 'SUBMITTED' : 'PENDING',
      ...link,
    })),
  )
}

/** A tenant with the links. The clock stands still. */
async function tenant(...links: Known[]): Promise<Msp> {
  clock.freeze()
  const msp = await world()
  await addAgents(msp, [{ id: 1, name: 'Triage', created_by_user_id: msp.user.id }, { id: 2 }])
  await addLinks(msp, links)
  return msp
}

const NOTHING = {
  positive: 0,
  neutral: 0,
  negative: 0,
  response_count: 0,
  sent_count: 0,
  response_rate_pct: 0,
  csat_pct: 0,
}

describeApi('the summary of feedback', (api) => {
  it('has zeros for a tenant that has asked nobody, of the last 30 days', async () => {
    const msp = await tenant()
    const { data, warnings } = await api.call(msp.key, 'feedback_summary')
    const window = { from: ago(30).toISOString(), to: clock.now().toISOString(), timezone: 'UTC' }
    expect([data, warnings]).toEqual([{ window, group_by: null, ...NOTHING, groups: [] }, []])
    for (const group_by of ['AGENT', 'COMPANY'])
      expect((await api.call(msp.key, 'feedback_summary', { group_by })).data.groups).toEqual([])
    const by_day = (await api.call(msp.key, 'feedback_summary', { group_by: 'DAY' })).data
    expect(by_day.groups.length).toBe(31)
    expect(by_day.groups[0]).toMatchObject({ ...NOTHING, key: ago(30).toISOString().slice(0, 10) })
  })

  it('counts a revoked rating as a response, and links without an answer as sent', async () => {
    const created_at = ago(1)
    const msp = await tenant(
      ...(['PENDING', 'EXPIRED', 'REVOKED'] as const).map((status) => ({ status, created_at })),
      { rating: 'POSITIVE', created_at },
      { rating: 'POSITIVE', status: 'REVOKED', created_at },
      { rating: 'NEGATIVE', created_at },
    )
    expect((await api.call(msp.key, 'feedback_summary')).data).toMatchObject({
      positive: 2,
      neutral: 0,
      negative: 1,
      response_count: 3,
      sent_count: 6,
      response_rate_pct: 50,
      csat_pct: 66.67,
    })
  })

  it('is of the links that were made in the window: from its start on, and before its end', async () => {
    const msp = await tenant(
      { created_at: ago(3), rating: 'POSITIVE' },
      { created_at: new Date(ago(3).getTime() - 1), rating: 'NEGATIVE' },
      { created_at: ago(2), rating: 'NEGATIVE' },
      { created_at: new Date(ago(2).getTime() - 1), rating: 'NEUTRAL' },
    )
    const window = { from: ago(3).toISOString(), to: ago(2).toISOString() }
    const { data } = await api.call(msp.key, 'feedback_summary', window)
    expect(data).toMatchObject({ positive: 1, neutral: 1, negative: 0, sent_count: 2 })
  })

  it('refuses a window that is none or too long, and warns of days that are gone', async () => {
    const msp = await tenant()
    const from = ago(1).toISOString()
    const read = (args: object) => api.call(msp.key, 'feedback_summary', { ...args })
    for (const wrong of [
      { from, to: from },
      { from: ago(-1).toISOString() },
      { from, to: ago(2).toISOString() },
    ])
      expect(outcome(await read(wrong))).toEqual([400, 'invalid_window'])
    const far = await read({ from, to: ago(-399.1).toISOString() })
    expect(outcome(far)).toEqual([400, 'window_too_large'])
    expect(far.error?.details).toMatchObject({ max_seconds: 34_560_000 })
    const longest = await read({ from, to: ago(-399).toISOString(), group_by: 'DAY' })
    expect([longest.status, longest.warnings]).toEqual([200, []])
    expect(longest.data.groups.length).toBeGreaterThanOrEqual(400)
    const old = await read({ from: ago(401).toISOString(), to: ago(390).toISOString() })
    expect([old.status, old.warnings]).toEqual([
      200,
      [expect.stringMatching(/^window_retention: .* 400 days/)],
    ])
  })

  it('has the largest groups alone, with a warning, and the figures of all', async () => {
    const msp = await tenant(
      ...Array.from({ length: 201 }, (_, n) => ({ end_company_id: `cmp_${String(n).padStart(3, '0')}` })),
      { end_company_id: 'cmp_200', rating: 'POSITIVE' as const },
    )
    const to = ago(-1).toISOString()
    const { data, warnings } = await api.call(msp.key, 'feedback_summary', { to, group_by: 'COMPANY' })
    expect([data.groups.length, data.sent_count, data.positive]).toEqual([200, 202, 1])
    expect(data.groups.slice(0, 2)).toMatchObject([
      { key: 'cmp_200', sent_count: 2, positive: 1, csat_pct: 100, response_rate_pct: 50 },
      { key: 'cmp_000', label: 'cmp_000', sent_count: 1 },
    ])
    expect(data.groups.at(-1).key).toBe('cmp_198')
    expect(warnings).toEqual(['groups_left_out: only the largest 200 are shown'])
  })

  it('counts for a USER and a VIEWER the feedback that they see', async () => {
    const created_at = ago(1)
    const msp = await tenant(
      { agent_id: 1, rating: 'POSITIVE', created_at },
      { agent_id: 2, rating: 'NEGATIVE', created_at },
      { rating: 'NEUTRAL', created_at },
    )
    const read = async (caller: Msp['user'], args = {}) =>
      (await api.call(caller, 'feedback_summary', { group_by: 'AGENT', ...args })).data
    const labels = async (...args: Parameters<typeof read>) =>
      (await read(...args)).groups.map(({ key, label }: { key: string; label: string }) => [key, label])
    expect(await labels(msp.admin)).toEqual([
      ['', 'No agent'],
      ['1', 'Triage'],
      ['2', 'Agent 2'],
    ])
    expect(await labels(msp.user)).toEqual([
      ['', 'No agent'],
      ['1', 'Triage'],
    ])
    expect(await labels(msp.viewer)).toEqual([['', 'No agent']])
    expect(await labels(msp.user, { agent_id: 1 })).toEqual([['1', 'Triage']])
    expect(await read(msp.user, { agent_id: 2 })).toMatchObject({ ...NOTHING, groups: [] })
    expect(await read(msp.admin, { agent_id: 2 })).toMatchObject({ negative: 1, sent_count: 1 })
    expect(await read(msp.admin, { agent_id: 999 })).toMatchObject({ ...NOTHING, groups: [] })
  })

  it('costs as many statements for groups as without', async () => {
    const msp = await tenant({ rating: 'POSITIVE' })
    const counts: number[] = []
    for (const args of [{}, { group_by: 'AGENT' }, { group_by: 'COMPANY' }, { group_by: 'DAY' }])
      counts.push(await countStatements(msp.database, () => api.call(msp.key, 'feedback_summary', args)))
    // The key, the zone and the figures.
    expect(counts).toEqual([3, 3, 3, 3])
  })
})
