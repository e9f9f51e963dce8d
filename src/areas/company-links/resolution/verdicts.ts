/** Verdicts of the model, which hold until a customer or the companies that it may be look otherwise to it. */
import { type DatabaseContext, scoped, scopedInsert, sql } from '../../../db/db.ts'
import { createYield } from '../../../lib/yielding.ts'
import type { CompanyLinkSystem } from '../../integrations/index.ts'
import { type Judged, shownHash, type Unsettled } from './ask-model.ts'
import type { Answer } from './rungs.ts'

interface StoredVerdict {
  external_id: string
  shown_hash: string
  psa_company_id: string | null
  confidence: number
}

const READ = scoped(
  'company_links.verdicts',
  `select external_id, shown_hash, psa_company_id, confidence from customer_verdict
   where tenant_id = $1 and environment = $2 and system = $3::text and external_id = any ($4::text[])`,
)

// A customer that is gone has no verdict. Rows are locked in one order.
const STORE = scopedInsert(
  'company_links.store_verdicts',
  `insert into customer_verdict (tenant_id, environment, system, external_id, shown_hash, psa_company_id, confidence, judged_at)
   select $1, $2, c.system, c.external_id, g.shown_hash, g.psa_company_id, g.confidence, $5::timestamptz
   from jsonb_to_recordset($4::jsonb) as g (external_id text, shown_hash text, psa_company_id text, confidence float8)
     join integration_customer c on c.tenant_id = $1 and c.environment = $2 and c.system = $3::text
       and c.external_id = g.external_id
   order by c.external_id
   on conflict (tenant_id, environment, system, external_id) do update
   set shown_hash = excluded.shown_hash, psa_company_id = excluded.psa_company_id, confidence = excluded.confidence,
     judged_at = excluded.judged_at`,
)

interface KnownVerdicts {
  verdicts: ReadonlyMap<string, Answer>
  /** Customers on whom there is no verdict that holds. */
  unjudged: readonly Unsettled[]
}

/** The verdicts that hold for the customers. */
export async function knownVerdicts(
  ctx: DatabaseContext,
  system: CompanyLinkSystem,
  unsettled: readonly Unsettled[],
): Promise<KnownVerdicts> {
  if (unsettled.length === 0) return { verdicts: new Map(), unjudged: [] }
  const ids = unsettled.map(({ customer }) => customer.id)
  const stored = new Map(
    (await sql<StoredVerdict>(ctx, READ, [system, ids])).map((row) => [row.external_id, row]),
  )
  const yieldNow = createYield()
  const verdicts = new Map<string, Answer>()
  const unjudged: Unsettled[] = []
  for (const asked of unsettled) {
    await yieldNow()
    const row = stored.get(asked.customer.id)
    if (row?.shown_hash !== shownHash(asked)) unjudged.push(asked)
    else if (row.psa_company_id !== null)
      verdicts.set(row.external_id, { company_id: row.psa_company_id, confidence: row.confidence })
  }
  return { verdicts, unjudged }
}

/** Stores the verdicts, in the caller's transaction. */
export async function storeVerdicts(
  ctx: DatabaseContext & { now: Date },
  system: CompanyLinkSystem,
  judged: readonly Judged[],
): Promise<void> {
  if (judged.length === 0) return
  const rows = judged.map((asked) => ({
    external_id: asked.customer.id,
    shown_hash: shownHash(asked),
    psa_company_id: asked.verdict?.company_id ?? null,
    confidence: asked.verdict?.confidence ?? 0,
  }))
  await sql(ctx, STORE, [system, JSON.stringify(rows), ctx.now])
}
