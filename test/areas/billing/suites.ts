import fc from 'fast-check'
import { clock } from '../../setup/app.ts'
import { reachThresholdsOf } from '../../setup/due.ts'
import type { AreaSuites } from '../../setup/suites/area.ts'

export const SUITES: AreaSuites = {
  who_may: {
    billing_subscription: { scope: 'billing:read', admins: true },
    billing_usage: { scope: 'billing:read' },
    billing_alerts: { scope: 'billing:read', admins: true },
    update_billing_alerts: 'dashboard admins',
  },
  examples: {
    reads: {
      billing_alerts: {},
      billing_subscription: {},
      billing_usage: { group_by: 'AGENT' },
    },
    writes: {
      update_billing_alerts: { input: { thresholds_pct: [75, 90, 100] } },
    },
  },
  async own_rows({ database: { prisma }, tenant_id, environment }, { mark, number }) {
    const now = clock.now()
    const tenancy = { tenant_id, environment }
    await prisma.subscription.upsert({
      where: { tenant_id_environment: tenancy },
      create: { ...tenancy, plan_name: mark, first_period_start: now, updated_at: now },
      update: { plan_name: mark },
    })
    await prisma.billingAlerts.upsert({
      where: { tenant_id_environment: tenancy },
      create: { ...tenancy, thresholds_pct: [number], updated_at: now },
      update: { thresholds_pct: [number] },
    })
    return {}
  },
  events: {
    async 'billing.threshold_reached'({ msp }) {
      const { database, tenant_id, environment } = msp
      await database.prisma.modelQuestion.create({
        data: { tenant_id, environment, id: 'mqu_1', at: clock.now(), credits: 900 },
      })
      await reachThresholdsOf(msp)
    },
  },
  shown_by: { billing_alerts: 'number', billing_usage: 'number' },
  channel_writes: {
    update_billing_alerts: 'runs at once',
  },
  foreign_tables: {
    tenant: 'the tenants whose thresholds are looked at are found by one statement',
  },
  sent_back: {
    update_billing_alerts: {
      written_first: true,
      bodies: () =>
        fc.record({ thresholds_pct: fc.array(fc.integer({ min: 1, max: 1000 }), { maxLength: 10 }) }),
    },
  },
}
