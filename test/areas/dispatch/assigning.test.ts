/** Applying a suggestion, choosing another technician, and what refuses both. */
import { afterEach, expect, it } from 'vitest'
import { describeApi, outcome } from '../../setup/api.ts'
import { clock, ENVIRONMENT } from '../../setup/app.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { decisionsOf, setDispatch } from '../../setup/dispatch.ts'
import { raised } from '../../setup/raised.ts'
import { type Msp, world } from '../../setup/world.ts'
import {
  apply,
  assigneeOf,
  changeTicket,
  DECISION,
  dispatchMsp,
  graphql,
  override,
  rest,
  useDispatchPsa,
  writesOf,
} from './dispatch-psa.ts'

useDispatchPsa()
afterEach(() => clock.reset())

const apiOf = (api: { name: string }) => (api.name === 'rest' ? rest : graphql)
const familiarityOf = ({ database, tenant_id }: Msp) =>
  database.prisma.dispatchFamiliarity.findMany({ where: { tenant_id } })
const turnsOf = ({ database, tenant_id }: Msp) =>
  database.prisma.dispatchTurn.findMany({ where: { tenant_id }, orderBy: { turn: 'asc' } })
const actionsOf = async (msp: Msp) => (await activitiesOf(msp)).map(({ action }) => action)

/** Nothing was written: not to the PSA, not to the decision, and no activity. */
async function expectUntouched(msp: Msp, status = 'SUGGESTED'): Promise<void> {
  expect(await writesOf(msp)).toEqual([])
  expect(await actionsOf(msp)).toEqual([])
  expect(await decisionsOf(msp)).toMatchObject([
    { status, revision: 1, assignment: null, assigning_until: null },
  ])
}

describeApi('applying a suggestion', (given) => {
  const api = apiOf(given)

  it('gives the ticket to the technician, once and for all', async () => {
    const msp = await dispatchMsp()
    const answer = await apply(api, msp)
    expect(answer.data).toMatchObject({
      id: DECISION,
      status: 'APPLIED',
      chosen_technician_id: 1,
      overridden_by_name: null,
      comment: null,
      revision: 2,
      explanation: 'Technician 1 has the highest score.',
    })
    expect(answer.data.applied_at).not.toBeNull()
    expect(await assigneeOf(msp)).toBe(11)
    expect(await writesOf(msp)).toEqual([`${DECISION}/assign/1`])
    expect(await actionsOf(msp)).toEqual(['dispatch_decision.applied'])
    expect(await raised(msp, 'dispatch.applied')).toMatchObject([
      { entity_id: DECISION, data: { status: 'APPLIED', technician_id: 1, ticket_id: '4711' } },
    ])
    expect(await familiarityOf(msp)).toMatchObject([{ psa_company_id: 'psa_alder', psa_id: 11 }])
    expect(await turnsOf(msp)).toEqual([])
    expect(await decisionsOf(msp)).toMatchObject([{ assigning_until: null }])
  })

  it('is refused the second time with the status, and writes nothing again', async () => {
    const msp = await dispatchMsp()
    await apply(api, msp)
    const { status, error } = await apply(api, msp)
    expect([status, error?.code, error?.details.status]).toEqual([409, 'dispatch_decision_closed', 'APPLIED'])
    expect(outcome(await override(api, msp))).toEqual([409, 'dispatch_decision_closed'])
    expect(await writesOf(msp)).toHaveLength(1)
  })

  it('answers an Idempotency-Key again, and has one effect', async () => {
    const msp = await dispatchMsp()
    const first = await apply(api, msp, { 'idempotency-key': 'k' })
    const again = await apply(api, msp, { 'idempotency-key': 'k' })
    expect([first.status, again.status]).toEqual([200, 200])
    expect(again.data).toEqual(first.data)
    expect(await actionsOf(msp)).toHaveLength(1)
  })

  it('with the key of an ending answers the refusal again', async () => {
    const msp = await dispatchMsp()
    await changeTicket(msp, { assignee_psa_id: 13 })
    for (const _ of [1, 2]) {
      const { error } = await apply(api, msp, { 'idempotency-key': 'k' })
      expect([error?.code, error?.details.status]).toEqual(['dispatch_decision_closed', 'EXPIRED'])
    }
    expect(await actionsOf(msp)).toEqual(['dispatch_decision.expired'])
  })

  it('compares If-Match before anything is asked of the PSA', async () => {
    const msp = await dispatchMsp()
    expect(outcome(await apply(api, msp, { 'if-match': '"other"' }))).toEqual([409, 'version_conflict'])
    await expectUntouched(msp)
    const { etag } = await apply(api, msp)
    expect(etag).not.toBeNull()
    expect(outcome(await apply(api, msp, { 'if-match': etag ?? '' }))).toEqual([
      409,
      'dispatch_decision_closed',
    ])
  })

  it('is refused while dispatch is turned off', async () => {
    const msp = await dispatchMsp()
    await setDispatch(msp, { enabled: false })
    expect(outcome(await apply(api, msp))).toEqual([409, 'dispatch_disabled'])
    expect(outcome(await override(api, msp))).toEqual([409, 'dispatch_disabled'])
    await expectUntouched(msp)
  })

  it.each([
    ['of a decision that chose nobody', 'NONE_FITS' as const, null],
    ['of a technician who is not there', 'SUGGESTED' as const, 99],
  ])('%s is refused with no_candidates', async (_name, status, suggested_technician_id) => {
    const msp = await dispatchMsp({ status, suggested_technician_id })
    expect(outcome(await apply(api, msp))).toEqual([409, 'no_candidates'])
    await expectUntouched(msp, status)
  })

  it('is for those with dispatch:write, of the tenant', async () => {
    const msp = await dispatchMsp()
    const { admin: stranger } = await world()
    const asked = (caller: Msp['viewer']) =>
      api.call(caller, 'apply_dispatch_decision', { decision_id: DECISION })
    expect(outcome(await asked(msp.viewer))).toEqual([403, 'forbidden'])
    expect(outcome(await asked(stranger))).toEqual([404, 'dispatch_decision_not_found'])
    await expectUntouched(msp)
  })

  it('of a decision of another environment finds none', async () => {
    const msp = await dispatchMsp({ environment: 'elsewhere' })
    expect(ENVIRONMENT).not.toBe('elsewhere')
    expect(outcome(await apply(api, msp))).toEqual([404, 'dispatch_decision_not_found'])
  })
})

describeApi('choosing another technician', (given) => {
  const api = apiOf(given)

  it.each([
    ['a suggestion', {}],
    ['a decision that chose nobody', { status: 'NONE_FITS' as const }],
  ])('overrides %s', async (_name, decision) => {
    const msp = await dispatchMsp(decision)
    const { data } = await override(api, msp)
    expect(data).toMatchObject({
      status: 'OVERRIDDEN',
      chosen_technician_id: 2,
      overridden_by_name: 'Admin',
      comment: 'Knows the customer.',
    })
    expect(data.applied_at).not.toBeNull()
    expect(await assigneeOf(msp)).toBe(12)
    expect(await writesOf(msp)).toEqual([`${DECISION}/assign/2`])
    expect(await raised(msp, 'dispatch.overridden', 'dispatch.applied')).toMatchObject([
      { type: 'dispatch.overridden', data: { technician_id: 2 } },
    ])
    expect(await turnsOf(msp)).toMatchObject([{ technician_id: 2 }])
    expect(await familiarityOf(msp)).toMatchObject([{ psa_id: 12 }])
  })

  it.each([
    ['is not there', 99, 'unknown'],
    ['is suggested already', 1, 'already_suggested'],
  ])('refuses one who %s', async (_name, technician_id, code) => {
    const msp = await dispatchMsp()
    const { status, error } = await override(api, msp, technician_id)
    expect(status).toBe(422)
    expect(error?.details.field_errors).toMatchObject([{ field: 'technician_id', code }])
    await expectUntouched(msp)
  })

  it('refuses one who is deleted', async () => {
    const msp = await dispatchMsp()
    await msp.database.prisma.technicianProfile.updateMany({
      where: { tenant_id: msp.tenant_id, id: 2 },
      data: { deleted_at: clock.now() },
    })
    const { error } = await override(api, msp)
    expect(error?.details.field_errors).toMatchObject([{ field: 'technician_id', code: 'unknown' }])
    await expectUntouched(msp)
  })

  it.each([
    ['no comment', '', 'request_validation_failed'],
    ['a comment that is too long', 'x'.repeat(2001), 'request_validation_failed'],
    ['a secret', 'Use svc_sk_dev_0123456789abcdefghij.', 'secret_in_content'],
  ])('refuses %s', async (_name, comment, code) => {
    const msp = await dispatchMsp()
    expect(outcome(await override(api, msp, 2, comment))).toEqual([422, code])
    await expectUntouched(msp)
  })

  it('gives the next turn to everybody who waits longer', async () => {
    const msp = await dispatchMsp()
    const { tenant_id, environment } = msp
    await msp.database.prisma.dispatchTurn.createMany({
      data: [
        { tenant_id, environment, technician_id: 2, turn: 3 },
        { tenant_id, environment, technician_id: 1, turn: 4 },
      ],
    })
    await override(api, msp)
    expect(await turnsOf(msp)).toMatchObject([
      { technician_id: 1, turn: 4n },
      { technician_id: 2, turn: 5n },
    ])
  })
})
