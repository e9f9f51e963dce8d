/** The declaration of the job of links, for those who enqueue it. */
import { z } from 'zod'

export const RESOLVE_LINKS = {
  name: 'company-links.resolve',
  payload: z.object({
    /** The last customer of the page before, `SYSTEM/external_id`. */
    after: z.string().nullable(),
    /** The run of which it is a page. It is left out of the first. */
    run_id: z.string().optional(),
  }),
  tenancy: 'tenant',
} as const
