import { describe, expect, it } from 'vitest'
import { DEFAULT_THRESHOLDS } from '../../../src/areas/billing/rules.ts'
import { apis, describeApi } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { type Msp, world } from '../../setup/world.ts'

describeApi('billing alerts', (api) => {
  const read = (msp: Msp) => api.call(msp.admin, 'billing_alerts')
  const update = (msp: Msp, input: object, headers = {}) =>
    api.call(msp.admin, 'update_billing_alerts', { input }, headers)

  it('have defaults, which are the model’s, and are replaced in any order', async () => {
    const msp = await world()
    const first = await read(msp)
    expect([first.data, first.etag]).toEqual([
      { thresholds_pct: [...DEFAULT_THRESHOLDS], revision: 1 },
      '"1"',
    ])
    const changed = await update(msp, { thresholds_pct: [100, 50, 100, 150] })
    expect([changed.data, changed.etag]).toEqual([{ thresholds_pct: [50, 100, 150], revision: 2 }, '"2"'])
    expect((await read(msp)).data).toEqual(changed.data)
    expect((await update(msp, { thresholds_pct: [] })).data).toEqual({ thresholds_pct: [], revision: 3 })
    const { tenant_id, database } = await world()
    const stored = await database.prisma.billingAlerts.create({
      data: { tenant_id, environment: 'elsewhere', updated_at: clock.now() },
    })
    expect(stored.thresholds_pct).toEqual(DEFAULT_THRESHOLDS)
  })

  it('that are sent back as they were read stay as they are, and nothing is recorded', async () => {
    const msp = await world()
    for (const turn of ['before', 'after'] as const) {
      if (turn === 'after') await update(msp, { thresholds_pct: [75] })
      const { data, etag } = await read(msp)
      const before = (await activitiesOf(msp)).length
      for (const input of [{}, { thresholds_pct: [...data.thresholds_pct].reverse() }]) {
        const answer = await update(msp, input)
        expect([answer.status, answer.data, answer.etag]).toEqual([200, data, etag])
      }
      expect(await activitiesOf(msp)).toHaveLength(before)
    }
  })

  it('leave one activity row per change, with what was before and after', async () => {
    const msp = await world()
    await update(msp, { thresholds_pct: [90] })
    expect(await activitiesOf(msp)).toMatchObject([
      {
        action: 'billing_alerts.updated',
        actor_id: msp.admin.id,
        before: { thresholds_pct: [80, 100] },
        after: { thresholds_pct: [90] },
      },
    ])
  })

  it('refuse an outdated If-Match', async () => {
    const msp = await world()
    expect((await update(msp, { thresholds_pct: [90] }, { 'if-match': '"1"' })).status).toBe(200)
    const late = await update(msp, { thresholds_pct: [70] }, { 'if-match': '"1"' })
    expect([late.status, late.error?.code, late.error?.details.current_etag]).toEqual([
      409,
      'version_conflict',
      '"2"',
    ])
  })

  it.each([
    [{ thresholds_pct: [0] }, 'thresholds_pct.0', 'range'],
    [{ thresholds_pct: [50, 1001] }, 'thresholds_pct.1', 'range'],
    [{ thresholds_pct: [50, null] }, 'thresholds_pct.1', 'null'],
    [{ thresholds_pct: [12.5] }, 'thresholds_pct.0', 'type'],
    [{ thresholds_pct: null }, 'thresholds_pct', 'null'],
    [{ thresholds_pct: Array(11).fill(50) }, 'thresholds_pct', 'length'],
  ])('refuse %j with 422, and stay as they are', async (input, field, code) => {
    const msp = await world()
    const { status, error } = await update(msp, input)
    expect([status, error?.code]).toEqual([422, 'request_validation_failed'])
    expect(error?.details.field_errors).toMatchObject([{ field, location: 'body', code }])
    expect((await read(msp)).data.revision).toBe(1)
  })
})

describe.runIf(process.env.DATABASE_URL).each(apis)('20 at once through $name:', (api) => {
  it('one change of the alerts with the tag that all have read', async () => {
    const msp = await world()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        api.call(
          msp.admin,
          'update_billing_alerts',
          { input: { thresholds_pct: [1 + index] } },
          { 'if-match': '"1"' },
        ),
      ),
    )
    const outcomes = answers.map(({ error, data }) => error?.code ?? data.revision)
    expect(outcomes.sort()).toEqual([2, ...Array(19).fill('version_conflict')])
    expect(await activitiesOf(msp)).toHaveLength(1)
  })

  it('and without a tag every change counts once', async () => {
    const msp = await world()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        api.call(msp.admin, 'update_billing_alerts', { input: { thresholds_pct: [1 + index] } }),
      ),
    )
    const revisions = answers.map(({ data }) => data.revision).sort((a, b) => a - b)
    expect(revisions).toEqual(Array.from({ length: 20 }, (_, index) => 2 + index))
  })
})
