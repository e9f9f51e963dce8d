/** Escalations, as the tools of agents open them. */
import { hash } from 'node:crypto'
import type { EscalationsConnector, Raised } from '../../connectors/escalations.ts'
import { type DatabaseContext, db, tenancyOf } from '../../db/db.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Services } from '../../gateway/context.ts'
import { redact } from '../../gateway/redact.ts'
import { serviceContext } from '../../jobs/service-context.ts'
import { workOf } from '../executions/index.ts'
import { type Cause, type OpeningContext, openEscalation } from './open.ts'
import { subjectOf } from './rules.ts'

const SUBJECT_CHARACTERS = 200
const OPEN_MS = 15_000

/** The id of the escalation that a call with the key opens. */
const idOf = (key: string): string => `esc_${hash('sha256', key).slice(0, 22)}`

/** The conversation of a chat, which has one escalation at a time for a trigger. */
function subjectOfChat(channel_id: string, conversation_id: string): string {
  const subject = `CHAT/${channel_id}/${conversation_id}`
  return subject.length <= SUBJECT_CHARACTERS
    ? subject
    : `CHAT/${channel_id}/${hash('sha256', conversation_id)}`
}

type About = Pick<Cause, 'execution_id' | 'entity_id' | 'entity_number' | 'subject'>

async function aboutOf(ctx: DatabaseContext, work: Raised['work']): Promise<About> {
  if (!('execution_id' in work)) {
    const subject = subjectOfChat(work.channel_id, work.conversation_id)
    return { execution_id: null, entity_id: null, entity_number: null, subject }
  }
  const { execution_id } = work
  const kept = await workOf(ctx, execution_id)
  if (!kept) throw new Error(`The execution ${execution_id} calls a tool and is not kept`)
  const { entity_id, entity_number } = kept
  return { execution_id, entity_id, entity_number, subject: subjectOf(kept) }
}

const isOpened = async (ctx: DatabaseContext, id: string): Promise<boolean> =>
  (await db(ctx).escalationEvent.count({ where: { id } })) > 0

const TRIGGERS = ['AGENT_GAVE_UP', 'END_USER_ASKED_FOR_HUMAN'] as const

// Contract silent: without a policy for the cause itself, one for the other cause acts, since nobody would be told otherwise.
/** Opens the escalation; null: no policy acts. */
async function open(
  ctx: OpeningContext,
  { agent_id, work, reason, end_user_asked }: Raised,
  id: string,
): Promise<string | null> {
  const words = redact(reason) as string
  const cause = { agent_id, reason: words, ...(await aboutOf(ctx, work)) }
  for (const trigger of end_user_asked ? TRIGGERS.toReversed() : TRIGGERS) {
    const event_id = await openEscalation(ctx, { trigger, ...cause }, id)
    if (event_id !== null) return event_id
  }
  // The call is repeated, and the policy is gone since it was made.
  return (await isOpened(ctx, id)) ? id : null
}

/** The services of the process are there once it makes calls. */
export const escalationsForTools =
  (services: () => Services): EscalationsConnector =>
  (ctx) => ({
    async raise(raised, key) {
      const opening = {
        ...serviceContext(services(), 'escalation.raise', key, tenancyOf(ctx)),
        db_time: ctx.db_time,
        now: ctx.now,
      }
      const event_id = await inTransaction(opening, OPEN_MS, () => open(opening, raised, idOf(key)))
      return event_id === null ? { problem: 'NO_POLICY' } : { event_id }
    },
    outcomeOf: async (key) => ((await isOpened(ctx, idOf(key))) ? 'MADE' : 'NOT_MADE'),
  })
