/** Resolves customers of one integration, and stores their links. */
import type { Logger } from 'pino'
import { scoped, scopedInsert, sql, tenancyOf } from '../../../db/db.ts'
import { inTransaction, lockTenant } from '../../../db/transaction.ts'
import type { MutationContext, Services } from '../../../gateway/context.ts'
import { createYield } from '../../../lib/yielding.ts'
import { chargeQuestion, takeQuestion } from '../../billing/index.ts'
import type { CompanyLinkSystem } from '../../integrations/index.ts'
import { PRECEDENCE } from '../rules.ts'
import { type Asked, askModel, type Unsettled } from './ask-model.ts'
import type { Party } from './company-index.ts'
import { type IndexedNames, readNames } from './indexed-names.ts'
import { createLadder, type Ladder, type Resolution } from './ladder.ts'
import { knownVerdicts, storeVerdicts } from './verdicts.ts'

/** A customer as an integration has it. */
export interface SyncedCustomer extends Omit<Party, 'name'> {
  name: string | null
  /** The PSA companies that the integration itself says it is. */
  native_company_ids?: readonly string[]
}

interface LinkResolution {
  system: CompanyLinkSystem
  customers: readonly SyncedCustomer[]
  /** The names of companies; they are read if these are left out. */
  names?: IndexedNames
  /** Names of the devices of companies, by the company's id in the PSA. */
  company_assets?: ReadonlyMap<string, readonly string[]>
  /** false: customers on whom there is no verdict yet stay without a company, if no other rung settles them. */
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
  services: Pick<
    Services,
    'database' | 'key_peppers' | 'model' | 'model_calls' | 'model_request_characters' | 'now'
  >
  signal: AbortSignal
  log: Logger
}

const ROWS_OF_A_STATEMENT = 1000

const CANDIDATES = 8

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
  /** Customers about whom the model was to be asked, and was not. */
  unasked: Asked['unasked']
  /** Stores them in the caller's transaction. Safe to run concurrently. */
  store(ctx: MutationContext): Promise<ResolvedLinks>
}

/**
 * Finds the company of each customer, in no transaction: it takes its time. A link that a person made keeps its company,
 * and links of other customers stay as they are.
 */
export async function findCompanyLinks(
  ctx: ResolveContext,
  { system, customers: synced, names, company_assets = new Map(), asks_model = true }: LinkResolution,
): Promise<FoundLinks> {
  const by_id = new Map(synced.map((customer) => [customer.id, customer]))
  const customers = [...by_id.values()].map(named)
  const [{ index, learned }, chosen] = await Promise.all([
    names ?? readNames(ctx, system),
    sql<{ external_id: string; psa_company_id: string }>(ctx, CHOSEN, [system]),
  ])
  const ladder = createLadder({
    index,
    learned,
    company_assets,
    manual: new Map(chosen.map(({ external_id, psa_company_id }) => [external_id, psa_company_id])),
    native: new Map([...by_id].map(([id, { native_company_ids = [] }]) => [id, native_company_ids])),
  })
  const { found, unsettled } = await climb(ladder, customers)
  const { verdicts, unasked } = await verdictsOn(ctx, system, unsettled, asks_model)
  const rows = found.map(({ customer_id, company_id, method, confidence }): LinkRow => {
    const verdict = verdicts.get(customer_id)
    // A sync updates only the names of a MANUAL link.
    const is_chosen = method === 'MANUAL'
    return {
      external_id: customer_id,
      external_name: by_id.get(customer_id)?.name ?? null,
      psa_company_id: is_chosen ? null : (company_id ?? verdict?.company_id ?? null),
      method: verdict ? 'LLM' : method,
      confidence: verdict?.confidence ?? confidence,
    }
  })
  return { unasked, store: (storing) => storeLinks(storing, system, rows) }
}
