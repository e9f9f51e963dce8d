/** Judges customers of one integration, and stores their links. */
import type { Logger } from 'pino'
import { scoped, sql, tenancyOf } from '../../../db/db.ts'
import { inTransaction, lockTenant } from '../../../db/transaction.ts'
import type { MutationContext, Services } from '../../../gateway/context.ts'
import { createYield } from '../../../lib/yielding.ts'
import { chargeQuestion, takeQuestion } from '../../billing/index.ts'
import { markOfCompanies } from '../../end-companies/index.ts'
import type { CompanyLinkSystem } from '../../integrations/index.ts'
import type { StoredCustomer } from '../customers.ts'
import { IN_USE } from '../queries.ts'
import { REVIEW_BELOW } from '../rules.ts'
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
  /** Another customer than before is certain to be a company: the devices of that company are others now. */
  changes_evidence: boolean
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

/** The company that a link judged now is certain to be. */
const CERTAIN = `case when company_link.confidence >= ${REVIEW_BELOW} then company_link.psa_company_id end`
/** The company that the link said until now. */
const SAID = `case when ${IN_USE} then l.psa_company_id end`

const JUDGED = [
  ...(['psa_company_id', 'psa_company_name', 'match_method', 'confidence'] as const),
  ...(['mapped_external_name', 'mapped_company_name', 'company_missing'] as const),
]

const IS_MANUAL = `company_link.link_state = 'MANUAL'`

const ofBoth = (columns: readonly string[], row: string): string =>
  columns.map((column) => `${row}.${column}`).join(', ')

// The customer and the company are locked before the link, in one order, so that the link has the names of both: a customer
// that was stored again since it was read is judged by whoever stored it. The insert asks for the counts of locks first.
const STORE = scoped(
  'company_links.store_judged',
  `with given as materialized (
     select * from jsonb_to_recordset($4::jsonb) as g (external_id text, version text, external_name text,
       psa_company_id text, company_name text, method text, confidence float8)
   ), customer as materialized (
     select c.external_id from given g join integration_customer c
       on c.tenant_id = $1 and c.environment = $2 and c.system = $3::text and c.external_id = g.external_id
     where c.xmin::text = g.version order by c.external_id for share of c
   ), company as materialized (
     select c.psa_company_id, c.name from end_company c
     where c.tenant_id = $1 and c.environment = $2 and c.psa_company_id in (select psa_company_id from given)
       and c.missing_since is null and (select count(*) from customer) >= 0
     order by c.psa_company_id for share of c
   ), before as materialized (
     select l.external_id, ${SAID} as said from company_link l
     where l.tenant_id = $1 and l.environment = $2 and l.system = $3::text
       and l.external_id in (select external_id from customer) and (select count(*) from company) >= 0
     order by l.external_id for update of l
   ), written as (
     insert into company_link (tenant_id, environment, system, external_id, external_name, psa_company_id, psa_company_name,
       link_state, match_method, confidence, mapped_at, mapped_external_name, mapped_company_name, created_at, updated_at)
     select $1, $2, $3::text, g.external_id, g.external_name, c.psa_company_id, c.name,
       (case when c.name is null then 'UNMAPPED' else 'AUTO' end)::link_state,
       (case when c.name is null then 'UNMATCHED' else g.method end)::match_method,
       case when c.name is null then 0 else g.confidence end,
       case when c.name is null then null else $5::timestamptz end,
       case when c.name is null then null else g.external_name end,
       case when c.name is null then null else g.company_name end, $5::timestamptz, $5::timestamptz
     from given g join customer using (external_id) left join company c using (psa_company_id)
     where (select count(*) from before) >= 0 order by g.external_id
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
     returning external_id, xmax = 0 as is_added, ${CERTAIN} as certain
   )
   select count(*) filter (where is_added)::int as added, count(*) filter (where not is_added)::int as changed,
     coalesce(bool_or(w.certain is distinct from b.said), false) as changes_evidence
   from written w left join before b using (external_id)`,
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
     returning ${SAID} as said
   )
   select 0 as added, count(*)::int as changed, count(said) > 0 as changes_evidence from removed`,
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
  version: string
  external_name: string | null
  psa_company_id: string | null
  company_name: string | null
  method: string
  confidence: number
}

interface Judged {
  system: CompanyLinkSystem
  /** The mark of the companies among which the rows were found. */
  mark: string
  rows: readonly JudgedRow[]
  /** The ids of customers that the system no longer has. */
  gone: readonly string[]
}

/** null: a company has changed since, and nothing is stored. */
async function storeLinks(
  ctx: MutationContext,
  { system, mark, rows, gone }: Judged,
): Promise<StoredLinks | null> {
  await lockTenant(ctx, `company_links ${system}`)
  if ((await markOfCompanies(ctx)) !== mark) return null
  const stored = await sql<StoredLinks>(ctx, STORE, [system, JSON.stringify(rows), ctx.now])
  const removed = gone.length > 0 ? await sql<StoredLinks>(ctx, REMOVE_GONE, [system, gone]) : []
  const all = [...stored, ...removed]
  return {
    added: all.reduce((sum, { added }) => sum + added, 0),
    changed: all.reduce((sum, { changed }) => sum + changed, 0),
    changes_evidence: all.some(({ changes_evidence }) => changes_evidence),
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
    const { version, name } = by_id.get(customer_id) as StoredCustomer
    const verdict = verdicts.get(customer_id)
    // A sync updates only the names of a MANUAL link.
    const psa_company_id = method === 'MANUAL' ? null : (company_id ?? verdict?.company_id ?? null)
    return {
      external_id: customer_id,
      version,
      external_name: name,
      psa_company_id,
      company_name: psa_company_id === null ? null : (index.partyOf(psa_company_id)?.name ?? null),
      method: verdict ? 'LLM' : method,
      confidence: verdict?.confidence ?? confidence,
    }
  })
  const judged = { system, mark, rows, gone: gone.map(({ external_id }) => external_id) }
  return { unasked, store: (storing) => storeLinks(storing, judged) }
}
