/** Inboxes as the service fills them. */
import { followTenant } from '../../src/areas/inbox/follow.ts'
import { tidy } from '../../src/areas/inbox/store.ts'
import type { Services } from '../../src/gateway/context.ts'
import { addAgents } from './agents.ts'
import { clock, testApp } from './app.ts'
import { performDue } from './connected.ts'
import { addEvents, takeOver } from './events.ts'
import { type Msp, world } from './world.ts'

/** Brings what has happened into the tenant’s inboxes. */
export async function followFeed(msp: Msp): Promise<void> {
  const { services } = (await testApp()).app
  const { tenant_id, environment } = msp
  await takeOver(msp)
  await followTenant(services, { tenant_id, environment })
}

/** Brings what has happened into the tenant’s inboxes, and does the jobs that are due. */
export async function fillInboxes(msp: Msp, services?: Services): Promise<void> {
  await followFeed(msp)
  await performDue(services ?? (await testApp()).app.services, msp)
}

/** Does what is due of the inboxes of all tenants. */
export async function tidyUp(): Promise<void> {
  const { services } = (await testApp()).app
  const { signal } = new AbortController()
  await tidy({ services, now: clock.now(), signal, log: services.log })
}

/** Raises the events, one transaction for all, and brings them into the inboxes. */
export async function happened(msp: Msp, ...events: Parameters<typeof addEvents>[1]): Promise<void> {
  await addEvents(msp, events)
  await fillInboxes(msp)
}

/** An execution of agent 1 that failed with the code. */
export const failure = (entity_id: string, error_code = 'model_refused', agent_id = 1) => ({
  type: 'execution.failed',
  entity_id,
  agent_id,
  data: { execution_id: entity_id, agent_id, error_code, entity_number: `#${entity_id}` },
})

/** The tenant’s items, by user and kind, the oldest first. */
export const itemsOf = ({ database, tenant_id }: Msp, user_id?: string) =>
  database.prisma.inboxItem.findMany({
    where: { tenant_id, ...(user_id !== undefined && { user_id }) },
    orderBy: [{ user_id: 'asc' }, { kind: 'asc' }, { first_at: 'asc' }, { id: 'asc' }],
  })

/** The users with items, once for each item. */
export const inboxesWith = async (msp: Msp): Promise<string[]> =>
  (await itemsOf(msp)).map(({ user_id }) => user_id)

/** A tenant with the agents 1, Ada, and 2. */
export async function inboxMsp(): Promise<Msp> {
  const msp = await world()
  await addAgents(msp, [{ id: 1, name: 'Ada' }, { id: 2 }])
  return msp
}

/** Stores the preferences of the user. */
export async function prefer(
  { database, tenant_id, environment }: Msp,
  user_id: string,
  kinds: { mail_kinds?: readonly Kind[]; quiet_kinds?: readonly Kind[] },
): Promise<void> {
  const { mail_kinds = [], quiet_kinds = [] } = kinds
  await database.prisma.inboxPreferences.create({
    data: {
      tenant_id,
      environment,
      user_id,
      mail_kinds: [...mail_kinds],
      quiet_kinds: [...quiet_kinds],
      updated_at: new Date(),
    },
  })
}

type Kind = Awaited<ReturnType<typeof itemsOf>>[number]['kind']
