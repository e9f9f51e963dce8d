/** The ending of a decision if the PSA refuses, is away or loses an answer, or the ticket changed meanwhile. */
import { afterEach, describe, expect, it, test } from 'vitest'
import { finish } from '../../../src/areas/dispatch/assigning/automatic.ts'
import { ASSIGN } from '../../../src/areas/dispatch/declared.ts'
import { PortRefusal, PortUnavailable } from '../../../src/connectors/port.ts'
import type { Psa } from '../../../src/connectors/psa.ts'
import { serviceContext } from '../../../src/jobs/service-context.ts'
import { describeApi, outcome } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { decisionsOf } from '../../setup/dispatch.ts'
import { performWaiting } from '../../setup/due.ts'
import { raised } from '../../setup/raised.ts'
import type { Msp } from '../../setup/world.ts'
import {
  apply,
  assigneeOf,
  changeTicket,
  DECISION,
  dispatchMsp,
  graphql,
  override,
  replaceCalls,
  rest,
  services,
  useDispatchPsa,
  writesOf,
} from './dispatch-psa.ts'

useDispatchPsa()
afterEach(() => clock.reset())

const apiOf = (api: { name: string }) => (api.name === 'rest' ? rest : graphql)
const actionsOf = async (msp: Msp) => (await activitiesOf(msp)).map(({ action }) => action)

const away = () => Promise.reject(new PortUnavailable('It is away'))

/** The PSA makes the write, and its answer is lost. */
const losing = (local: Psa): Partial<Psa> => ({
  async updateTicket(...given) {
    await local.updateTicket(...given)
    return await away()
  },
})

const unknowing = (): Partial<Psa> => ({ outcomeOf: async () => 'UNKNOWN' })

/** Performs the tenant’s jobs that find out about writes, as an attempt of that number. */
const perform = (msp: Msp) => performWaiting(msp, ASSIGN.name, { services: services() })

describeApi('a decision', (given) => {
  const api = apiOf(given)

  it.each([
    ['was assigned meanwhile', { assignee_psa_id: 13 }, 'The ticket was assigned to somebody meanwhile.'],
    ['was closed meanwhile', { status: 'Closed', closed_at: new Date() }, 'The ticket was closed meanwhile.'],
  ])('whose ticket %s is EXPIRED, and the ticket stays as it is', async (_name, data, reason) => {
    const msp = await dispatchMsp()
    await changeTicket(msp, data)
    const { status, error } = await apply(api, msp)
    expect([status, error?.code, error?.details.status]).toEqual([409, 'dispatch_decision_closed', 'EXPIRED'])
    expect(await decisionsOf(msp)).toMatchObject([
      {
        status: 'EXPIRED',
        explanation: `Technician 1 has the highest score. ${reason}`,
        applied_at: null,
        chosen_technician_id: 1,
        assigning_until: null,
        revision: 2,
      },
    ])
    expect(await actionsOf(msp)).toEqual(['dispatch_decision.expired'])
    expect(await writesOf(msp)).toEqual([])
    expect((await raised(msp)).map(({ type }) => type)).toEqual(['dispatch.closed'])
    expect(outcome(await apply(api, msp))).toEqual([409, 'dispatch_decision_closed'])
    expect(await actionsOf(msp)).toHaveLength(1)
  })

  it('that the PSA refuses is FAILED, with the reason in words', async () => {
    const msp = await dispatchMsp()
    replaceCalls(msp, () => ({ updateTicket: () => Promise.reject(new PortRefusal('TECHNICIAN_NOT_FOUND')) }))
    const { error } = await override(api, msp)
    expect([error?.code, error?.details.status]).toEqual(['dispatch_decision_closed', 'FAILED'])
    expect(await decisionsOf(msp)).toMatchObject([
      {
        status: 'FAILED',
        explanation: expect.stringContaining(
          'The PSA refused the technician: it does not know the technician.',
        ),
        overridden_by_name: null,
        chosen_technician_id: 1,
      },
    ])
    expect(await actionsOf(msp)).toEqual(['dispatch_decision.failed'])
  })

  it('whose ticket is gone is FAILED', async () => {
    const msp = await dispatchMsp({ ticket_id: 'gone' })
    const { error } = await apply(api, msp)
    expect(error?.details.status).toBe('FAILED')
  })

  it.each(['ticket', 'updateTicket'] as const)(
    'stays SUGGESTED while %s of the PSA does not answer, and is applied afterwards',
    async (name) => {
      const msp = await dispatchMsp()
      replaceCalls(msp, () => ({ [name]: away }))
      expect(outcome(await apply(api, msp))).toEqual([503, 'upstream_unavailable'])
      expect(await decisionsOf(msp)).toMatchObject([
        { status: 'SUGGESTED', assigning_until: null, revision: 1 },
      ])
      expect(await actionsOf(msp)).toEqual([])
      replaceCalls(msp)
      expect((await apply(api, msp)).data.status).toBe('APPLIED')
      expect(await writesOf(msp)).toHaveLength(1)
    },
  )

  it.each([
    ['the PSA tells of', undefined],
    ['the ticket shows', unknowing],
  ])(
    'whose write was made, as %s, is applied by the next call without another write',
    async (_name, calls) => {
      const msp = await dispatchMsp()
      replaceCalls(msp, losing)
      expect(outcome(await apply(api, msp))).toEqual([503, 'upstream_unavailable'])
      expect(await assigneeOf(msp)).toBe(11)
      replaceCalls(msp, calls)
      expect((await apply(api, msp)).data).toMatchObject({ status: 'APPLIED', chosen_technician_id: 1 })
      expect(await writesOf(msp)).toHaveLength(1)
      expect(await actionsOf(msp)).toEqual(['dispatch_decision.applied'])
    },
  )

  it('whose write was made refuses another choice', async () => {
    const msp = await dispatchMsp()
    replaceCalls(msp, losing)
    await apply(api, msp)
    replaceCalls(msp)
    const { error } = await override(api, msp)
    expect([error?.code, error?.details.status]).toEqual(['dispatch_decision_closed', 'APPLIED'])
    expect(await decisionsOf(msp)).toMatchObject([{ status: 'APPLIED', overridden_by_name: null }])
    expect(await assigneeOf(msp)).toBe(11)
  })

  it('whose write was not made takes another choice', async () => {
    const msp = await dispatchMsp()
    replaceCalls(msp, () => ({ updateTicket: away }))
    await apply(api, msp)
    replaceCalls(msp)
    // The write that was given up may still come.
    expect(outcome(await override(api, msp))).toEqual([503, 'service_unavailable'])
    expect(await writesOf(msp)).toEqual([])
    clock.advance(60_000)
    expect((await override(api, msp)).data.status).toBe('OVERRIDDEN')
    expect(await writesOf(msp)).toEqual([`${DECISION}/assign/2`])
  })
})

describe('a write whose answer was lost', () => {
  test('is found out about without another call', async () => {
    const msp = await dispatchMsp()
    replaceCalls(msp, losing)
    await override(rest, msp)
    await expect(perform(msp).then(() => decisionsOf(msp))).resolves.toMatchObject([
      { status: 'OVERRIDDEN', overridden_by_name: 'Admin', comment: 'Knows the customer.' },
    ])
    expect(await raised(msp, 'dispatch.overridden')).toHaveLength(1)
    expect(await writesOf(msp)).toHaveLength(1)
  })

  test('and that was not made is left to people', async () => {
    const msp = await dispatchMsp()
    replaceCalls(msp, () => ({ updateTicket: away }))
    await apply(rest, msp)
    replaceCalls(msp)
    expect(await perform(msp)).toBe(1)
    expect(await decisionsOf(msp)).toMatchObject([
      { status: 'SUGGESTED', assigning_until: null, assignment: null, revision: 1 },
    ])
    expect(await writesOf(msp)).toEqual([])
    expect(await actionsOf(msp)).toEqual([])
  })
})

describe('a process that was lost', () => {
  /** The rows as such a process leaves them: the PSA has the write, and the lease is over. */
  async function lost(msp: Msp, assigning_until: Date): Promise<void> {
    const assignment = { technician_id: 1, psa_id: 11, key: `${DECISION}/assign/1` }
    await msp.database.prisma.dispatchDecision.updateMany({
      where: { tenant_id: msp.tenant_id },
      data: { assignment, assigning_until },
    })
  }

  test('after its write leaves a decision that is applied once its lease is over', async () => {
    const msp = await dispatchMsp()
    replaceCalls(msp, losing)
    await apply(rest, msp)
    replaceCalls(msp)
    await lost(msp, new Date(clock.now().getTime() - 1))
    const { tenant_id, environment } = msp
    const ctx = serviceContext(services(), 'test', 'test', { tenant_id, environment })
    expect(await finish(ctx, DECISION)).toMatchObject({ status: 'APPLIED', assigning_until: null })
    expect(await writesOf(msp)).toHaveLength(1)
  })

  test('is waited for by a call, which then takes the decision over', async () => {
    const msp = await dispatchMsp()
    await lost(msp, new Date(clock.now().getTime() + 500))
    expect((await apply(rest, msp)).data.status).toBe('APPLIED')
  })
})
