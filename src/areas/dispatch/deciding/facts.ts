/** The facts of a decision: a fixed number of statements and of calls to the PSA, for any number of technicians. */
import type { Psa, PsaTicket } from '../../../connectors/psa.ts'
import { type DatabaseContext, db, scoped, sql } from '../../../db/db.ts'
import { daysBefore } from '../../../lib/time.ts'
import { evaluateTicket } from '../../agents/index.ts'
import { presentAmong, psaIdsAmong, workersAmong } from '../../technicians/index.ts'
import type { RuleRow } from '../pools/rule.ts'
import type { SettingsRow } from '../settings/dispatch-settings.ts'
import { type Choice, choose, type PoolMember } from './choose.ts'
import type { Counted } from './counts.ts'

type DecidingContext = DatabaseContext & { now: Date }

/** The part of the PSA that decisions ask. */
export type Asked = Pick<Psa, 'company' | 'contact' | 'technician' | 'ticket' | 'timeEntry'>

/** The facts that are asked for before the choice. */
export interface Gathered {
  ticket: PsaTicket
  /** The rule that gives the pool. null: no rule does. */
  rule: RuleRow | null
  /** The open tickets that the PSA shows. */
  counted: Counted
}

/** The first rule whose conditions hold for the ticket. */
async function ruleFor(ctx: DecidingContext, psa: Asked, ticket: PsaTicket): Promise<RuleRow | null> {
  const orderBy = [{ position: 'asc' as const }, { id: 'asc' as const }]
  const rules = await db(ctx).dispatchRule.findMany({ where: { enabled: true }, orderBy })
  for (const rule of rules) if ((await evaluateTicket(psa, rule.conditions, ticket, ctx.now)).met) return rule
  return null
}

const poolOf = (rule: RuleRow | null): readonly number[] | null =>
  rule && rule.candidate_technician_ids.length > 0 ? rule.candidate_technician_ids : null

/** Asks everything that the PSA knows. No transaction needs to be open. */
export async function gather(
  ctx: DecidingContext,
  psa: Asked,
  ticket: PsaTicket,
  count: (psa_ids: readonly number[]) => Promise<Counted>,
): Promise<Gathered> {
  const rule = await ruleFor(ctx, psa, ticket)
  const counted = await count([...(await psaIdsAmong(ctx, poolOf(rule))).values()])
  return { ticket, rule, counted }
}

interface Standing {
  technician_id: number
  /** Tickets that were suggested or given, and that the PSA does not show. */
  pending: number
  turn: bigint | null
}

const STANDINGS = scoped(
  'dispatch.standings',
  `select s.technician_id, sum(s.tickets)::int as pending, max(s.turn) as turn from (
     select d.chosen_technician_id as technician_id, 1 as tickets, null::bigint as turn from dispatch_decision d
     where d.tenant_id = $1 and d.environment = $2 and d.status = 'SUGGESTED'
     union all
     select d.chosen_technician_id, 1, null from dispatch_decision d
     where d.tenant_id = $1 and d.environment = $2 and d.applied_at >= $3::timestamptz
     union all
     select t.technician_id, 0, t.turn from dispatch_turn t where t.tenant_id = $1 and t.environment = $2
   ) s group by s.technician_id`,
)

const FAMILIAR = scoped(
  'dispatch.familiar',
  `select f.psa_id from dispatch_familiarity f
   where f.tenant_id = $1 and f.environment = $2 and f.psa_company_id = $3::text and f.last_at >= $4::timestamptz`,
)

export const FAMILIAR_DAYS = 90

const familiarWith = async (ctx: DecidingContext, psa_company_id: string | null): Promise<Set<number>> => {
  if (psa_company_id === null) return new Set()
  const since = daysBefore(ctx.now, FAMILIAR_DAYS)
  const rows = await sql<{ psa_id: number }>(ctx, FAMILIAR, [psa_company_id, since])
  return new Set(rows.map(({ psa_id }) => psa_id))
}

/** The pool as it stands now. A technician who came after the PSA was asked is not in it. */
async function membersOf(ctx: DecidingContext, gathered: Gathered): Promise<PoolMember[]> {
  const { ticket, rule, counted } = gathered
  const workers = await workersAmong(ctx, poolOf(rule), ctx.now)
  const standings = await sql<Standing>(ctx, STANDINGS, [counted.at])
  const by_id = new Map(standings.map((standing) => [standing.technician_id, standing]))
  const familiar = await familiarWith(ctx, ticket.psa_company_id)
  return workers.flatMap((worker) => {
    const shown = counted.open_tickets.get(worker.psa_id)
    if (shown === undefined) return []
    const { pending = 0, turn = null } = by_id.get(worker.technician_id) ?? {}
    return [{ ...worker, open_tickets: shown + pending, knows_company: familiar.has(worker.psa_id), turn }]
  })
}

/** Chooses by the facts of this instant. Decisions that write do it under the lock of the tenant. */
export async function chooseFor(
  ctx: DecidingContext,
  gathered: Gathered,
  settings: SettingsRow,
): Promise<Choice> {
  const { rule } = gathered
  const { fallback_technician_id: fallback_id } = settings
  const pool = await membersOf(ctx, gathered)
  const [present] = fallback_id === null ? [] : await presentAmong(ctx, [fallback_id])
  const fallback = present ? { technician_id: present.id, name: present.name } : null
  const required_skills = rule?.required_skills ?? []
  const question = { ...settings, required_skills, fallback, rule_name: rule?.name ?? null }
  return choose(pool, question, ctx.now)
}
