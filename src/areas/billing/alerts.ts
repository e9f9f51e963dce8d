/** The alerts on credits: how they are stored, changed and answered. */
import { requireTenantRow } from '../../access/credentials/credential.ts'
import { admins, dashboardAdmins } from '../../access/policies/policies.ts'
import { scoped, sql, tenancyOf } from '../../db/db.ts'
import { lockTenant } from '../../db/transaction.ts'
import type { Context } from '../../gateway/context.ts'
import { etagOf, REVISION } from '../../gateway/entity-tags.ts'
import { builder } from '../../schema/builder.ts'
import { change, defineResource } from '../../schema/changes/change.ts'
import { upsertOf } from '../../schema/changes/row-update.ts'
import type { Row } from '../../schema/models.ts'
import { rowType } from '../../schema/row-type.ts'
import { onlyRowId } from '../../schema/scalars/entity-id.ts'
import { tenantWith } from '../tenant/index.ts'
import { area } from './area.ts'
import { DEFAULT_THRESHOLDS, thresholdsOf } from './rules.ts'

type Alerts = Row<'BillingAlerts'>

const alertsEtag = ({ revision }: Pick<Alerts, 'revision'>): string => etagOf(revision)

const BillingAlerts = rowType('BillingAlerts', {
  fields: (t) => ({
    id: t.id(onlyRowId('billing_alerts')),
    thresholds_pct: t.exposeIntList('thresholds_pct'),
    revision: t.exposeInt('revision', { description: REVISION }),
  }),
})

const READ = scoped(
  'billing_alerts.read',
  `select coalesce(a.thresholds_pct, '{${DEFAULT_THRESHOLDS}}') as thresholds_pct,
     coalesce(a.revision, 1) as revision, coalesce(a.updated_at, t.created_at) as updated_at
   ${tenantWith('billing_alerts', 'a')}`,
)

const readAlerts = async (ctx: Context): Promise<Alerts> =>
  requireTenantRow((await sql<Alerts>(ctx, READ))[0])

/** The alerts, locked until the transaction ends: there may be no row yet. */
async function lockAlerts(ctx: Context): Promise<Alerts> {
  await lockTenant(ctx, `${tenancyOf(ctx).environment} billing_alerts`)
  return await readAlerts(ctx)
}

const BILLING_ALERTS = defineResource<Alerts>()({
  noun: 'billing_alerts',
  etag: alertsEtag,
  named: () => ({ id: 'billing_alerts', name: 'Billing alerts' }),
  write: upsertOf('BillingAlerts', { key: [], columns: ['thresholds_pct'] }),
})

area.query('billing_alerts', (t) =>
  t.field({
    type: BillingAlerts,
    description: 'Gets the shares of the included credits at which the tenant wants to be alerted.',
    rest: { method: 'GET', path: '/billing/alerts' },
    access: admins('billing:read'),
    etag: alertsEtag,
    resolve: (_root, _args, ctx) => readAlerts(ctx),
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
    etag: alertsEtag,
    args: { input: t.arg({ type: BillingAlertsPatch, required: true }) },
    resolve: (_root, { input: { thresholds_pct } }, ctx) =>
      change(ctx, BILLING_ALERTS, lockAlerts(ctx), {
        verb: 'updated',
        decide: () => (thresholds_pct ? { thresholds_pct: thresholdsOf(thresholds_pct) } : {}),
      }),
  }),
)
