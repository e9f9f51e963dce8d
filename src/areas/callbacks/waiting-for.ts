/** The thing for which a callback that is not processed yet waits. */
import { scoped, sql } from '../../db/db.ts'
import type { Context } from '../../gateway/context.ts'
import { builder } from '../../schema/builder.ts'

export const CallbackWait = builder.enumType('CallbackWait', {
  description: 'What a callback waits for before it is processed.',
  values: {
    SLEEP: { description: 'The end of the time for which the settings let it wait.' },
    SLOT: { description: 'A slot under the concurrency cap.' },
    PSA_LIMIT: { description: 'Requests that the service may make to the PSA: those of now are used up.' },
    ENTITY: { description: 'The end of the processing of another callback about the same entity.' },
  },
})

export type CallbackWait = typeof CallbackWait.$inferType

const GATE = `select from callback_gate g
  where g.tenant_id = c.tenant_id and g.environment = c.environment`

/** The wait of the callback `c` by the parameter with the instant of now. */
export const waitingFor = (now: string): string => `case
    when c.status not in ('RECEIVED', 'QUEUED') then null
    when c.waits_for = 'ENTITY' then 'ENTITY'
    when c.waits_for = 'OUTAGE' or exists (${GATE} and g.away_since is not null) then null
    when c.waits_since is not null then
      case when exists (${GATE} and g.short_since is not null) then 'PSA_LIMIT' else 'SLOT' end
    when c.attempts = 0 and c.received_at + make_interval(secs => c.sleep_seconds) > ${now}::timestamptz then 'SLEEP'
  end`

const READ = scoped(
  'callbacks.waiting_for',
  `select ${waitingFor('$4')} as waiting_for from callback c
   where c.tenant_id = $1 and c.environment = $2 and c.id = $3::text`,
)

export async function readWait(ctx: Context, callback_id: string): Promise<CallbackWait | null> {
  const [row] = await sql<{ waiting_for: CallbackWait | null }>(ctx, READ, [callback_id, ctx.now])
  return row?.waiting_for ?? null
}
