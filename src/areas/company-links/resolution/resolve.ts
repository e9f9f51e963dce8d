/** Judges customers of one integration, and stores their links. */
import type { Logger } from 'pino'
import { scoped, sql, tenancyOf } from '../../../db/db.ts'
import type { Statement } from '../../../db/sql.ts'
import { inTransaction, lockTenant } from '../../../db/transaction.ts'
import type { MutationContext, Services } from '../../../gateway/context.ts'
import { createYield } from '../../../lib/yielding.ts'
import { chargeQuestion, takeQuestion } from '../../billing/index.ts'
import { markOfCompanies } from '../../end-companies/index.ts'
import type { CompanyLinkSystem } from '../../integrations/index.ts'
import type { StoredCustomer } from '../customers.ts'
import { REVIEWS_RAISED } from '../events.ts'
import { type Asked, askModel, type Unsettled } from './ask-model.ts'
import type { Party } from './company-index.ts'
import type { IndexedNames } from './indexed-names.ts'
import { createLadder, type Ladder, type Resolution } from './ladder.ts'
import { knownVerdicts, storeVerdicts } from './verdicts.ts'

interface LinkResolution {
  system: CompanyLinkSystem
  /** Customers as they were read from the database. */
  customers: readonly StoredCustomer[]
  names: IndexedNames
  /** Names of the devices of companies, by the company's id in the PSA. */
  company_assets: ReadonlyMap<string, readonly string[]>
  /** false: customers on whom there is no verdict yet stay without a company, if no other rung settles them. */
  asks_model: boolean
}

/** The links that were stored. */
export interface StoredLinks {
  /** Links of customers that had none. */
  added: number
  /** Links with another name, company, method or confidence, and those of customers that are gone. */
  changed: number
}

export type ResolveContext = MutationContext & {
  services: Pick<
    Services,
    'database' | 'key_peppers' | 'model' | 'model_calls' | 'model_request_characters' | 'now'
  >
  signal: AbortSignal
  log: Logger
}

const CANDIDATES = 8

const CHOSEN = scoped(
  'company_links.chosen_here',
  `select external_id, psa_company_id from company_link
   where tenant_id = $1 and environment = $2 and system = $3::text and external_id = any($4::text[])
     and link_state = 'MANUAL' and psa_company_id is not null`,
)

const JUDGED = [
  'psa_company_id',
  'psa_company_name',
  'match_method',
  'confidence',
  'mapped_external_name',
  'mapped_company_name',
  'company_missing',
]

const IS_MANUAL = `company_link.link_state = 'MANUAL'`

const ofBoth = (columns: readonly string[], row: string): string =>
  columns.map((column) => `${row}.${column}`).join(', ')

const planned = (statement: Statement): Statement => ({ ...statement, custom_plan: true })

// Customers, companies and links are locked in this order, and each of them in that of their ids. How many of a tenant's rows
// the ids are is not estimated: with a generic plan each row would be compared with each id.
const LOCK_CUSTOMERS = planned(
  scoped(
    'company_links.lock_customers',
    `select c.external_id, c.xmin::text as version from integration_customer c
     where c.tenant_id = $1 and c.environment = $2 and c.system = $3::text and c.external_id = any($4::text[])
     order by c.external_id for share`,
  ),
)
const LOCK_COMPANIES = planned(
  scoped(
    'company_links.lock_companies',
    `select from end_company c
     where c.tenant_id = $1 and c.environment = $2 and c.psa_company_id = any($3::text[])
     order by c.psa_company_id for share`,
  ),
)

// The insert asks for the count of locks first.
const STORE = planned(
  scoped(
    'company_links.store_judged',
    `with given as materialized (
     select * from jsonb_to_recordset($5::jsonb) as g (external_id text, external_name text, psa_company_id text,
       psa_company_name text, link_state link_state, match_method match_method, confidence float8)
   ), locked as materialized (
     select l.external_id, l.psa_company_id, l.needs_review from company_link l
     where l.tenant_id = $1 and l.environment = $2 and l.system = $3::text and l.external_id = any($4::text[])
     order by l.external_id for update
   ), written as (
     insert into company_link (tenant_id, environment, system, external_id, external_name, psa_company_id, psa_company_name,
       link_state, match_method, confidence, mapped_at, mapped_external_name, mapped_company_name, created_at, updated_at)
     select $1, $2, $3::text, g.external_id, g.external_name, g.psa_company_id, g.psa_company_name,
       g.link_state, g.match_method, g.confidence, n.mapped_at, n.external_name, g.psa_company_name, $6::timestamptz, $6::timestamptz
     from given g left join lateral (select g.external_name, $6::timestamptz as mapped_at) n on g.psa_company_id is not null
     where (select count(*) from locked) >= 0 order by g.external_id
     on conflict (tenant_id, environment, system, external_id) do update set
       external_name = excluded.external_name,
       ${['link_state', ...JUDGED].map((column) => `${column} = case when ${IS_MANUAL} then company_link.${column} else excluded.${column} end`).join(', ')},
       mapped_at = case when ${IS_MANUAL} or (${ofBoth(['psa_company_id', 'match_method', 'confidence'], 'company_link')})
         is not distinct from (${ofBoth(['psa_company_id', 'match_method', 'confidence'], 'excluded')})
         then company_link.mapped_at else excluded.mapped_at end,
       mapped_by = case when ${IS_MANUAL} then company_link.mapped_by end,
       is_primary = company_link.is_primary
         and (${IS_MANUAL} or excluded.psa_company_id is not distinct from company_link.psa_company_id),
       updated_at = excluded.updated_at
     where company_link.external_name is distinct from excluded.external_name or (not ${IS_MANUAL}
       and (${ofBoth(JUDGED, 'company_link')}) is distinct from (${ofBoth(JUDGED, 'excluded')}))
     returning system, external_id, external_name, psa_company_id, psa_company_name, link_state, match_method, confidence,
       needs_review, xmax = 0 as is_added
   ), raised as (
     ${REVIEWS_RAISED}
   )
   select count(*) filter (where is_added)::int as added, count(*) filter (where not is_added)::int as changed
   from written`,
  ),
)

// A folder that a person has confirmed stays confirmed.
const REMOVE_GONE = scoped(
  'company_links.remove_gone',
  `with removed as (
     delete from company_link l using integration_customer c
     where l.tenant_id = $1 and l.environment = $2 and l.system = $3::text and l.external_id = any($4::text[])
       and l.link_state <> 'MANUAL' and l.confirmed_at is null
       and c.tenant_id = $1 and c.environment = $2 and c.system = l.system and c.external_id = l.external_id
       and c.missing_since is not null
     returning l.external_id
   )
   select 0 as added, count(*)::int as changed from removed`,
)

const partyOf = ({ external_id: id, name, domains, asset_names }: StoredCustomer): Party => ({
  id,
  name: name ?? '',
  domains,
  asset_names,
})

interface Climbed {
  found: Resolution[]
  /** Customers that no rung settled, with the companies that they may be. */
  unsettled: Unsettled[]
}

async function climb(ladder: Ladder, customers: readonly Party[]): Promise<Climbed> {
  const yieldNow = createYield()
  const climbed: Climbed = { found: [], unsettled: [] }
  for (const customer of customers) {
    await yieldNow()
    const resolution = ladder.resolve(customer)
    climbed.found.push(resolution)
    if (resolution.company_id !== null) continue
    const candidates = ladder.candidates(customer).slice(0, CANDIDATES)
    if (candidates.length > 0) climbed.unsettled.push({ customer, candidates })
  }
  return climbed
}

const STORE_MS = 15_000

interface Verdicts extends Pick<Asked, 'verdicts' | 'unasked'> {}

/** The model's verdicts on customers that no other rung settled: those that hold, and then those that it gives now. */
async function verdictsOn(
  ctx: ResolveContext,
  system: CompanyLinkSystem,
  unsettled: readonly Unsettled[],
  asks_model: boolean,
): Promise<Verdicts> {
  const { model, model_calls, model_request_characters, now } = ctx.services
  const { verdicts, unjudged } = await knownVerdicts(ctx, system, unsettled)
  if (model === null || !asks_model) return { verdicts, unasked: null }
  const { tenant_id } = tenancyOf(ctx)
  const asked = await askModel(
    {
      model,
      take: () => takeQuestion(ctx),
      async store(question_id, judged) {
        const own = { ...ctx, now: now() }
        await inTransaction(own, STORE_MS, async () => {
          await storeVerdicts(own, system, judged)
          await chargeQuestion(own, question_id)
        })
      },
      inTurn: (work) => model_calls.run(tenant_id, work, ctx.signal),
      request_characters: model_request_characters,
      signal: ctx.signal,
    },
    unjudged,
  )
  const { failure, unasked } = asked
  if (failure) ctx.log.warn({ code: failure.code, status: failure.status }, 'the model failed')
  return { verdicts: new Map([...verdicts, ...asked.verdicts]), unasked }
}

interface JudgedRow {
  external_id: string
  external_name: string | null
  psa_company_id: string | null
  psa_company_name: string | null
  link_state: 'AUTO' | 'UNMAPPED'
  match_method: string
  confidence: number
}

const UNMAPPED = {
  psa_company_id: null,
  psa_company_name: null,
  link_state: 'UNMAPPED',
  match_method: 'UNMATCHED',
  confidence: 0,
} as const

interface Judged {
  system: CompanyLinkSystem
  /** The mark of the companies among which the rows were found. */
  mark: string
  rows: readonly JudgedRow[]
  /** The versions of the customers that were judged, by their ids. */
  versions: ReadonlyMap<string, string>
  /** The ids of customers that the system no longer has. */
  gone: readonly string[]
}

/** The links of customers that were not stored again since they were judged: whoever stored them judges them. */
async function lockedRows(ctx: MutationContext, { system, rows, versions }: Judged): Promise<JudgedRow[]> {
  const ids = rows.map(({ external_id }) => external_id)
  const customers = await sql<{ external_id: string; version: string }>(ctx, LOCK_CUSTOMERS, [system, ids])
  const current = new Map(customers.map(({ external_id, version }) => [external_id, version]))
  const judged = rows.filter(({ external_id: id }) => current.get(id) === versions.get(id))
  await sql(ctx, LOCK_COMPANIES, [judged.flatMap(({ psa_company_id }) => psa_company_id ?? [])])
  return judged
}

/** null: a company has changed since, and nothing is stored. */
async function storeLinks(ctx: MutationContext, judged: Judged): Promise<StoredLinks | null> {
  const { system, mark, gone } = judged
  await lockTenant(ctx, `company_links ${system}`)
  const rows = await lockedRows(ctx, judged)
  if ((await markOfCompanies(ctx)) !== mark) return null
  const ids = rows.map(({ external_id }) => external_id)
  const stored = await sql<StoredLinks>(ctx, STORE, [system, ids, JSON.stringify(rows), ctx.now])
  const removed = gone.length > 0 ? await sql<StoredLinks>(ctx, REMOVE_GONE, [system, gone]) : []
  const all = [...stored, ...removed]
  return {
    added: all.reduce((sum, { added }) => sum + added, 0),
    changed: all.reduce((sum, { changed }) => sum + changed, 0),
  }
}

/** Links that were found and are not stored yet. */
export interface FoundLinks {
  /** Customers about whom the model was to be asked, and was not. */
  unasked: Asked['unasked']
  /**
   * Stores them in the caller's transaction; null: a company has changed since they were found, and nothing is stored.
   * Safe to run concurrently.
   */
  store(ctx: MutationContext): Promise<StoredLinks | null>
}

/**
 * Finds the company of each customer, in no transaction: it takes its time. A link that a person made keeps its company;
 * any other one becomes what is found, and that of a customer which is gone is removed.
 */
export async function findCompanyLinks(
  ctx: ResolveContext,
  { system, customers, names, company_assets, asks_model }: LinkResolution,
): Promise<FoundLinks> {
  const by_id = new Map(customers.map((customer) => [customer.external_id, customer]))
  const { index, learned, mark } = names
  const chosen = await sql<{ external_id: string; psa_company_id: string }>(ctx, CHOSEN, [
    system,
    [...by_id.keys()],
  ])
  const ladder = createLadder({
    index,
    learned,
    company_assets,
    manual: new Map(chosen.map(({ external_id, psa_company_id }) => [external_id, psa_company_id])),
  })
  const { present = [], gone = [] } = Object.groupBy(customers, ({ is_missing }) =>
    is_missing ? 'gone' : 'present',
  )
  const { found, unsettled } = await climb(ladder, present.map(partyOf))
  const { verdicts, unasked } = await verdictsOn(ctx, system, unsettled, asks_model)
  const rows = found.map(({ customer_id, company_id, method, confidence }): JudgedRow => {
    const verdict = verdicts.get(customer_id)
    // A sync updates only the names of a MANUAL link.
    const psa_company_id = method === 'MANUAL' ? null : (company_id ?? verdict?.company_id ?? null)
    const named = { external_id: customer_id, external_name: by_id.get(customer_id)?.name ?? null }
    if (psa_company_id === null) return { ...named, ...UNMAPPED }
    return {
      ...named,
      psa_company_id,
      psa_company_name: index.partyOf(psa_company_id)?.name ?? null,
      link_state: 'AUTO',
      match_method: verdict ? 'LLM' : method,
      confidence: verdict?.confidence ?? confidence,
    }
  })
  const versions = new Map(present.map(({ external_id, version }) => [external_id, version]))
  const judged = { system, mark, rows, versions, gone: gone.map(({ external_id }) => external_id) }
  return { unasked, store: (storing) => storeLinks(storing, judged) }
}
