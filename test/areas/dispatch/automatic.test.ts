/** Automatic decisions, suggestions whose time is over, and what callbacks know of the service’s own writes. */
import { afterEach, describe, expect, test } from 'vitest'
import { assignAutomatic, leaveToPeople } from '../../../src/areas/dispatch/assigning/automatic.ts'
import { expireAssigned, expireDecisions } from '../../../src/areas/dispatch/assigning/expire.ts'
import { assignmentsOfTicketSince } from '../../../src/areas/dispatch/assigning/own-writes.ts'
import { ASSIGN } from '../../../src/areas/dispatch/declared.ts'
import { PortUnavailable } from '../../../src/connectors/port.ts'
import { inTransaction } from '../../../src/db/transaction.ts'
import type { JobContext } from '../../../src/jobs/job.ts'
import { serviceContext } from '../../../src/jobs/service-context.ts'
import { clock } from '../../setup/app.ts'
import { addDecisions, decisionsOf, setDispatch } from '../../setup/dispatch.ts'
import { performWaiting } from '../../setup/due.ts'
import { raised } from '../../setup/raised.ts'
import { days, type Msp } from '../../setup/world.ts'
import {
  apply,
  assigneeOf,
  changeTicket,
  DECISION,
  dispatchMsp,
  replaceCalls,
  rest,
  services,
  TICKET,
  useDispatchPsa,
  writesOf,
} from './dispatch-psa.ts'

useDispatchPsa()
afterEach(() => clock.reset())

/** A tenant with an automatic decision. */
async function automaticMsp(decision: Parameters<typeof dispatchMsp>[0] = {}): Promise<Msp> {
  const msp = await dispatchMsp({ is_automatic: true, ...decision })
  await setDispatch(msp, { mode: 'AUTO' })
  return msp
}

const ASSIGNMENT = { technician_id: 1, psa_id: 11, key: `${DECISION}/assign/1` }

const contextOf = ({ tenant_id, environment }: Msp) =>
  serviceContext(services(), 'test', 'test', { tenant_id, environment })
const assign = (msp: Msp) => assignAutomatic(contextOf(msp), DECISION)
const typesOf = async (msp: Msp) => (await raised(msp)).map(({ type }) => type)
const expire = () => expireDecisions({ services: services(), signal: new AbortController().signal })

const inTurn = (msp: Msp, work: (ctx: JobContext) => Promise<unknown>) => {
  const ctx = contextOf(msp)
  return inTransaction(ctx, 10_000, () => work(ctx as JobContext))
}

describe('an automatic decision', () => {
  test('is applied once, and told', async () => {
    const msp = await automaticMsp()
    expect(await assign(msp)).toMatchObject({
      status: 'APPLIED',
      is_automatic: true,
      chosen_technician_id: 1,
    })
    expect(await assign(msp)).toMatchObject({ status: 'APPLIED', revision: 2 })
    expect(await assigneeOf(msp)).toBe(11)
    expect(await typesOf(msp)).toEqual(['dispatch.applied'])
  })

  test('waits for a PSA that is away, and is a suggestion once that is given up', async () => {
    const msp = await automaticMsp()
    replaceCalls(msp, () => ({ updateTicket: () => Promise.reject(new PortUnavailable('It is away')) }))
    for (const _ of [1, 2]) await expect(assign(msp)).rejects.toMatchObject({ code: 'upstream_unavailable' })
    expect(await decisionsOf(msp)).toMatchObject([
      { status: 'SUGGESTED', is_automatic: true, assigning_until: null },
    ])
    await inTurn(msp, (ctx) => leaveToPeople(ctx, { decision_id: DECISION }))
    await inTurn(msp, (ctx) => leaveToPeople(ctx, { decision_id: DECISION }))
    expect(await decisionsOf(msp)).toMatchObject([{ status: 'SUGGESTED', is_automatic: false }])
    expect(await typesOf(msp)).toEqual(['dispatch.suggested'])
    replaceCalls(msp)
    expect((await apply(rest, msp)).data.status).toBe('APPLIED')
  })

  test.each([{ enabled: false }, { mode: 'SUGGEST' as const }])(
    'is left to people by %o',
    async (settings) => {
      const msp = await automaticMsp()
      await setDispatch(msp, settings)
      expect(await assign(msp)).toMatchObject({
        status: 'SUGGESTED',
        is_automatic: false,
        assigning_until: null,
      })
      expect(await writesOf(msp)).toEqual([])
      expect(await typesOf(msp)).toEqual(['dispatch.suggested'])
    },
  )

  test('of a technician who was deleted is FAILED', async () => {
    const msp = await automaticMsp({ suggested_technician_id: 99 })
    expect(await assign(msp)).toMatchObject({
      status: 'FAILED',
      explanation: expect.stringContaining('The technician was deleted meanwhile.'),
    })
  })

  test('whose ticket was assigned meanwhile is EXPIRED', async () => {
    const msp = await automaticMsp()
    await changeTicket(msp, { assignee_psa_id: 12 })
    expect(await assign(msp)).toMatchObject({ status: 'EXPIRED' })
    expect(await assigneeOf(msp)).toBe(12)
  })
})

test('a decision that is not there is none to apply', async () => {
  const msp = await dispatchMsp({ id: 'dsp_other' })
  await expect(assign(msp)).rejects.toMatchObject({ code: 'dispatch_decision_not_found' })
})

describe('a suggestion', () => {
  test('is EXPIRED at the very instant at which its day is over, and not before', async () => {
    const expires_at = new Date(clock.now().getTime() + days(1))
    const msp = await dispatchMsp({ expires_at })
    await addDecisions(msp, [{ id: 'dsp_none', status: 'NONE_FITS', expires_at }])
    const statuses = async () => (await decisionsOf(msp)).map(({ status }) => status).sort()
    clock.turn(days(1) - 60_000)
    await expire()
    expect(await statuses()).toEqual(['NONE_FITS', 'SUGGESTED'])
    clock.turn(60_000)
    await expire()
    expect(await statuses()).toEqual(['EXPIRED', 'NONE_FITS'])
    const [decision] = (await decisionsOf(msp)).filter(({ status }) => status === 'EXPIRED')
    expect(decision).toMatchObject({
      revision: 2,
      explanation: expect.stringContaining('Nobody applied it within 24 hours.'),
    })
    expect(await typesOf(msp)).toEqual(['dispatch.closed'])
  })

  test('that a process works on is not EXPIRED', async () => {
    const now = clock.now()
    const msp = await dispatchMsp({ expires_at: now, assigning_until: new Date(now.getTime() + 60_000) })
    await expire()
    expect(await decisionsOf(msp)).toMatchObject([{ status: 'SUGGESTED' }])
  })

  test('whose process was lost is taken up by one job before it is EXPIRED', async () => {
    const over = new Date(clock.now().getTime() - 1)
    const msp = await dispatchMsp({ assigning_until: over, assignment: ASSIGNMENT, expires_at: over })
    await changeTicket(msp, { assignee_psa_id: 11 })
    replaceCalls(msp, () => ({ outcomeOf: async () => 'MADE' as const }))
    await expire()
    await expire()
    expect(await performWaiting(msp, ASSIGN.name, { services: services() })).toBe(1)
    expect(await decisionsOf(msp)).toMatchObject([{ status: 'APPLIED' }])
  })
})

describe('a ticket that a callback shows', () => {
  const shown = (msp: Msp, ticket: { assignee_psa_id: number | null; closed_at?: Date }) =>
    inTurn(msp, (ctx) => expireAssigned(ctx, { ticket_id: TICKET, closed_at: null, ...ticket }))
  const statusOf = async (msp: Msp) => (await decisionsOf(msp)).map(({ status }) => status)

  test.each([
    ['assigned', { assignee_psa_id: 12 }, 'EXPIRED'],
    ['closed', { assignee_psa_id: null, closed_at: new Date() }, 'EXPIRED'],
    ['open and of nobody', { assignee_psa_id: null }, 'SUGGESTED'],
  ])('%s', async (_name, ticket, status) => {
    const msp = await dispatchMsp()
    await addDecisions(msp, [{ id: 'dsp_other', ticket_id: '4712' }])
    await shown(msp, ticket)
    expect((await statusOf(msp)).sort()).toEqual([status, 'SUGGESTED'].sort())
  })

  test('ends a decision that chose nobody too', async () => {
    const msp = await dispatchMsp({ status: 'NONE_FITS' })
    await shown(msp, { assignee_psa_id: 12 })
    expect(await statusOf(msp)).toEqual(['EXPIRED'])
  })

  test.each([
    ['an own write that is not settled', { assignment: ASSIGNMENT }, 11, 'SUGGESTED'],
    ['somebody else', { assignment: ASSIGNMENT }, 12, 'EXPIRED'],
  ])('assigned by %s', async (_name, decision, assignee_psa_id, status) => {
    const msp = await dispatchMsp(decision)
    await shown(msp, { assignee_psa_id })
    expect(await statusOf(msp)).toEqual([status])
  })

  test('leaves a decision that is final', async () => {
    const msp = await dispatchMsp()
    await apply(rest, msp)
    await shown(msp, { assignee_psa_id: 12 })
    expect(await statusOf(msp)).toEqual(['APPLIED'])
  })
})

describe('the own writes on a ticket', () => {
  test('are those that were made since then, and those that may have been', async () => {
    const msp = await dispatchMsp()
    const since = new Date(clock.now().getTime() - 60_000)
    const own = (at = since) => assignmentsOfTicketSince(contextOf(msp), TICKET, at)
    expect(await own()).toEqual([])
    await msp.database.prisma.dispatchDecision.updateMany({
      where: { tenant_id: msp.tenant_id },
      data: { assignment: ASSIGNMENT },
    })
    const write = { tool_name: 'ticket.assign', arguments: { technician_id: 1 } }
    expect(await own()).toEqual([{ ...write, result: null }])
    await apply(rest, msp)
    expect(await own()).toEqual([{ ...write, result: { ticket_id: TICKET } }])
    expect(await own(new Date(clock.now().getTime() + 60_000))).toEqual([])
  })
})
