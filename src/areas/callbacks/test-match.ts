/** `test_callback_match`: matches the agents with a change that did not happen, and starts nothing. */

import { scope } from '../../access/policies/policies.ts'
import { restrictedUser, visibleTo } from '../../access/policies/visibility.ts'
import { callerOf } from '../../access/viewer.ts'
import { checkModel } from '../../connectors/model.ts'
import { type Psa, psaOf } from '../../connectors/psa.ts'
import { select } from '../../db/query/fragment.ts'
import { ApiError, bodyProblem, invalid } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import { builder } from '../../schema/builder.ts'
import { unchanged } from '../../schema/changes/mutation.ts'
import type { Row } from '../../schema/models.ts'
import type { AgentRow } from '../agents/index.ts'
import { checkSubscription, readTerms } from '../billing/index.ts'
import { ChangeType } from '../change-types/index.ts'
import { isCompanyInScope } from '../company-filters/index.ts'
import { latestRuns } from '../executions/index.ts'
import { area } from './area.ts'
import { FilterReason } from './callback.ts'
import {
  CallbackMatchReason,
  CallbackMatchRefusal,
  CallbackMatchResult,
  COMPARISONS,
  ComparedCondition,
  FailedCondition,
  type Refusal,
} from './callback-match.ts'
import { judged } from './processing/judge.ts'
import {
  failedAmong,
  filterReason,
  type MatchDecision,
  matchOf,
  START_REFUSED,
  selectedOf,
  settingsIn,
} from './rules/decisions.ts'

// Contract silent: agents beyond these are not matched; the answer has a warning.
const MAX_AGENTS = 200

const AGENTS = `select a.id, a.name, a.state, a.autonomy_type, a.callback_settings, a.ticket_conditions, a.time_entry_conditions
  from agent a
  where a.tenant_id = $1 and a.environment = $2 and a.trigger_type = 'TRIGGERED' and a.state <> 'ARCHIVED'
    and a.entity_type = $entity_type::text::entity_type and ($user::text is null or ${visibleTo('$user::text')})
  order by a.id limit ${MAX_AGENTS + 1}`

type Kind = 'TICKET' | 'TIME_ENTRY'

interface TestedMatch extends MatchDecision {
  agent_id: number
  agent_name: string
  refusal: Refusal | null
}

interface MatchTest {
  entity_type: Kind
  entity_number: string | null
  psa_company_id: string | null
  filter_reason: Row<'Callback'>['filter_reason']
  matches: TestedMatch[]
}

interface Asked {
  entity_id: string
  change_types: readonly ChangeType[]
}

/** The kind of entity that the changes are of; 422 if they are of several. */
function kindOf({ change_types }: Asked): Kind {
  const kinds = new Set(
    change_types.map((code): Kind => (code.startsWith('TICKET_') ? 'TICKET' : 'TIME_ENTRY')),
  )
  if (kinds.size > 1)
    throw invalid([bodyProblem('change_types', 'mixed', 'must be changes of a ticket, or of a time entry')])
  return [...kinds][0] ?? 'TICKET'
}

/** The ticket or time entry as the PSA has it now; 422 if it has none of that id. */
async function readEntity(psa: Psa, kind: Kind, entity_id: string) {
  const ticket = kind === 'TICKET' ? await psa.ticket(entity_id) : null
  const time_entry = kind === 'TIME_ENTRY' ? await psa.timeEntry(entity_id) : null
  const entity = ticket ?? time_entry
  if (!entity) throw invalid([bodyProblem('entity_id', 'unknown', 'is not in the PSA')])
  const entity_number = ticket?.number ?? null
  return { ticket: ticket && { ticket }, time_entry, entity_number, psa_company_id: entity.psa_company_id }
}

/** The error by which the check refuses; null if it passes. */
async function refusalBy(check: () => Promise<void> | void): Promise<Refusal | null> {
  try {
    await check()
    return null
  } catch (error) {
    if (error instanceof ApiError) return { code: error.code, message: error.message }
    throw error
  }
}

/** The decision, with the error by which the start that it asks for would be refused. */
async function withRefusal(ctx: Context, agent: AgentRow, decision: MatchDecision) {
  const refusal = decision.result === 'MATCHED' ? await refusalBy(() => checkModel(ctx, agent)) : null
  return { ...decision, ...(refusal && START_REFUSED), refusal }
}

async function testMatch(ctx: Context, asked: Asked): Promise<MatchTest> {
  const { entity_id } = asked
  const entity_type = kindOf(asked)
  const change_types = [...new Set(asked.change_types)]
  const psa = psaOf(ctx)
  const { entity_number, psa_company_id, ...entity } = await readEntity(psa, entity_type, entity_id)
  const user = restrictedUser(callerOf(ctx))
  const found = await select<AgentRow>(
    ctx,
    'callbacks.tested_agents',
    { text: AGENTS },
    { entity_type, user },
  )
  if (found.length > MAX_AGENTS) ctx.warnings.push(`too_many_agents: the first ${MAX_AGENTS} were matched`)
  const agents = found.slice(0, MAX_AGENTS)
  const is_in_scope = await isCompanyInScope(ctx, psa, psa_company_id)
  const refusal = await refusalBy(async () => checkSubscription(ctx, await readTerms(ctx)))
  const runs = await latestRuns(
    ctx,
    entity_id,
    agents.map(({ id }) => id),
  )
  // Nobody has made the changes, and so no agent has.
  const event = { change_types, own_changes: [], is_in_scope }
  const matches: TestedMatch[] = []
  for (const { agent, matching } of await judged(psa, entity, agents, ctx.now)) {
    const run = runs.get(agent.id)
    const facts = {
      state: agent.state,
      settings: settingsIn(agent.callback_settings),
      matching,
      is_live: run?.is_live ?? false,
      last_run_at: run?.last_run_at ?? null,
      has_credits: refusal?.code !== 'credits_exhausted',
    }
    const decision = await withRefusal(ctx, agent, matchOf(event, facts, ctx.now))
    matches.push({ agent_id: agent.id, agent_name: agent.name, ...decision })
  }
  const selecting = agents
    .filter(({ state }) => state === 'ACTIVE')
    .map((agent) => settingsIn(agent.callback_settings))
    .filter((settings) => selectedOf(settings, event).length > 0)
  const filter_reason =
    refusal?.code === 'subscription_inactive' ? 'TENANT_PAUSED' : filterReason(event, selecting)
  return { entity_type, entity_number, psa_company_id, filter_reason, matches }
}

const TestedCallbackMatch = builder.objectRef<TestedMatch>('TestedCallbackMatch').implement({
  description: 'The result that the match of an agent would have.',
  fields: (t) => ({
    agent_id: t.exposeInt('agent_id', { description: 'The agent.' }),
    agent_name: t.exposeString('agent_name', { description: 'Its name.' }),
    result: t.expose('result', {
      type: CallbackMatchResult,
      description: 'The result. MATCHED: the agent would run.',
    }),
    reason_code: t.expose('reason_code', {
      type: CallbackMatchReason,
      nullable: true,
      description: 'The reason why it would not run. null: it would.',
    }),
    failed_conditions: t.field({
      type: [FailedCondition],
      max_items: 100,
      description: 'The agent’s conditions that do not hold, if the reason is CONDITION_FAILED.',
      resolve: ({ reason_code, comparisons }) => failedAmong(reason_code, comparisons),
    }),
    comparisons: t.field({
      type: [ComparedCondition],
      max_items: 100,
      description: COMPARISONS,
      resolve: ({ comparisons }) => comparisons,
    }),
    refusal: t.expose('refusal', {
      type: CallbackMatchRefusal,
      nullable: true,
      description:
        'The error by which its start would be refused, if the reason is START_REFUSED. null: it would not be.',
    }),
  }),
})

const CallbackMatchTest = builder.objectRef<MatchTest>('CallbackMatchTest').implement({
  description: 'What a callback with these changes would come to now.',
  fields: (t) => ({
    entity_type: t.exposeString('entity_type', { description: 'TICKET or TIME_ENTRY, by the changes.' }),
    entity_number: t.exposeString('entity_number', {
      nullable: true,
      description: 'The number that people know the ticket by. null: the entity has none.',
    }),
    psa_company_id: t.exposeID('psa_company_id', {
      nullable: true,
      description: 'The id in the PSA of the company that the entity belongs to. null: none.',
    }),
    filter_reason: t.expose('filter_reason', {
      type: FilterReason,
      nullable: true,
      description: 'The reason why no agent would be asked, of those that the caller sees. null: some would.',
    }),
    matches: t.expose('matches', {
      type: [TestedCallbackMatch],
      max_items: MAX_AGENTS,
      description: 'The TRIGGERED agents for such entities that the caller sees, by `agent_id`.',
    }),
  }),
})

const CallbackMatchRequest = builder.inputType('CallbackMatchRequest', {
  description: 'The changes to match agents with.',
  fields: (t) => ({
    entity_id: t.id({
      required: true,
      min_length: 1,
      max_length: 200,
      description: 'The id of the ticket or time entry in the PSA.',
    }),
    change_types: t.field({
      type: [ChangeType],
      required: true,
      min_items: 1,
      max_items: 100,
      description: 'The changes, all of a ticket or all of a time entry.',
    }),
  }),
})

area.mutation('test_callback_match', (t) =>
  t.field({
    type: CallbackMatchTest,
    description:
      'Matches the agents that the caller sees with changes of a ticket or time entry as it is now, and starts nothing. ' +
      'Agents that are not active are matched too.',
    rest: { method: 'POST', path: '/callbacks/test-match' },
    access: scope('callbacks:read'),
    errors: ['upstream_unavailable'],
    args: {
      input: t.arg({ type: CallbackMatchRequest, required: true }),
    },
    resolve: async (_root, { input }, ctx) => unchanged(ctx, await testMatch(ctx, input)),
  }),
)
