/** What each stage reads from the system, and where it is stored. */
import type { DirectoryPage, DirectorySearch, Psa } from '../../connectors/psa.ts'
import type { MutationContext } from '../../gateway/context.ts'
import { newInScope } from '../company-filters/index.ts'
import { markMissingCompanies, refreshCompanies } from '../end-companies/index.ts'
import { markMissingEndUsers, refreshEndUsers } from '../end-users/index.ts'
import { refreshTechnicians } from '../technicians/index.ts'
import type { PageCounts, StageName } from './rules.ts'

interface StageWork<Row> {
  read(psa: Psa, search: DirectorySearch): Promise<DirectoryPage<Row>>
  store(ctx: MutationContext, rows: readonly Row[]): Promise<Omit<PageCounts, 'read'>>
  /** Marks what was not read at this instant or later. Their number. */
  markMissing(ctx: MutationContext, read_since: Date): Promise<number>
}

/** A page that was read and is not stored yet. */
export interface ReadPage {
  next: string | null
  store(ctx: MutationContext): Promise<PageCounts>
}

interface StagePages {
  read(psa: Psa, search: DirectorySearch): Promise<ReadPage>
  markMissing: StageWork<never>['markMissing']
}

const pagesOf = <Row>({ read, store, markMissing }: StageWork<Row>): StagePages => ({
  markMissing,
  async read(psa, search) {
    const { rows, next } = await read(psa, search)
    return { next, store: async (ctx) => ({ read: rows.length, ...(await store(ctx, rows)) }) }
  },
})

export const STAGE_PAGES: Readonly<Record<StageName, StagePages>> = {
  COMPANIES: pagesOf({
    read: (psa, search) => psa.companyPage(search),
    store: async (ctx, companies) => await refreshCompanies(ctx, companies, await newInScope(ctx)),
    markMissing: markMissingCompanies,
  }),
  CONTACTS: pagesOf({
    read: (psa, search) => psa.contactPage(search),
    store: refreshEndUsers,
    markMissing: markMissingEndUsers,
  }),
  TECHNICIANS: pagesOf({
    read: (psa, search) => psa.technicianPage(search),
    store: async (ctx, technicians) => ({ added: 0, changed: await refreshTechnicians(ctx, technicians) }),
    markMissing: async () => 0,
  }),
}
