/** The targets of a step, as they are when it is taken. */
import type { MutationContext, Services } from '../../gateway/context.ts'
import { numberOf } from '../../lib/ids.ts'
import type { Row } from '../../schema/models.ts'
import { postToChannels } from '../channels/index.ts'
import { onDuty, presentAmong, type ToldTechnician } from '../technicians/index.ts'
import { enabledEndpoints } from '../webhooks/index.ts'
import { MOST_TOLD, type Step } from './rules.ts'

type Notification = Row<'EscalationNotification'>

/** A target and the way in which it is told. `at` is null until it is. */
export type Target = Pick<
  Notification,
  'target_type' | 'target_id' | 'via' | 'name' | 'technician_id' | 'message_id' | 'at'
>

type Context = MutationContext & { services: Pick<Services, 'jobs' | 'environment' | 'mail'> }

/** The ids of technicians and schedules. */
export const numbersOf = (ids: readonly string[]): number[] => ids.flatMap((id) => numberOf(id) ?? [])

// Contract silent: a schedule tells the technicians who are at work at the step, and everybody on it if nobody is.
const techniciansOf = (ctx: Context, { target_type, target_ids }: Step): Promise<ToldTechnician[]> =>
  target_type === 'SCHEDULE'
    ? onDuty(ctx, numbersOf(target_ids), ctx.now)
    : presentAmong(ctx, numbersOf(target_ids))

/** The targets that the step tells. What tells them is stored, or enqueued, with them; mails alone come later. */
export async function targetsOf(
  ctx: Context,
  step: Step,
  { conversation_id, text }: { conversation_id: string; text: string },
): Promise<Target[]> {
  const { target_type, target_ids, notify_via } = step
  const of_none = { technician_id: null, message_id: null }
  if (target_type === 'WEBHOOK_ENDPOINT') {
    const endpoints = await enabledEndpoints(ctx, target_ids)
    return endpoints.map(({ id: target_id, host: name }) => {
      return { ...of_none, target_type, target_id, name, via: 'WEBHOOK' as const, at: ctx.now }
    })
  }
  if (target_type === 'CHANNEL') {
    const posted = await postToChannels(ctx, target_ids, conversation_id, text)
    return posted.map(({ channel_id: target_id, name, message_id }) => {
      return { ...of_none, target_type, target_id, name, message_id, via: 'CHANNEL' as const, at: null }
    })
  }
  const technicians = await techniciansOf(ctx, step)
  // A mail that no server takes tells nobody.
  const ways = notify_via.filter((via) => via !== 'EMAIL' || ctx.services.mail !== null)
  return technicians.slice(0, MOST_TOLD).flatMap(({ id, name }) =>
    ways.map((via) => ({
      target_type: 'TECHNICIANS' as const,
      target_id: String(id),
      technician_id: id,
      message_id: null,
      name,
      via,
      at: via === 'INBOX' ? ctx.now : null,
    })),
  )
}
