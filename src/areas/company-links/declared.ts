/** The declaration of the job of links, for those who enqueue it. */
import { z } from 'zod'

export const RESOLVE_LINKS = {
  name: 'company-links.resolve',
  payload: z.object({
    /** The last customer of the page before, `SYSTEM/external_id`. */
    after: z.string().nullable(),
    /** Only customers with devices: those of companies have changed. */
    with_assets: z.boolean().default(false),
    /** A system whose customers are left out; null: none is. */
    except: z.string().nullable().default(null),
    asks_model: z.boolean().default(true),
    /** A page before changed links. */
    has_changed: z.boolean().default(false),
  }),
  tenancy: 'tenant',
} as const
