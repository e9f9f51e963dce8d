/** How often a key was used. */
import { scoped, sql } from '../../db/db.ts'
import type { Context } from '../../gateway/context.ts'
import type { Window } from '../../lib/window.ts'
import { builder } from '../../schema/builder.ts'
import { type Count, type Day, daysIn, usageByDay } from './rules.ts'

interface Usage {
  days: Day[]
}

const COUNTS = scoped(
  'api_keys.usage',
  `select day::text as date, operation, requests, errors from api_key_usage
   where tenant_id = $1 and environment = $2 and key_id = $3::text
     and day >= $4::date and day <= $5::date
   order by day, operation`,
)

/** The key's usage on every day that the window touches. */
export async function readUsage(ctx: Context, key_id: string, window: Window): Promise<Usage> {
  const days = daysIn(window)
  const counts = await sql<Count>(ctx, COUNTS, [key_id, days.at(0), days.at(-1)])
  return { days: usageByDay(days, counts) }
}

const ApiKeyUsageDay = builder.objectRef<Day>('ApiKeyUsageDay').implement({
  description: 'The requests of one day.',
  fields: (t) => ({
    day: t.expose('day', { type: 'LocalDate', description: 'The day in UTC.' }),
    requests: t.exposeInt('requests', { description: 'Requests, those that failed included.' }),
    errors: t.exposeInt('errors', { description: 'Requests that were answered with an error.' }),
    by_operation: t.expose('by_operation', {
      type: 'JSON',
      description:
        'Requests by the name of their operation; only operations that were called are there. `several`: GraphQL ' +
        'documents with more than one; `none`: requests without any.',
    }),
  }),
})

export const ApiKeyUsage = builder.objectRef<Usage>('ApiKeyUsage').implement({
  description: 'How often a key was used, at most a minute late.',
  fields: (t) => ({
    days: t.expose('days', {
      type: [ApiKeyUsageDay],
      description: 'Every UTC day that the window touches, the earliest first.',
    }),
  }),
})
