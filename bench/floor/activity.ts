/** The rows that record changes. */
import { activitySnapshot } from '../../src/gateway/redact.ts'
import { newId } from '../../src/lib/ids.ts'
import type { Call } from './call.ts'

/** The caller of a change, and its origin. */
export const contextOf = ({ id, ip, user_agent, caller }: Call) => ({
  ip,
  user_agent,
  request_id: id,
  channel: null,
  acting_user_id: caller.acting_user?.id ?? null,
  acting_user_name: caller.acting_user?.name ?? null,
  // Of requests that technicians approved: the floor makes none.
  til_request_id: null,
  asked_by_name: null,
})

/** The values of a row for something new whose fields the caller wrote: secrets are taken out of them. */
export const valuesOfNew = (call: Call, after: object): unknown[] => [
  newId('act'),
  call.caller.id,
  call.caller.name,
  contextOf(call),
  activitySnapshot(after),
]

/** The insert for `valuesOfNew`, which begin at the parameter `first`; the other texts are SQL. */
export function insertOfNew(
  action: string,
  first: number,
  { at, targets }: { at: string; targets: string },
): string {
  const [id, key, name, context, after] = [0, 1, 2, 3, 4].map((index) => `$${first + index}`)
  return `insert into activity_entry (tenant_id, environment, id, occurred_at, action, actor_type, actor_id, actor_name,
      targets, context, after)
    select $1, $2, ${id}::text, ${at}, '${action}', 'API_KEY', ${key}::text, ${name}::text, ${targets},
      ${context}::jsonb, ${after}::jsonb`
}
