/** Windows of figures, with the time zone in which they are divided. */
import type { Window } from '../../lib/window.ts'
import { builder } from '../builder.ts'

export interface ZonedWindow extends Window {
  timezone: string
}

/** The type of the window `that was counted`, or `of the figures`, in whose zone the parts begin. */
export const zonedWindow = (name: string, which: string, parts: 'days' | 'months') =>
  builder.objectRef<ZonedWindow>(name).implement({
    description: `The window ${which}, with the defaults of arguments that were left out.`,
    fields: (t) => ({
      from: t.expose('from', { type: 'DateTime', description: 'The start, inclusive.' }),
      to: t.expose('to', { type: 'DateTime', description: 'The end, exclusive.' }),
      timezone: t.expose('timezone', {
        type: 'TimeZone',
        description: `The tenant’s time zone, in which ${parts} begin; UTC if none is set.`,
      }),
    }),
  })
