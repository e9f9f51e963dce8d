/** Decisions as callers read them. */
import { expect, it } from 'vitest'
import { addAgents } from '../../setup/agents.ts'
import { describeApi, outcome } from '../../setup/api.ts'
import { addDecisions, CANDIDATE } from '../../setup/dispatch.ts'
import { type Msp, world } from '../../setup/world.ts'

/** A tenant with a decision of each of two agents, of which the USER sees the first, and one of none. */
async function tenant(): Promise<Msp> {
  const msp = await world()
  await addAgents(msp, [{ id: 1, created_by_user_id: msp.user.id }, { id: 2 }])
  await addDecisions(msp, [
    { id: 'dsp_own', agent_id: 1, status: 'APPLIED' },
    { id: 'dsp_other', agent_id: 2, status: 'NONE_FITS' },
    { id: 'dsp_none', ticket_number: 'T-1' },
  ])
  return msp
}

describeApi('decisions', (api) => {
  it('are read with their candidates, and what is of the service stays there', async () => {
    const msp = await tenant()
    const { data } = await api.call(msp.key, 'dispatch_decision', { decision_id: 'dsp_none' })
    expect(data).toMatchObject({
      id: 'dsp_none',
      ticket_number: 'T-1',
      status: 'SUGGESTED',
      rule_id: null,
      strategy: 'BEST_FIT',
      candidates: [CANDIDATE],
      chosen_technician_id: CANDIDATE.technician_id,
      agent_id: null,
      overridden_by_name: null,
      comment: null,
      applied_at: null,
    })
    for (const column of ['assignment', 'assigning_until', 'suggested_technician_id', 'is_automatic'])
      expect(data).not.toHaveProperty(column)
  })

  it('of an agent are seen as the agent is, and others by everybody', async () => {
    const msp = await tenant()
    const listed = async (caller: Msp['user'], args = {}) =>
      (await api.call(caller, 'dispatch_decisions', args)).data.map(({ id }: { id: string }) => id).sort()
    expect(await listed(msp.admin)).toEqual(['dsp_none', 'dsp_other', 'dsp_own'])
    expect(await listed(msp.user)).toEqual(['dsp_none', 'dsp_own'])
    expect(await listed(msp.viewer)).toEqual(['dsp_none'])
    expect(await listed(msp.user, { agent_id: 2 })).toEqual([])
    expect(await listed(msp.admin, { agent_id: 2 })).toEqual(['dsp_other'])
    const read = async (caller: Msp['user'], decision_id: string) =>
      outcome(await api.call(caller, 'dispatch_decision', { decision_id }))
    expect(await read(msp.admin, 'dsp_other')).toEqual([200, undefined])
    expect(await read(msp.user, 'dsp_own')).toEqual([200, undefined])
    for (const id of ['dsp_other', 'dsp_nowhere'])
      expect(await read(msp.user, id)).toEqual([404, 'dispatch_decision_not_found'])
  })

  it('are listed by several statuses at once', async () => {
    const msp = await tenant()
    const { data } = await api.call(msp.key, 'dispatch_decisions', { status: ['APPLIED', 'NONE_FITS'] })
    expect(data.map(({ id }: { id: string }) => id).sort()).toEqual(['dsp_other', 'dsp_own'])
  })
})
