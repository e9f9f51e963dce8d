/** Tickets that arrive, and the decisions about them. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { DECIDE } from '../../../src/areas/dispatch/declared.ts'
import type { Psa } from '../../../src/connectors/psa.ts'
import { clock } from '../../setup/app.ts'
import { addDispatchRules, decisionsOf, setDispatch } from '../../setup/dispatch.ts'
import { performWaiting, withPsa } from '../../setup/due.ts'
import { addPsaTickets } from '../../setup/psa.ts'
import { raised } from '../../setup/raised.ts'
import { addTechnicians } from '../../setup/technicians.ts'
import { days } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'
import { changeTicket, happen } from '../callbacks/events.ts'
import { arrive, office } from './office.ts'

beforeAll(installQueues)
afterEach(() => clock.reset())

describe('a ticket that arrives', () => {
  it('gets a suggestion with its parts and reasons', async () => {
    const msp = await office()
    await arrive(msp, { psa_company_id: 'c1' })
    const [decision, ...others] = await decisionsOf(msp)
    expect(others).toEqual([])
    expect(decision).toMatchObject({
      ticket_id: '1',
      ticket_number: '#1',
      status: 'SUGGESTED',
      rule_id: null,
      strategy: 'BEST_FIT',
      is_automatic: false,
      suggested_technician_id: 1,
      chosen_technician_id: 1,
      agent_id: null,
      execution_id: null,
      psa_company_id: 'c1',
      explanation: expect.stringContaining('Priya fits best among all technicians'),
      candidates: [
        { technician_id: 1, name: 'Priya', open_tickets: 0, score: expect.any(Number) },
        {
          technician_id: 2,
          name: 'Lee',
          open_tickets: 0,
          reasons: expect.arrayContaining(['No open tickets.']),
        },
      ],
    })
    expect(await raised(msp, 'dispatch.suggested')).toMatchObject([
      { data: { decision_id: decision?.id, technician_id: 1, status: 'SUGGESTED' } },
    ])
  })

  it('gets one decision, however often it is told of', async () => {
    const msp = await office()
    await arrive(msp)
    await changeTicket(msp, { title: 'Another title' })
    await happen(msp, [{ action: 'CREATED' }, { action: 'UPDATED' }])
    await performWaiting(msp, DECIDE.name)
    expect(await decisionsOf(msp)).toHaveLength(1)
  })

  it.each([
    ['while dispatch is off', { enabled: false }, {}],
    ['if somebody has it', {}, { assignee_psa_id: 12 }],
    ['if it is closed', {}, { closed_at: new Date('2026-11-20T00:00:00Z') }],
  ])('gets no decision %s', async (_name, settings, ticket) => {
    const msp = await office(settings)
    await arrive(msp, ticket)
    expect(await decisionsOf(msp)).toEqual([])
  })

  it('gets no decision if somebody has it, or dispatch is off, by the time of the decision', async () => {
    const msp = await office()
    await addPsaTickets(msp, [{ ticket_id: '1' }, { ticket_id: '2' }])
    await happen(msp, [{ entity_id: '1', action: 'CREATED' }])
    await changeTicket(msp, { assignee_psa_id: 12 })
    expect(await performWaiting(msp, DECIDE.name)).toBe(1)
    await happen(msp, [{ entity_id: '2', action: 'CREATED' }])
    await setDispatch(msp, { enabled: false })
    expect(await performWaiting(msp, DECIDE.name)).toBe(1)
    expect(await decisionsOf(msp)).toEqual([])
  })

  it('gets no decision if it only changes', async () => {
    const msp = await office()
    await addPsaTickets(msp, [{ ticket_id: '1', created_at: new Date(clock.now().getTime() - days(9)) }])
    await happen(msp, [{ action: 'UPDATED' }])
    expect(await performWaiting(msp, DECIDE.name)).toBe(0)
  })

  it('fits nobody, and people are told', async () => {
    const msp = await office({ only_ready_technicians: true }, [{ id: 1, name: 'Priya' }])
    await arrive(msp)
    expect(await decisionsOf(msp)).toMatchObject([
      {
        status: 'NONE_FITS',
        chosen_technician_id: null,
        explanation: expect.stringContaining('Nobody of 1 fits'),
      },
    ])
    expect(await raised(msp, 'dispatch.none_fits')).toHaveLength(1)
  })

  it('goes to the fallback if nobody fits, unless the fallback is deleted', async () => {
    const msp = await office({ fallback_technician_id: 2 }, [
      { id: 1, name: 'Priya' },
      { id: 2, psa_id: 2, name: 'Lee' },
    ])
    await arrive(msp)
    const { tenant_id, database } = msp
    await database.prisma.technicianProfile.updateMany({
      where: { tenant_id, id: 2 },
      data: { deleted_at: clock.now() },
    })
    await arrive(msp, { ticket_id: '2' })
    expect(await decisionsOf(msp)).toMatchObject([
      {
        status: 'SUGGESTED',
        chosen_technician_id: 2,
        explanation: expect.stringContaining('Lee is the fallback.'),
      },
      { status: 'NONE_FITS', chosen_technician_id: null },
    ])
  })

  it('is decided by the first rule whose conditions hold', async () => {
    const msp = await office({}, [
      { id: 1, psa_id: 11, is_ready: true },
      { id: 2, psa_id: 12, is_ready: true, skills: ['exchange'] },
    ])
    const on = (board: string) => ({
      match: 'ALL',
      rules: [{ field: 'board', operator: 'equals', value: board }],
    })
    const [, mail, , anything] = await addDispatchRules(msp, [
      { position: 1, conditions: on('Mail'), enabled: false, candidate_technician_ids: [1] },
      { position: 2, conditions: on('Mail'), required_skills: ['Exchange'] },
      { position: 3, conditions: on('Mail'), candidate_technician_ids: [1] },
      { position: 9, candidate_technician_ids: [1] },
    ])
    await arrive(msp, { board: 'Mail' })
    await arrive(msp, { ticket_id: '2', board: 'Servers' })
    expect(await decisionsOf(msp)).toMatchObject([
      { rule_id: mail, chosen_technician_id: 2 },
      { rule_id: anything, chosen_technician_id: 1, candidates: [{ technician_id: 1 }] },
    ])
  })

  it('counts the tickets that the PSA shows, and suggestions that it does not', async () => {
    const msp = await office()
    await addPsaTickets(msp, [
      { ticket_id: 'a', assignee_psa_id: 11 },
      { ticket_id: 'b', assignee_psa_id: 11, closed_at: clock.now() },
    ])
    for (const ticket_id of ['1', '2', '3']) await arrive(msp, { ticket_id })
    const decisions = await decisionsOf(msp)
    expect(decisions.map(({ chosen_technician_id }) => chosen_technician_id)).toEqual([2, 1, 2])
    expect(decisions.at(-1)?.candidates).toMatchObject([
      { technician_id: 2, open_tickets: 1 },
      { technician_id: 1, open_tickets: 2 },
    ])
  })

  it('goes to a technician who knows the company', async () => {
    const msp = await office()
    await addPsaTickets(msp, [
      { ticket_id: 'a', psa_company_id: 'c1', assignee_psa_id: 12, closed_at: clock.now() },
    ])
    await happen(msp, [{ entity_id: 'a' }])
    await arrive(msp, { psa_company_id: 'c1' })
    clock.advance(days(90) + 1000)
    await arrive(msp, { ticket_id: '2', psa_company_id: 'c1' })
    const decisions = await decisionsOf(msp)
    expect(decisions[0]?.candidates).toMatchObject([
      { technician_id: 2, parts: { familiarity: 1 } },
      { technician_id: 1, parts: { familiarity: 0 } },
    ])
    expect(decisions[1]?.candidates).toMatchObject([
      { parts: { familiarity: 0 } },
      { parts: { familiarity: 0 } },
    ])
  })

  it('takes turns', async () => {
    const msp = await office({ strategy: 'ROUND_ROBIN' })
    await addTechnicians(msp, [{ id: 3, psa_id: 13, is_ready: true }])
    for (const ticket_id of ['1', '2', '3', '4', '5', '6', '7']) await arrive(msp, { ticket_id })
    expect((await decisionsOf(msp)).map(({ chosen_technician_id }) => chosen_technician_id)).toEqual([
      1, 2, 3, 1, 2, 3, 1,
    ])
  })

  it('waits for a PSA that is away', async () => {
    const msp = await office()
    await addPsaTickets(msp, [{ ticket_id: '1' }])
    await happen(msp, [{ action: 'CREATED' }])
    const services = await withPsa((local: Psa) => ({
      ...local,
      openTicketCounts: () => Promise.reject(new Error('away')),
    }))
    await expect(performWaiting(msp, DECIDE.name, { services })).rejects.toThrow('away')
    expect(await decisionsOf(msp)).toEqual([])
    await performWaiting(msp, DECIDE.name)
    expect(await decisionsOf(msp)).toHaveLength(1)
  })
})
