/** The pages that each stage reads and stores. */
import { type DirectoryPage, type DirectorySearch, type Psa, psaOf } from '../../connectors/psa.ts'
import type { MutationContext } from '../../gateway/context.ts'
import type { UnboundJobContext } from '../../jobs/job.ts'
import { newInScope } from '../company-filters/index.ts'
import { findLinksOfPage } from '../company-links/index.ts'
import { markMissingCompanies, refreshCompanies } from '../end-companies/index.ts'
import { markMissingEndUsers, refreshEndUsers } from '../end-users/index.ts'
import { requireIntegration } from '../integrations/index.ts'
import { refreshTechnicians } from '../technicians/index.ts'
import { isPut, type PageCounts, type StageName } from './rules.ts'
import type { SyncRow } from './sync.ts'

/** A page that was read and is not stored yet. */
export interface ReadPage {
  next: string | null
  store(ctx: MutationContext): Promise<PageCounts>
}

interface StagePages {
  read(ctx: UnboundJobContext, sync: SyncRow, after: string | null): Promise<ReadPage>
  /** Marks what was not read at this instant or later. Their number. */
  markMissing(ctx: MutationContext, read_since: Date): Promise<number>
}

interface PsaStage<Row> {
  read(psa: Psa, search: DirectorySearch): Promise<DirectoryPage<Row>>
  store(ctx: MutationContext, rows: readonly Row[]): Promise<Omit<PageCounts, 'read'>>
  markMissing: StagePages['markMissing']
}

const ofPsa = <Row>({ read, store, markMissing }: PsaStage<Row>): StagePages => ({
  markMissing,
  async read(ctx, { changed_since }, after) {
    const { rows, next } = await read(psaOf({ ...ctx, fresh: true }), { after, changed_since })
    return { next, store: async (storing) => ({ read: rows.length, ...(await store(storing, rows)) }) }
  },
})

const nothingMissing = async (): Promise<number> => 0

/** Customers that were put are one system’s; after a read of the PSA those of all systems are resolved. */
const COMPANY_LINKS: StagePages = {
  markMissing: nothingMissing,
  async read(ctx, sync, after) {
    const only = isPut(sync) ? requireIntegration(sync.name).system : null
    // A model that could not settle a customer is asked once a day, not after every sync of changes.
    const asks_model = sync.changed_since === null
    const page = await findLinksOfPage(ctx, { only, after, asks_model })
    return {
      next: page?.next ?? null,
      async store(storing) {
        const { added = 0, changed = 0 } = (await page?.store(storing)) ?? {}
        return { read: page?.read ?? 0, added, changed }
      },
    }
  },
}

/** The pages of each stage. Customers are put, in the request that begins the sync. */
export const STAGE_PAGES: Readonly<Record<Exclude<StageName, 'CUSTOMERS'>, StagePages>> = {
  COMPANIES: ofPsa({
    read: (psa, search) => psa.companyPage(search),
    store: async (ctx, companies) => await refreshCompanies(ctx, companies, await newInScope(ctx)),
    markMissing: markMissingCompanies,
  }),
  CONTACTS: ofPsa({
    read: (psa, search) => psa.contactPage(search),
    store: refreshEndUsers,
    markMissing: markMissingEndUsers,
  }),
  TECHNICIANS: ofPsa({
    read: (psa, search) => psa.technicianPage(search),
    store: async (ctx, technicians) => ({ added: 0, changed: await refreshTechnicians(ctx, technicians) }),
    markMissing: nothingMissing,
  }),
  COMPANY_LINKS,
}
