/** The alerts on credits: how they are stored, changed and answered. */
import { admins, dashboardAdmins } from '../../access/policies/policies.ts'
import { builder } from '../../schema/builder.ts'
import { change } from '../../schema/changes/change.ts'
import type { Row } from '../../schema/models.ts'
import { rowType } from '../../schema/row-type.ts'
import { onlyRowId } from '../../schema/scalars/entity-id.ts'
import { defineTenantRow } from '../../schema/tables/tenant-row.ts'
import { area } from './area.ts'
import { DEFAULT_THRESHOLDS, thresholdsOf } from './rules.ts'

type Alerts = Row<'BillingAlerts'>

const BillingAlerts = rowType('BillingAlerts', {
  fields: (t) => ({
    id: t.id(onlyRowId('billing_alerts')),
    ...t.columns('thresholds_pct', 'revision'),
  }),
})

const BILLING_ALERTS = defineTenantRow<Alerts>()('BillingAlerts', {
  noun: 'billing_alerts',
  title: 'Billing alerts',
  defaults: () => ({ thresholds_pct: [...DEFAULT_THRESHOLDS] }),
})

area.query('billing_alerts', (t) =>
  t.field({
    type: BillingAlerts,
    description: 'Gets the shares of the included credits at which the tenant wants to be alerted.',
    rest: { method: 'GET', path: '/billing/alerts' },
    access: admins('billing:read'),
    etag: BILLING_ALERTS.etag,
    resolve: (_root, _args, ctx) => BILLING_ALERTS.read(ctx),
  }),
)

const BillingAlertsPatch = builder.inputType('BillingAlertsPatch', {
  description: 'The changes. A field that is left out keeps its value.',
  fields: (t) => ({
    // Contract silent: alerts may stand beyond the included credits, for tenants that go on working then.
    thresholds_pct: t.intList({
      min: 1,
      max: 1000,
      max_items: 10,
      description:
        'Replaces the thresholds, as percentages of the included credits, in any order. One that is there twice ' +
        'counts once. Empty: no alerts.',
    }),
  }),
})

area.mutation('update_billing_alerts', (t) =>
  t.field({
    type: BillingAlerts,
    description: 'Changes the shares of the included credits at which the tenant wants to be alerted.',
    rest: { method: 'PUT', path: '/billing/alerts' },
    access: dashboardAdmins,
    errors: ['version_conflict'],
    etag: BILLING_ALERTS.etag,
    args: { input: t.arg({ type: BillingAlertsPatch, required: true }) },
    resolve: (_root, { input: { thresholds_pct } }, ctx) =>
      change(ctx, BILLING_ALERTS, BILLING_ALERTS.lock(ctx), {
        verb: 'updated',
        decide: () => (thresholds_pct ? { thresholds_pct: thresholdsOf(thresholds_pct) } : {}),
      }),
  }),
)
