/** Feeds a system with its customers, whether or not the service has an adapter for it. */
import { admins } from '../../access/policies/policies.ts'
import { lockTenant } from '../../db/transaction.ts'
import { ApiError, bodyProblem, type FieldError, invalid } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import { builder } from '../../schema/builder.ts'
import { type Customer, replaceCustomers } from '../company-links/index.ts'
import { requireIntegration } from '../integrations/index.ts'
import { area } from './area.ts'
import { beginAskedSync, syncsOf } from './begin.ts'
import { judgeUnfinished } from './judge.ts'
import { earlierSyncs, SYNC, storeProgress } from './queries.ts'
import { isPut, repeatedIds, stagesAfterPut } from './rules.ts'
import { IntegrationSync, type SyncRow, syncEtag } from './sync.ts'

const MAX_CUSTOMERS = 10_000
const MAX_BODY_BYTES = 8 * 1024 * 1024

const IntegrationCustomerInput = builder.inputType('IntegrationCustomerInput', {
  description: 'A customer, as the integration has it.',
  fields: (t) => ({
    external_id: t.field({
      type: 'ID',
      required: true,
      min_length: 1,
      max_length: 200,
      description: 'Id of the customer in the integration: no two have the same.',
    }),
    name: t.string({
      min_length: 1,
      max_length: 500,
      description: 'The integration’s name for the customer. Left out: it has none.',
    }),
    domains: t.stringList({
      max_items: 100,
      max_length: 255,
      description: 'E-mail and web domains of the customer, in any form.',
    }),
    asset_names: t.stringList({
      max_items: 2000,
      max_length: 255,
      description: 'Names of the customer’s devices.',
    }),
  }),
})

const IntegrationCustomersInput = builder.inputType('IntegrationCustomersInput', {
  description: 'All customers that an integration has.',
  fields: (t) => ({
    customers: t.field({
      type: [IntegrationCustomerInput],
      required: true,
      max_items: MAX_CUSTOMERS,
      description: 'All of them, 0 to 10,000.',
    }),
    accept_missing: t.boolean({
      defaultValue: false,
      description:
        'true: customers that are not in the list are marked, however many they are. false: if they are more than 20 and ' +
        'more than a fifth of those that were there, none is marked. NDJSON has no place for it.',
    }),
  }),
})

const problemsOf = (customers: readonly { external_id: string }[]): FieldError[] =>
  repeatedIds(customers).map((index) =>
    bodyProblem(`customers.${index}.external_id`, 'duplicate', 'is the id of a customer above'),
  )

/** Ends a sync that only resolves what is replaced now; 409 for one that reads the system. */
async function supersede(ctx: Context, sync_id: string): Promise<void> {
  const sync = await SYNC.lockIfThere(ctx, sync_id)
  if (!sync) return
  if (!isPut(sync)) throw new ApiError('sync_already_running', { details: { sync_id } })
  await storeProgress(ctx, sync, { status: 'CANCELLED', stages: sync.stages, error: null })
  await judgeUnfinished(ctx, sync)
}

async function putCustomers(
  ctx: Context,
  name: string,
  customers: readonly Customer[],
  accept_missing: boolean,
): Promise<SyncRow> {
  const integration = requireIntegration(name)
  const problems = problemsOf(customers)
  if (problems.length > 0) throw invalid(problems)
  await lockTenant(ctx, syncsOf(ctx, integration))
  const { open_id } = await earlierSyncs(ctx, name)
  if (open_id !== null) await supersede(ctx, open_id)
  const counts = await replaceCustomers(ctx, integration.system, customers, accept_missing)
  return await beginAskedSync(ctx, {
    integration,
    action: 'integration_customers.replaced',
    is_full: true,
    accept_missing,
    changed_since: null,
    stages: stagesAfterPut({ read: customers.length, ...counts }),
  })
}

area.mutation('put_integration_customers', (t) =>
  t.field({
    type: IntegrationSync,
    description:
      'Replaces the customers of an integration, connected or not. Those that are not there any more are marked, and none is ' +
      'deleted; of their company links those stay that a person made. All are stored, or on an error none; then a sync finds ' +
      'their companies, which is the answer: its first stage counts the customers. If more than 20 and more than a fifth of ' +
      'those that were there are not in the list, none is marked, the sync ends PARTIAL, and its `error` has both numbers; ' +
      'the same list with `accept_missing`, which JSON alone can have, marks them. Over REST the list may also come as ' +
      'NDJSON, one customer in a line. A body has at most 8 MiB and, ' +
      'if it is JSON, 80,000 values; of GraphQL it has at most 1 MiB.',
    rest: { method: 'PUT', path: '/integrations/{name}/customers' },
    // Contract silent: whoever may change integrations in the dashboard, or a key that may write them.
    access: admins('integrations:write'),
    errors: ['unknown_integration', 'sync_already_running'],
    max_body_bytes: MAX_BODY_BYTES,
    ndjson: { member: 'customers', max_items: MAX_CUSTOMERS },
    etag: syncEtag,
    args: {
      name: t.arg({ type: 'ID', required: true, description: 'The `id` of the integration, in lower case.' }),
      input: t.arg({ type: IntegrationCustomersInput, required: true }),
    },
    resolve: (_root, { name, input }, ctx) => {
      const given = (ctx.sent_body ?? input) as typeof input
      const customers = given.customers.map(({ external_id, name: own_name, domains, asset_names }) => ({
        external_id,
        name: own_name ?? null,
        domains: domains ?? [],
        asset_names: asset_names ?? [],
      }))
      return putCustomers(ctx, name, customers, given.accept_missing ?? false)
    },
  }),
)
