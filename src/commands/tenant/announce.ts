/** Announces something to the users of a tenant. */
import { announce } from '../../areas/inbox/announce.ts'
import { record } from '../../gateway/activity.ts'
import { createSender } from '../../jobs/sender.ts'
import { type CommandContext, type Outcome, requireTenant, runRecorded } from './recorded.ts'

interface Options {
  id: string
  title: string
  body: string
}

/** Puts the announcement into the inbox of every user of the tenant in this environment. */
export async function announceTo(
  place: CommandContext,
  { id: tenant_id, title, body }: Options,
): Promise<Outcome> {
  const { database, environment } = place
  const sending = { environment, jobs: createSender(database.sql) }
  const { announcement_id, users } = await runRecorded(place, tenant_id, async (ctx) => {
    const name = await requireTenant(ctx, tenant_id)
    const made = await announce({ ...ctx, services: { ...ctx.services, ...sending } }, { title, body })
    await record(ctx, {
      action: 'tenant.announced',
      targets: [{ type: 'tenant', id: tenant_id, name }],
      after: { title, ...made },
    })
    return made
  })
  const result = { tenant_id, environment, announcement_id, users }
  return { result, message: `Announced to ${users} users of the tenant ${tenant_id}.` }
}
