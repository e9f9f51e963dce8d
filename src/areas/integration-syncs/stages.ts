/** The pages that each stage reads and stores. */
import {
  type DirectoryPage,
  type DirectorySearch,
  type Psa,
  type PsaContact,
  type PsaDirectoryCompany,
  type PsaTechnician,
  psaOf,
} from '../../connectors/psa.ts'
import { type RmmScript, rmmOf } from '../../connectors/rmm.ts'
import { isRefusedValue } from '../../db/errors.ts'
import type { Marked } from '../../db/query/missing.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { MutationContext } from '../../gateway/context.ts'
import type { UnboundJobContext } from '../../jobs/job.ts'
import { newInScope } from '../company-filters/index.ts'
import { findLinksOfPage } from '../company-links/index.ts'
import { markMissingCompanies, refreshCompanies } from '../end-companies/index.ts'
import { markMissingEndUsers, refreshEndUsers } from '../end-users/index.ts'
import { requireIntegration } from '../integrations/index.ts'
import { markMissingScripts, refreshScripts } from '../rmm-scripts/index.ts'
import { refreshTechnicians } from '../technicians/index.ts'
import { judgeOthers } from './judge.ts'
import { isPut, type PageCounts, type StageName, storableRows } from './rules.ts'
import type { SyncRow } from './sync.ts'

/** A page that was read and is not stored yet. */
export interface ReadPage {
  next: string | null
  /** The ids of its rows; null: the service makes the pages, which come to an end. */
  ids: readonly string[] | null
  /** The rows that the system counts in all pages; null: it does not count them. */
  total: number | null
  /** null: nothing was stored, since what the page rests on has changed: it is to be read again. */
  store(ctx: UnboundJobContext): Promise<StoredPage | null>
}

interface StoredPage {
  counts: PageCounts
  /** The ids of rows that cannot be stored. */
  refused: string[]
}

interface StagePages {
  read(ctx: UnboundJobContext, sync: SyncRow, after: string | null): Promise<ReadPage>
  /** Marks what was not read since the sync was asked for. */
  markMissing(ctx: MutationContext, sync: SyncRow): Promise<Marked>
}

type Counts = Omit<PageCounts, 'read'>

/** A stage whose rows are a system’s. */
interface SystemStage<Row> {
  idOf(row: Row): string
  read(ctx: UnboundJobContext, search: DirectorySearch): Promise<DirectoryPage<Row>>
  store(ctx: MutationContext, rows: readonly Row[], sync: SyncRow): Promise<Counts>
  markMissing: StagePages['markMissing']
}

interface PsaStage<Row> {
  idOf(row: Row): string
  read(psa: Psa, search: DirectorySearch): Promise<DirectoryPage<Row>>
  store(ctx: MutationContext, rows: readonly Row[]): Promise<Counts>
  markMissing(ctx: MutationContext, accept_missing: boolean, read_since: Date): Promise<Marked>
}

const STORE_MS = 30_000

/** Stores the rows. Of rows that the database refuses, each half is stored alone, until a single row is refused. */
async function storeRows<Row>(
  ctx: MutationContext,
  rows: readonly Row[],
  store: (ctx: MutationContext, rows: readonly Row[]) => Promise<Counts>,
): Promise<Counts & { refused: readonly Row[] }> {
  try {
    return { ...(await inTransaction(ctx, STORE_MS, () => store(ctx, rows))), refused: [] }
  } catch (error) {
    if (!isRefusedValue(error)) throw error
    if (rows.length === 1) return { added: 0, changed: 0, refused: rows }
    const half = Math.ceil(rows.length / 2)
    const first = await storeRows(ctx, rows.slice(0, half), store)
    const second = await storeRows(ctx, rows.slice(half), store)
    return {
      added: first.added + second.added,
      changed: first.changed + second.changed,
      refused: [...first.refused, ...second.refused],
    }
  }
}

const ofSystem = <Row>({ idOf, read, store, markMissing }: SystemStage<Row>): StagePages => ({
  markMissing,
  async read(ctx, sync, after) {
    const { rows, next, total = null } = await read(ctx, { after, changed_since: sync.changed_since })
    return {
      next,
      ids: rows.map(idOf),
      total,
      async store(storing) {
        const { storable, refused } = storableRows(rows, idOf)
        const {
          added,
          changed,
          refused: others,
        } = await storeRows(storing, storable, (own, some) => store(own, some, sync))
        return { counts: { read: rows.length, added, changed }, refused: [...refused, ...others.map(idOf)] }
      },
    }
  },
})

const ofPsa = <Row>({ idOf, read, store, markMissing }: PsaStage<Row>): StagePages =>
  ofSystem<Row>({
    idOf,
    read: (ctx, search) => read(psaOf({ ...ctx, fresh: true, pace: 'SYNC' }), search),
    store,
    markMissing: (ctx, { accept_missing, created_at }) => markMissing(ctx, accept_missing, created_at),
  })

export const NOTHING_MISSING: Marked = { missing: 0, withheld: null }

const nothingMissing = async (): Promise<Marked> => NOTHING_MISSING

/** Customers that were put are one system’s; after a read of the PSA those of all systems are judged. */
const COMPANY_LINKS: StagePages = {
  markMissing: nothingMissing,
  async read(ctx, sync, after) {
    const only = isPut(sync) ? requireIntegration(sync.name).system : null
    // The model is asked once a day, not after every sync of changes.
    const asks_model = sync.changed_since === null
    const page = await findLinksOfPage(ctx, { only, after, asks_model })
    return {
      next: page?.next ?? null,
      ids: null,
      total: null,
      async store(storing) {
        const links = page ? await page.store(storing) : { added: 0, changed: 0 }
        if (!links) return null
        if (!page?.next) await judgeOthers(storing, sync, links)
        const { added, changed } = links
        return {
          counts: { read: page?.read ?? 0, added, changed, unasked: page?.unasked ?? null },
          refused: [],
        }
      },
    }
  },
}

/** The pages of each stage. Customers are put, in the request that begins the sync. */
export const STAGE_PAGES: Readonly<Record<Exclude<StageName, 'CUSTOMERS'>, StagePages>> = {
  COMPANIES: ofPsa<PsaDirectoryCompany>({
    idOf: ({ psa_company_id }) => psa_company_id,
    read: (psa, search) => psa.companyPage(search),
    store: async (ctx, companies) => await refreshCompanies(ctx, companies, await newInScope(ctx)),
    markMissing: markMissingCompanies,
  }),
  CONTACTS: ofPsa<PsaContact>({
    idOf: ({ contact_id }) => contact_id,
    read: (psa, search) => psa.contactPage(search),
    store: refreshEndUsers,
    markMissing: markMissingEndUsers,
  }),
  TECHNICIANS: ofPsa<PsaTechnician>({
    idOf: ({ psa_id }) => String(psa_id),
    read: (psa, search) => psa.technicianPage(search),
    store: async (ctx, technicians) => ({ added: 0, changed: await refreshTechnicians(ctx, technicians) }),
    markMissing: nothingMissing,
  }),
  COMPANY_LINKS,
  SCRIPTS: ofSystem<RmmScript>({
    idOf: ({ script_id }) => script_id,
    read: (ctx, { after }) => rmmOf({ ...ctx, fresh: true, pace: 'SYNC' }).scriptPage(after),
    store: (ctx, scripts, { name }) => refreshScripts(ctx, requireIntegration(name).system, scripts),
    markMissing: (ctx, { name, accept_missing, created_at }) =>
      markMissingScripts(ctx, requireIntegration(name).system, accept_missing, created_at),
  }),
}
