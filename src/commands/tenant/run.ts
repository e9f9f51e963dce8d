/** The commands of `npm run tenant`, each in one transaction. */
import type { Channel } from '../../access/viewer.ts'
import { type Creator, createKey } from '../../areas/api-keys/queries.ts'
import { expiry, keyDraft } from '../../areas/api-keys/rules.ts'
import { setTerms } from '../../areas/billing/set-terms.ts'
import { subscribe } from '../../areas/billing/subscription.ts'
import { storeDefaults } from '../../areas/settings/queries.ts'
import { giveBuiltIns } from '../../areas/skills/built-in.ts'
import { lockTechnician } from '../../areas/tenant/lock-technician.ts'
import { createTenant, createUser, removeUser, setSuspended } from '../../areas/tenant/provision.ts'
import { db } from '../../db/db.ts'
import { statement } from '../../db/sql.ts'
import type { MutationContext } from '../../gateway/context.ts'
import { randomBase62 } from '../../lib/base62.ts'
import { newId } from '../../lib/ids.ts'
import type { Command } from './arguments.ts'
import { type CommandContext, type Outcome, requireTenant, runRecorded } from './recorded.ts'

type Options<Name extends Command['command']> = Extract<Command, { command: Name }>['options']

interface KeyOptions {
  name: string
  scopes: string[]
  days: number
  channel?: Channel | undefined
}

/** The creator of the key is an OWNER, since a key may do no more than its creator's role allows. */
async function issueKey(ctx: MutationContext, { name, scopes, days, channel }: KeyOptions, creator: Creator) {
  const draft = keyDraft({
    name,
    scopes,
    channel: channel ?? null,
    of_service: channel !== undefined,
    expires_at: expiry(ctx.now, days),
  })
  const { id, key, expires_at } = await createKey(ctx, newId('key'), draft, creator)
  return { api_key_id: id, api_key_scopes: scopes, api_key_expires_at: expires_at, api_key: key }
}

const REFERRAL_CODE_CHARACTERS = 8

async function create(place: CommandContext, options: Options<'create'>): Promise<Outcome> {
  const { name, 'data-residency': data_residency, 'owner-email': email } = options
  const tenant_id = options.id ?? newId('ten')
  const draft = { name, data_residency, referral_code: randomBase62(REFERRAL_CODE_CHARACTERS).toUpperCase() }
  const owner = {
    email,
    name: options['owner-name'] ?? email,
    subject: options['owner-subject'] ?? email,
    role: 'OWNER' as const,
    technician_profile_id: null,
  }
  const key = { name: options['key-name'], scopes: options['key-scopes'], days: options['key-days'] }
  const { environment } = place
  const made = await runRecorded(place, tenant_id, async (ctx) => {
    if (!(await createTenant(ctx, draft))) return null
    await storeDefaults(ctx)
    await subscribe(ctx)
    await giveBuiltIns(ctx)
    const user = await createUser(ctx, owner)
    if (!user) throw new Error(`The tenant ${tenant_id} has a user ${owner.subject} already.`)
    return { owner_id: user.id, owner_subject: owner.subject, ...(await issueKey(ctx, key, user)) }
  })
  const result = { tenant_id, environment, created: made !== null, ...made }
  if (!made) return { result, message: `The tenant ${tenant_id} exists already: nothing was changed.` }
  return { result, message: `Created the tenant ${tenant_id}. Its API key is shown this once.` }
}

const LIST = statement(
  'tenants.list',
  'select id as tenant_id, name, data_residency, created_at, suspended_at from tenant order by created_at, id',
)

async function list({ database }: CommandContext): Promise<Outcome> {
  const result = await database.sql.rows<Record<string, unknown>>(LIST, [])
  return { result, message: result.length === 0 ? 'There is no tenant.' : '' }
}

/** Throws if there is no such technician, or another user is it. */
async function requireUnlinked(ctx: MutationContext, technician_id: number): Promise<void> {
  const technician = await lockTechnician(ctx, technician_id)
  if (!technician) throw new Error(`The tenant has no technician ${technician_id}.`)
  if (technician.user_id)
    throw new Error(`The technician ${technician_id} is the user ${technician.user_id}.`)
}

async function addUser(place: CommandContext, options: Options<'add-user'>): Promise<Outcome> {
  const { tenant: tenant_id, email, role, name = email, subject = email, technician = null } = options
  const user = await runRecorded(place, tenant_id, async (ctx) => {
    await requireTenant(ctx, tenant_id)
    if (technician !== null) await requireUnlinked(ctx, technician)
    const created = await createUser(ctx, { email, role, name, subject, technician_profile_id: technician })
    if (!created) throw new Error(`The tenant ${tenant_id} has a user with the subject ${subject} already.`)
    return created
  })
  const { id: user_id, technician_profile_id: technician_id } = user
  const result = { tenant_id, environment: place.environment, user_id, subject, role, technician_id }
  return { result, message: `Added the user ${user.id} to the tenant ${tenant_id}.` }
}

async function dropUser(
  place: CommandContext,
  { tenant: tenant_id, user: user_id }: Options<'remove-user'>,
): Promise<Outcome> {
  await runRecorded(place, tenant_id, async (ctx) => {
    await requireTenant(ctx, tenant_id)
    await removeUser(ctx, user_id)
  })
  const result = { tenant_id, environment: place.environment, user_id, removed: true }
  return { result, message: `Removed the user ${user_id} of the tenant ${tenant_id}.` }
}

async function addKey(
  place: CommandContext,
  { tenant: tenant_id, ...key }: Options<'issue-key'>,
): Promise<Outcome> {
  const { environment } = place
  const issued = await runRecorded(place, tenant_id, async (ctx) => {
    await requireTenant(ctx, tenant_id)
    const owner = await db(ctx).tenantUser.findFirst({
      where: { role: 'OWNER' },
      orderBy: [{ created_at: 'asc' }, { id: 'asc' }],
    })
    if (!owner)
      throw new Error(`The tenant ${tenant_id} has no OWNER in the environment ${environment}: add one.`)
    return issueKey(ctx, key, owner)
  })
  const message = `Issued a key of the tenant ${tenant_id}. It is shown this once.`
  return { result: { tenant_id, environment, ...issued }, message }
}

async function suspend(place: CommandContext, tenant_id: string, suspended: boolean): Promise<Outcome> {
  const is_new = await runRecorded(place, tenant_id, async (ctx) => {
    await requireTenant(ctx, tenant_id)
    return setSuspended(ctx, suspended)
  })
  const state = suspended ? 'suspended' : 'active'
  const message = `The tenant ${tenant_id} is ${is_new ? 'now' : 'already'} ${state}.`
  return { result: { tenant_id, suspended, changed: is_new }, message }
}

async function setPlan(place: CommandContext, options: Options<'set-plan'>): Promise<Outcome> {
  const { tenant: tenant_id, 'period-start': first_period_start, 'trial-ends': trial_ends_at } = options
  const { plan: plan_name, status, credits: credits_included, overage: overage_allowed, seats } = options
  const asked = {
    plan_name,
    status,
    credits_included,
    overage_allowed,
    seats,
    first_period_start,
    trial_ends_at,
  }
  const change = Object.entries({ ...asked, cancelled: options.cancel }).filter(
    ([, value]) => value !== undefined,
  )
  const { terms, changed } = await runRecorded(place, tenant_id, async (ctx) => {
    await requireTenant(ctx, tenant_id)
    return setTerms(ctx, Object.fromEntries(change))
  })
  const message = `The subscription of the tenant ${tenant_id} ${changed ? 'was changed' : 'is so already'}.`
  return { result: { tenant_id, environment: place.environment, changed, ...terms }, message }
}

export async function run(place: CommandContext, asked: Command): Promise<Outcome> {
  switch (asked.command) {
    case 'create':
      return create(place, asked.options)
    case 'list':
      return list(place)
    case 'show':
      return (await import('./read.ts')).show(place, asked.options.tenant)
    case 'list-users':
      return (await import('./read.ts')).listUsers(place, asked.options.tenant)
    case 'list-keys':
      return (await import('./read.ts')).listKeys(place, asked.options.tenant)
    case 'remove-user':
      return dropUser(place, asked.options)
    case 'add-user':
      return addUser(place, asked.options)
    case 'issue-key':
      return addKey(place, asked.options)
    case 'set-plan':
      return setPlan(place, asked.options)
    case 'cancel-runs':
      return await (await import('./cancel-runs.ts')).cancelRuns(place, asked.options)
    case 'close-support-request':
      return await (await import('./support-requests.ts')).closeSupportRequest(place, asked.options)
    case 'announce':
      return await (await import('./announce.ts')).announceTo(place, asked.options)
    case 'suspend':
    case 'resume':
      return suspend(place, asked.options.tenant, asked.command === 'suspend')
  }
}
