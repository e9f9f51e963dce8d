/** Asking for an integration: five times in any seven days. */
import { rateLimited } from '../../access/limits/state.ts'
import { scope } from '../../access/policies/policies.ts'
import { callerOf, recordedName } from '../../access/viewer.ts'
import { lockTenant } from '../../db/transaction.ts'
import { ApiError, bodyProblem, invalid } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import { builder } from '../../schema/builder.ts'
import { onTable } from '../../schema/tables/operations.ts'
import { area } from './area.ts'
import { IntegrationAccess } from './integration-request.ts'
import { INTEGRATION_REQUEST, latestRequests } from './queries.ts'
import { limitStatusAfter, requestLimitStatus } from './request-limit.ts'
import { findListed, isDocsUrl } from './rules.ts'

const IntegrationRequestDraft = builder.inputType('IntegrationRequestDraft', {
  description: 'The integration that is asked for.',
  fields: (t) => ({
    vendor_name: t.string({
      min_length: 1,
      max_length: 120,
      required: true,
      description: 'Vendor or product that the listing of integrations does not have.',
    }),
    use_case: t.string({
      min_length: 1,
      max_length: 4000,
      required: true,
      description: 'The work that the agents should do with the vendor, in your own words.',
    }),
    docs_url: t.field({
      type: 'URL',
      min_length: 1,
      max_length: 2048,
      nullable: true,
      description: 'Link to the vendor’s API documentation. null: not known. It is kept, and never fetched.',
    }),
    access: t.field({
      type: IntegrationAccess,
      defaultValue: 'READ_ONLY',
      description: 'READ_WRITE when agents must also change things there.',
    }),
    can_share_test_key: t.boolean({
      defaultValue: false,
      description: 'true: you can give a test API key when asked.',
    }),
  }),
})

/** 429 if the tenant has used up its requests, in whichever environment; else this one counts. */
async function checkRequestLimit(ctx: Context): Promise<void> {
  await lockTenant(ctx, 'integration_requests')
  const accepted = await latestRequests(ctx)
  const before = limitStatusAfter(accepted, ctx.now)
  const { allowed } = before.decision
  ctx.rates.add(allowed ? limitStatusAfter([ctx.now, ...accepted], ctx.now) : before)
  if (!allowed) throw rateLimited(before, ctx.now)
}

onTable(area, INTEGRATION_REQUEST).create('request_integration', {
  description:
    'Asks for a native integration with a vendor that the integrations listing does not list. A tenant may send ' +
    '5 requests in any 7 days, over all its environments; the sixth is answered with 429 `rate_limited`. ' +
    'Refused requests do not count. A vendor that is listed is answered with 409 `integration_exists` and its ' +
    '`details.name`.',
  rest: { method: 'POST', path: '/integrations/requests' },
  access: scope('integrations:write'),
  errors: ['integration_exists'],
  limit: requestLimitStatus,
  input: IntegrationRequestDraft,
  action: 'integration.requested',
  async values(ctx, { vendor_name, use_case, docs_url = null, access, can_share_test_key }) {
    if (docs_url !== null && !isDocsUrl(docs_url)) {
      const message = 'must be an http or https address without a user name and password'
      throw invalid([bodyProblem('docs_url', 'format', message)])
    }
    const existing = findListed(vendor_name)
    if (existing) throw new ApiError('integration_exists', { details: { name: existing.name } })
    await checkRequestLimit(ctx)
    return {
      vendor_name,
      use_case,
      docs_url,
      // Contract silent: a field that is left out asks for the least.
      access: access ?? 'READ_ONLY',
      can_share_test_key: can_share_test_key ?? false,
      requested_by_name: recordedName(callerOf(ctx)),
    }
  },
})
