/** The declaration of the job of syncs, for those who enqueue it. */
import { z } from 'zod'
import { PageMark } from '../../lib/page-marks.ts'

export const READ_PAGE = {
  name: 'integrations.read_page',
  payload: z.object({
    sync_id: z.string(),
    /** The place of the stage. */
    stage: z.int().min(0),
    after: z.string().nullable(),
    /** Of the pages of the stage before; null: there is none. */
    mark: PageMark.nullable().default(null),
  }),
  tenancy: 'tenant',
} as const
