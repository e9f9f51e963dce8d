/** Has links judged anew, in the transaction of a change on which they rest. */
import type { z } from 'zod'
import { type DatabaseContext, scoped, sql } from '../../db/db.ts'
import { enqueue } from '../../jobs/enqueue.ts'
import type { Link } from './company-link.ts'
import { RESOLVE_LINKS } from './declared.ts'

type EnqueueContext = Parameters<typeof enqueue>[0] & DatabaseContext

type Run = Omit<z.input<typeof RESOLVE_LINKS.payload>, 'after' | 'asks_model' | 'has_changed'>

const judge = async (ctx: EnqueueContext, run: Run): Promise<void> => {
  await enqueue(ctx, RESOLVE_LINKS, { ...run, after: null, asks_model: false }, { joins_waiting: true })
}

/** Judges the links of all customers. */
export const judgeLinks = (ctx: EnqueueContext): Promise<void> => judge(ctx, {})

const HAS_DEVICES = scoped(
  'company_links.has_devices',
  `select from integration_customer c
   where c.tenant_id = $1 and c.environment = $2 and c.asset_names <> '{}' limit 1`,
)

/** Judges the links of customers that have devices: those of companies are others now. */
export async function judgeDevices(ctx: EnqueueContext): Promise<void> {
  if ((await sql(ctx, HAS_DEVICES)).length > 0) await judge(ctx, { with_assets: true })
}

const HAS_TAUGHT = scoped(
  'company_links.has_taught',
  `select from company_link l
   where l.tenant_id = $1 and l.environment = $2 and l.psa_company_id = $3::text and l.system <> $4::text
     and l.link_state = 'AUTO' and l.match_method = 'LEARNED_MANUAL' limit 1`,
)

/** Judges the links of other systems, if a link that a person mapped to the company no longer teaches it to them. */
export async function judgeTaught(
  ctx: EnqueueContext,
  { system, psa_company_id }: Pick<Link, 'system' | 'psa_company_id'>,
): Promise<void> {
  const taught = await sql(ctx, HAS_TAUGHT, [psa_company_id, system])
  // Contract silent: a link that a person clears waits for the next sync, while links that rest on it do not.
  if (taught.length > 0) await judge(ctx, { except: system })
}
