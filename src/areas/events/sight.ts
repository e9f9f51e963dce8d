/** The readers of events, and the SQL of what they see: of the feed, and of its events elsewhere. */
import { IS_ADMIN, restrictedUser } from '../../access/policies/visibility.ts'
import { callerOf, personIdOf } from '../../access/viewer.ts'
import type { Context } from '../../gateway/context.ts'
import { type DeclaredEvent, declaredEvents } from '../../schema/events/declare.ts'

/** A reader, as the parameters of `seenBy` have it. A type alias, since it is passed on as parameters. */
export type Reader = {
  /** A user who sees own and shared agents alone; null: every agent is seen. */
  user: string | null
  /** The person in whose name events are read. null: a key that acts for nobody reads them. */
  person: string | null
  /** The key that reads them. */
  key: string | null
}

export const readerOf = (ctx: Context): Reader => {
  const viewer = callerOf(ctx)
  return { user: restrictedUser(viewer), person: personIdOf(viewer), key: viewer.id }
}

/** The type of the event with which an endpoint is tried, which gets it alone. */
export const TEST_EVENT = 'webhook_endpoint.test'

/** The declared types that are in feeds. */
export const typesInFeeds = (): readonly DeclaredEvent[] =>
  declaredEvents().filter(({ type }) => type !== TEST_EVENT)

interface Shown {
  /** SQL of the type. */
  type: string
  /** SQL: true if the condition holds for the event `e`. */
  of_event(condition: string): string
}

const IN_FEED: Shown = { type: 'e.type', of_event: (condition) => condition }

/**
 * SQL: true if the reader sees the event `e`, or the row that tells of one. The statement is one for all readers who see
 * every agent, and one for all others. Its parameters are the reader's.
 */
export function seenBy(
  { user }: Pick<Reader, 'user'>,
  types: readonly DeclaredEvent[] = typesInFeeds(),
  { type, of_event }: Shown = IN_FEED,
): string {
  const conditions = [...Map.groupBy(types, ({ seen }) => seen)].map(
    ([{ by_user, by_admins_alone }, declared]) => {
      const names = declared.map((event) => `'${event.type}'`).join(', ')
      const by_reader = by_user === 'true' ? by_user : of_event(by_user)
      const is_seen = by_admins_alone ? IS_ADMIN : user === null ? 'true' : by_reader
      return `(${type} in (${names}) and ${is_seen})`
    },
  )
  return `(${conditions.join(' or ')})`
}
