/** Has links judged anew, in the transaction of a change on which they rest. */
import { type DatabaseContext, scoped, sql } from '../../db/db.ts'
import { enqueue } from '../../jobs/enqueue.ts'
import { RESOLVE_LINKS } from './declared.ts'

type EnqueueContext = Parameters<typeof enqueue>[0] & DatabaseContext

const judge = async (ctx: EnqueueContext, with_assets: boolean): Promise<void> => {
  await enqueue(ctx, RESOLVE_LINKS, { after: null, with_assets, asks_model: false }, { joins_waiting: true })
}

/** Judges the links of all customers. */
export const judgeLinks = (ctx: EnqueueContext): Promise<void> => judge(ctx, false)

const HAS_DEVICES = scoped(
  'company_links.has_devices',
  `select from integration_customer c
   where c.tenant_id = $1 and c.environment = $2 and c.asset_names <> '{}' limit 1`,
)

/** Judges the links of customers that have devices: those of companies are others now. */
export async function judgeDevices(ctx: EnqueueContext): Promise<void> {
  if ((await sql(ctx, HAS_DEVICES)).length > 0) await judge(ctx, true)
}
