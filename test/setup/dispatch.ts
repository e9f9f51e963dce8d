/** Dispatch of a tenant for tests: its settings and rules, decisions, and who had tickets of whom, as they are stored. */
import type { Prisma } from '../../src/db/generated/client/client.ts'
import { clock } from './app.ts'
import { ownedBy } from './suites/owned.ts'
import { days, type Msp } from './world.ts'

type Tenant = Pick<Msp, 'tenant_id' | 'environment' | 'database'>
type Settings = Partial<Prisma.DispatchSettingsCreateManyInput>
type Rule = Partial<Prisma.DispatchRuleCreateManyInput>
type Decision = Partial<Prisma.DispatchDecisionCreateManyInput> & { id: string }
type Familiarity = Partial<Prisma.DispatchFamiliarityCreateManyInput>

/** Stores settings of dispatch, by default those that turn it on. */
export async function setDispatch(
  { tenant_id, environment, database: { prisma } }: Tenant,
  settings: Settings = {},
): Promise<void> {
  const where = { tenant_id, environment }
  const data = { enabled: true, updated_at: clock.now(), ...settings }
  await prisma.dispatchSettings.upsert({
    where: { tenant_id_environment: where },
    create: { ...where, ...data },
    update: data,
  })
}

/** Rules for all tickets and all technicians; their ids, in order. */
export async function addDispatchRules(msp: Tenant, rules: readonly Rule[]): Promise<number[]> {
  const added = await msp.database.prisma.dispatchRule.createManyAndReturn({
    data: rules.map((rule, index) => ({ ...ownedBy(msp), name: `Rule ${rule.id ?? index + 1}`, ...rule })),
  })
  return added.map(({ id }) => id)
}

/** A technician who fits. */
export const CANDIDATE = {
  technician_id: 1,
  name: 'Grace',
  score: 0.75,
  parts: { skills: 1, load: 0.5, availability: 1, familiarity: 0 },
  available_now: true,
  open_tickets: 2,
  reasons: ['2 open tickets', 'at work'],
}

/**
 * Decisions of no agent, each of its own ticket, which suggest technician 1 for a day; one that is NONE_FITS suggests nobody.
 * `chosen_technician_id` is the suggested one unless it is named.
 */
export async function addDecisions(
  { tenant_id, environment, database: { prisma } }: Tenant,
  decisions: readonly Decision[],
): Promise<void> {
  await prisma.dispatchDecision.createMany({
    data: decisions.map((decision) => {
      const { id, status = 'SUGGESTED', created_at = clock.now() } = decision
      const { suggested_technician_id = status === 'NONE_FITS' ? null : CANDIDATE.technician_id } = decision
      return {
        tenant_id,
        environment,
        ticket_id: id,
        strategy: 'BEST_FIT',
        is_automatic: false,
        candidates: [CANDIDATE],
        suggested_technician_id,
        chosen_technician_id: suggested_technician_id,
        explanation: 'Technician 1 has the highest score.',
        created_at,
        updated_at: created_at,
        expires_at: new Date(new Date(created_at).getTime() + days(1)),
        ...decision,
        status,
      }
    }),
  })
}

/** The tenant’s decisions, as they are stored, the oldest first. */
export const decisionsOf = ({ database, tenant_id }: Pick<Msp, 'database' | 'tenant_id'>) =>
  database.prisma.dispatchDecision.findMany({
    where: { tenant_id },
    orderBy: [{ created_at: 'asc' }, { id: 'asc' }],
  })

/** Technicians who have just had a ticket of the company `alder`, unless they say something else. */
export async function addFamiliarity(
  { tenant_id, environment, database: { prisma } }: Tenant,
  rows: readonly Familiarity[],
): Promise<void> {
  await prisma.dispatchFamiliarity.createMany({
    data: rows.map((row, index) => ({
      tenant_id,
      environment,
      psa_company_id: 'alder',
      psa_id: index + 1,
      last_at: clock.now(),
      ...row,
    })),
  })
}
