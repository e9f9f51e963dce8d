/** Resolves customers of one integration, and stores their links. */
import { setImmediate as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { scoped, scopedInsert, sql, tenancyOf } from '../../../db/db.ts'
import { lockTenant } from '../../../db/transaction.ts'
import type { MutationContext, Services } from '../../../gateway/context.ts'
import { companiesToMatch } from '../../end-companies/index.ts'
import type { CompanyLinkSystem } from '../../integrations/index.ts'
import { PRECEDENCE } from '../rules.ts'
import { askModel, type Unsettled } from './ask-model.ts'
import type { EarlierMapping, Party } from './company-index.ts'
import { createLadder, type Ladder, type Resolution } from './ladder.ts'
import type { Answer } from './rungs.ts'

/** A customer as an integration has it. */
export interface SyncedCustomer extends Omit<Party, 'name'> {
  name: string | null
  /** The PSA companies that the integration itself says it is. */
  native_company_ids?: readonly string[]
}

interface LinkResolution {
  system: CompanyLinkSystem
  customers: readonly SyncedCustomer[]
  /** Names of the devices of companies, by the company's id in the PSA. */
  company_assets?: ReadonlyMap<string, readonly string[]>
  /** false: customers that no other rung settles stay without a company. */
  asks_model?: boolean
}

interface ResolvedLinks {
  /** Links of customers that had none. */
  added: number
  /** Links with another name, company, method or confidence. */
  changed: number
  /** Links of these customers that stayed as they were. */
  unchanged: number
}

export type ResolveContext = MutationContext & {
  services: Pick<Services, 'database' | 'key_peppers' | 'model' | 'model_calls' | 'model_request_characters'>
  signal: AbortSignal
  log: Logger
}

const ROWS_OF_A_STATEMENT = 1000

/** Other work of the process goes on after so many customers. */
const CUSTOMERS_AT_ONCE = 50
const CANDIDATES = 8

const LEARNED = scoped(
  'company_links.chosen_elsewhere',
  `select external_name as name, psa_company_id as company_id from company_link
   where tenant_id = $1 and environment = $2 and system <> $3::text and link_state = 'MANUAL'
     and psa_company_id is not null and external_name is not null`,
)

const CHOSEN = scoped(
  'company_links.chosen_here',
  `select external_id, psa_company_id from company_link
   where tenant_id = $1 and environment = $2 and system = $3::text and link_state = 'MANUAL'
     and psa_company_id is not null`,
)

const strength = (method: string): string => `coalesce(array_position($5::text[], ${method}::text), 100)`

// Strictly stronger, or as strong and more certain; never in place of what a person chose.
const REPLACES = `(company_link.link_state <> 'MANUAL' and excluded.psa_company_id is not null and (
  ${strength('excluded.match_method')} < ${strength('company_link.match_method')}
  or (excluded.match_method = company_link.match_method and excluded.confidence > company_link.confidence)))`

const taken = (column: string): string =>
  `${column} = case when ${REPLACES} then excluded.${column} else company_link.${column} end`

// A company that is gone since it was read leaves the customer without one. Rows are locked in one order.
const STORE = scopedInsert(
  'company_links.resolve',
  `insert into company_link (tenant_id, environment, system, external_id, external_name, psa_company_id, psa_company_name,
     link_state, match_method, confidence, mapped_at, created_at, updated_at)
   select $1, $2, $3::text, r.external_id, r.external_name, c.psa_company_id, c.name,
     (case when c.id is null then 'UNMAPPED' else 'AUTO' end)::link_state,
     (case when c.id is null then 'UNMATCHED' else r.method end)::match_method,
     case when c.id is null then 0 else r.confidence end,
     case when c.id is null then null else $6::timestamptz end, $6::timestamptz, $6::timestamptz
   from jsonb_to_recordset($4::jsonb)
     as r (external_id text, external_name text, psa_company_id text, method text, confidence float8)
     left join end_company c
       on c.tenant_id = $1 and c.environment = $2 and c.psa_company_id = r.psa_company_id
   order by r.external_id
   on conflict (tenant_id, environment, system, external_id) do update set
     external_name = excluded.external_name,
     ${['psa_company_id', 'psa_company_name', 'link_state', 'match_method', 'confidence', 'mapped_at'].map(taken).join(', ')},
     mapped_by = case when ${REPLACES} then null else company_link.mapped_by end,
     is_primary = company_link.is_primary
       and not (${REPLACES} and excluded.psa_company_id is distinct from company_link.psa_company_id),
     updated_at = excluded.updated_at
   where company_link.external_name is distinct from excluded.external_name or ${REPLACES}
   returning (xmax = 0) as is_added`,
)

const named = ({ name, ...customer }: SyncedCustomer): Party => ({ ...customer, name: name ?? '' })

async function climb(ladder: Ladder, customers: readonly Party[]): Promise<Resolution[]> {
  const found: Resolution[] = []
  for (const [at, customer] of customers.entries()) {
    if (at > 0 && at % CUSTOMERS_AT_ONCE === 0) await pause()
    found.push(ladder.resolve(customer))
  }
  return found
}

/** The model's verdicts on customers that no other rung settled; none without a model. */
async function verdictsOn(
  ctx: ResolveContext,
  unsettled: readonly Unsettled[],
): Promise<ReadonlyMap<string, Answer>> {
  const { model, model_calls, model_request_characters } = ctx.services
  if (model === null || unsettled.length === 0) return new Map()
  const { tenant_id } = tenancyOf(ctx)
  const { verdicts, failure } = await askModel(
    {
      model,
      inTurn: (work) => model_calls.run(tenant_id, work, ctx.signal),
      request_characters: model_request_characters,
      signal: ctx.signal,
    },
    unsettled,
  )
  if (failure) ctx.log.warn({ code: failure.code, status: failure.status }, 'the model failed')
  return verdicts
}

interface LinkRow {
  external_id: string
  external_name: string | null
  psa_company_id: string | null
  method: string
  confidence: number
}

async function storeLinks(
  ctx: MutationContext,
  system: CompanyLinkSystem,
  rows: readonly LinkRow[],
): Promise<ResolvedLinks> {
  await lockTenant(ctx, `company_links ${system}`)
  const stored: { is_added: boolean }[] = []
  for (let at = 0; at < rows.length; at += ROWS_OF_A_STATEMENT) {
    const given = JSON.stringify(rows.slice(at, at + ROWS_OF_A_STATEMENT))
    stored.push(...(await sql<{ is_added: boolean }>(ctx, STORE, [system, given, PRECEDENCE, ctx.now])))
  }
  const added = stored.filter(({ is_added }) => is_added).length
  return { added, changed: stored.length - added, unchanged: rows.length - stored.length }
}

/** Links that were found and are not stored yet. */
export interface FoundLinks {
  /** Stores them in the caller's transaction. Done twice at once, it stores what it would alone. */
  store(ctx: MutationContext): Promise<ResolvedLinks>
}

/**
 * Finds the company of each customer, in no transaction: it takes its time. A link that a person made keeps its company,
 * and links of other customers stay as they are.
 */
export async function findCompanyLinks(
  ctx: ResolveContext,
  { system, customers: synced, company_assets = new Map(), asks_model = true }: LinkResolution,
): Promise<FoundLinks> {
  const by_id = new Map(synced.map((customer) => [customer.id, customer]))
  const customers = [...by_id.values()].map(named)
  const [companies, earlier, chosen] = await Promise.all([
    companiesToMatch(ctx),
    sql<EarlierMapping>(ctx, LEARNED, [system]),
    sql<{ external_id: string; psa_company_id: string }>(ctx, CHOSEN, [system]),
  ])
  const input = {
    companies: companies.map(({ psa_company_id: id, name, domains }) => ({
      id,
      name,
      domains,
      asset_names: company_assets.get(id) ?? [],
    })),
    earlier,
    manual: new Map(chosen.map(({ external_id, psa_company_id }) => [external_id, psa_company_id])),
    native: new Map([...by_id].map(([id, { native_company_ids = [] }]) => [id, native_company_ids])),
  }
  const ladder = createLadder(input)
  const found = await climb(ladder, customers)
  const unsettled = customers.flatMap((customer, at): Unsettled[] => {
    const candidates = found[at]?.company_id === null ? ladder.candidates(customer).slice(0, CANDIDATES) : []
    return candidates.length > 0 ? [{ customer, candidates }] : []
  })
  const verdicts = asks_model ? await verdictsOn(ctx, unsettled) : new Map<string, Answer>()
  const rows = found.map(({ customer_id, company_id, method, confidence }): LinkRow => {
    const verdict = verdicts.get(customer_id)
    // What a person chose is theirs to change: of such a link a sync stores the name alone.
    const is_chosen = method === 'MANUAL'
    return {
      external_id: customer_id,
      external_name: by_id.get(customer_id)?.name ?? null,
      psa_company_id: is_chosen ? null : (company_id ?? verdict?.company_id ?? null),
      method: verdict ? 'LLM' : method,
      confidence: verdict?.confidence ?? confidence,
    }
  })
  return { store: (storing) => storeLinks(storing, system, rows) }
}
