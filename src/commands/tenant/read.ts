/** The commands of `npm run tenant` that read what a tenant has in the environment. */
import { pepperId } from '../../access/credentials/api-key-secret.ts'
import { type Status, statusOf } from '../../areas/api-keys/rules.ts'
import { readSubscription } from '../../areas/billing/subscription.ts'
import { db, ownTenant, sql } from '../../db/db.ts'
import type { MutationContext } from '../../gateway/context.ts'
import { type CommandContext, type Outcome, requireTenant, runRecorded } from './recorded.ts'

/** Reads at one moment. */
const reading = (
  place: CommandContext,
  tenant_id: string,
  work: (ctx: MutationContext) => Promise<Outcome>,
): Promise<Outcome> =>
  runRecorded(place, tenant_id, async (ctx) => {
    await requireTenant(ctx, tenant_id)
    return await work(ctx)
  })

const readKeys = async (ctx: MutationContext) =>
  (await db(ctx).apiKey.findMany({ orderBy: [{ created_at: 'asc' }, { id: 'asc' }] })).map((key) => ({
    ...key,
    status: statusOf(key, ctx.now),
  }))

const COUNTED: Status = 'ACTIVE'

const TENANT = ownTenant(
  'tenants.show',
  'select name, data_residency, created_at, suspended_at from tenant where id = $1',
)

export const show = (place: CommandContext, tenant_id: string): Promise<Outcome> =>
  reading(place, tenant_id, async (ctx) => {
    const [tenant] = await sql<Record<string, unknown>>(ctx, TENANT)
    const subscription = await readSubscription(ctx)
    const { plan_name, status, seats, trial_ends_at, current_period_start, current_period_end } = subscription
    const { credits_included, credits_used } = subscription
    const users = await db(ctx).tenantUser.count()
    const keys = await readKeys(ctx)
    const result = {
      tenant_id,
      environment: place.environment,
      ...tenant,
      plan_name,
      status,
      seats,
      trial_ends_at,
      current_period_start,
      current_period_end,
      credits_included,
      credits_used,
      users,
      active_keys: keys.filter((key) => key.status === COUNTED).length,
    }
    return { result, message: '' }
  })

export const listUsers = (place: CommandContext, tenant_id: string): Promise<Outcome> =>
  reading(place, tenant_id, async (ctx) => {
    const users = await db(ctx).tenantUser.findMany({ orderBy: [{ created_at: 'asc' }, { id: 'asc' }] })
    const result = users.map(
      ({ id: user_id, email, name, role, subject, technician_profile_id, ...user }) => ({
        user_id,
        email,
        name,
        role,
        subject,
        technician_id: technician_profile_id,
        created_at: user.created_at,
        last_seen_at: user.last_seen_at,
      }),
    )
    return { result, message: result.length === 0 ? `The tenant ${tenant_id} has no user.` : '' }
  })

/** The place of the pepper in KEY_PEPPER, from 1 on. */
function placeOf(pepper_id: string | null, { key_peppers }: CommandContext): number | string {
  if (pepper_id === null) return 'unknown'
  const index = key_peppers.findIndex((pepper) => pepperId(pepper) === pepper_id)
  return index === -1 ? 'missing' : index + 1
}

export const listKeys = (place: CommandContext, tenant_id: string): Promise<Outcome> =>
  reading(place, tenant_id, async (ctx) => {
    const keys = await readKeys(ctx)
    const result = keys.map(
      ({ id: api_key_id, name, status, prefix, created_by_name, pepper_id, ...key }) => ({
        api_key_id,
        name,
        status,
        prefix,
        pepper: placeOf(pepper_id, place),
        created_by_name,
        created_at: key.created_at,
        expires_at: key.expires_at,
        last_used_at: key.last_used_at,
      }),
    )
    return { result, message: result.length === 0 ? `The tenant ${tenant_id} has no API key.` : '' }
  })
