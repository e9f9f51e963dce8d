/** The customers of integrations, as they were last read or fed. */
import { type DatabaseContext, scoped, sql } from '../../db/db.ts'
import { type Marked, missingMarker } from '../../db/query/missing.ts'
import type { CompanyLinkSystem } from '../integrations/index.ts'
import { IN_USE } from './queries.ts'

/** A customer as an integration has it. */
export interface Customer {
  external_id: string
  name: string | null
  domains: readonly string[]
  asset_names: readonly string[]
}

type WriteContext = DatabaseContext & { now: Date }

interface StoredCounts {
  /** Customers that were not known. */
  added: number
  /** Customers that differ from what was known, or that were missing. */
  changed: number
}

const ROWS_OF_A_STATEMENT = 1000

// Rows are locked in one order, and compared before they are written: the insert asks for their count first.
const STORE = scoped(
  'company_links.store_customers',
  `with given as materialized (
     select * from jsonb_to_recordset($4::jsonb) as g (external_id text, name text, domains text[], asset_names text[])
   ), stored as materialized (
     select c.external_id, (c.name, c.domains, c.asset_names, c.missing_since)
       is distinct from (g.name, g.domains, g.asset_names, null::timestamptz) as differs
     from given g join integration_customer c
       on c.tenant_id = $1 and c.environment = $2 and c.system = $3::text and c.external_id = g.external_id
     order by c.external_id for update of c
   ), written as (
     insert into integration_customer
       (tenant_id, environment, system, external_id, name, domains, asset_names, last_synced_at, created_at, updated_at)
     select $1, $2, $3::text, g.external_id, g.name, g.domains, g.asset_names,
       $5::timestamptz, $5::timestamptz, $5::timestamptz
     from given g where (select count(*) from stored) >= 0 order by g.external_id
     on conflict (tenant_id, environment, system, external_id) do update
     set name = excluded.name, domains = excluded.domains, asset_names = excluded.asset_names,
       last_synced_at = excluded.last_synced_at, missing_since = null, updated_at = excluded.updated_at
     returning external_id
   )
   select count(*) filter (where s.external_id is null)::int as added, count(*) filter (where s.differs)::int as changed
   from written w left join stored s using (external_id)`,
)

// The ids are hashed for `not in`; `not exists` would compare each row with each id, since their number is not estimated.
const markOthers = missingMarker('company_links.mark_missing_customers', {
  table: 'integration_customer',
  present: 'system = $5::text and missing_since is null',
  gone: 'external_id not in (select unnest($6::text[]))',
  there: 'true',
  set: 'missing_since = $3::timestamptz',
})

/**
 * Stores the customers as all that the system has, in the caller's transaction: those that it had beside are missing, unless
 * they are too many and not accepted.
 */
export async function replaceCustomers(
  ctx: WriteContext,
  system: CompanyLinkSystem,
  customers: readonly Customer[],
  accept_missing: boolean,
): Promise<StoredCounts & Marked> {
  const ids = customers.map(({ external_id }) => external_id)
  // The others are marked first: customers that this call adds or brings back were not there before.
  const marked = await markOthers(ctx, accept_missing, system, ids)
  const counts = { added: 0, changed: 0 }
  for (let at = 0; at < customers.length; at += ROWS_OF_A_STATEMENT) {
    const rows = JSON.stringify(customers.slice(at, at + ROWS_OF_A_STATEMENT))
    const [stored] = await sql<StoredCounts>(ctx, STORE, [system, rows, ctx.now])
    counts.added += stored?.added ?? 0
    counts.changed += stored?.changed ?? 0
  }
  return { ...counts, ...marked }
}

const PAGE = 500

// A customer that is gone has nothing left to judge once its link is gone.
const NEXT = scoped(
  'company_links.next_customers',
  `select c.system, c.external_id, c.name, c.domains, c.asset_names, c.missing_since is not null as is_missing,
     c.xmin::text as version
   from integration_customer c
   where c.tenant_id = $1 and c.environment = $2 and (c.system, c.external_id) > ($3::text, $4::text)
     and (not $5::boolean or c.asset_names <> '{}') and c.system is distinct from $6::text
     and (c.missing_since is null or exists (
       select from company_link l
       where l.tenant_id = $1 and l.environment = $2 and l.system = c.system and l.external_id = c.external_id
         and l.link_state <> 'MANUAL' and l.confirmed_at is null))
   order by c.system, c.external_id limit ${PAGE}`,
)

/** A customer as it is stored. */
export interface StoredCustomer extends Customer {
  /** The system no longer has it. */
  is_missing: boolean
  /** Another one once the customer is stored again. */
  version: string
}

/** The customers to go through: of one system, or of all systems but one in turn; those with devices, or all. */
export interface CustomerRange {
  only: CompanyLinkSystem | null
  except?: string | null
  with_assets?: boolean
  /** The `next` of the page before; null: the first page. */
  after: string | null
}

interface CustomerPage {
  system: CompanyLinkSystem
  customers: readonly StoredCustomer[]
  /** The last one, `SYSTEM/external_id`; null: there are no more. */
  next: string | null
}

function positionOf(text: string): readonly [string, string] {
  const at = text.indexOf('/')
  return [text.slice(0, at), text.slice(at + 1)]
}

/** The next customers, which are of one system; null if there are none. */
export async function nextCustomers(
  ctx: DatabaseContext,
  { only, except = null, with_assets = false, after }: CustomerRange,
): Promise<CustomerPage | null> {
  const from = after === null ? [only ?? '', ''] : positionOf(after)
  const rows = await sql<StoredCustomer & { system: CompanyLinkSystem }>(ctx, NEXT, [
    ...from,
    with_assets,
    except,
  ])
  const system = only ?? rows[0]?.system
  const customers = rows.filter((row) => row.system === system)
  const last = customers.at(-1)
  if (!(system && last)) return null
  const of_others = only === null && customers.length < rows.length
  const has_more = of_others || customers.length === PAGE
  return { system, customers, next: has_more ? `${system}/${last.external_id}` : null }
}

// Of what other systems say, only certain links count: devices alone make no link certain.
const ASSETS_OF_COMPANIES = scoped(
  'company_links.assets_of_companies',
  `select l.psa_company_id, array_agg(distinct lower(btrim(a.name))) as asset_names
   from integration_customer c
   join company_link l on l.tenant_id = $1 and l.environment = $2 and l.system = c.system and l.external_id = c.external_id
   cross join lateral unnest(c.asset_names) as a (name)
   where c.tenant_id = $1 and c.environment = $2 and c.system <> $3::text and c.missing_since is null
     and l.mapped and ${IN_USE}
   group by l.psa_company_id
   having bool_or(lower(btrim(a.name)) in (select lower(btrim(g.name)) from unnest($4::text[]) as g (name)))`,
)

/** The devices of the companies that have some of these, as customers of other systems say. */
export async function assetsOfCompanies(
  ctx: DatabaseContext,
  system: CompanyLinkSystem,
  asset_names: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (asset_names.length === 0) return new Map()
  const rows = await sql<{ psa_company_id: string; asset_names: string[] }>(ctx, ASSETS_OF_COMPANIES, [
    system,
    asset_names,
  ])
  return new Map(rows.map((row) => [row.psa_company_id, row.asset_names]))
}
