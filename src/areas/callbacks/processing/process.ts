/** Processes a callback: reads the entity, tells what has changed, matches the agents, and starts their executions. */

import { checkModel } from '../../../connectors/model.ts'
import { type Psa, psaOf } from '../../../connectors/psa.ts'
import { isConflict } from '../../../db/errors.ts'
import { inTransaction } from '../../../db/transaction.ts'
import { ApiError } from '../../../errors/errors.ts'
import type { UnboundJobContext } from '../../../jobs/job.ts'
import { type AgentRow, agentsSelecting, lockTriggered, startOf } from '../../agents/index.ts'
import { checkSubscription, readTerms } from '../../billing/index.ts'
import { isCompanyInScope } from '../../company-filters/index.ts'
import { enqueueExecution, latestRuns, startExecution } from '../../executions/index.ts'
import { countTicketReceived } from '../../performance/index.ts'
import { type AgentFacts, filterReason, matchOf, START_REFUSED, settingsIn } from '../rules/decisions.ts'
import { commit, end, filtered, leave, OF_OTHER_PSA, PROCESSED, type Work } from './end.ts'
import { type Judged, judged } from './judge.ts'
import { isAway, lookAgain, putOff } from './put-off.ts'
import { lockEntity, type Preread, type ReadEntity, readEntity } from './read-entity.ts'
import { refreshed } from './refresh.ts'
import { CUSTOMER_REPLIED, repliesOf } from './replies.ts'
import { hold, joinTo, keepVersion, type NewMatch, storeMatches } from './store.ts'
import { TICKET_READ } from './ticket-read.ts'

/** Another version of the entity was stored while this one was read: it is read again. */
class NewerVersion extends Error {}

type Entity = ReadEntity & { change_types: string[] }

const unique = <Item>(items: readonly Item[]): Item[] => [...new Set(items)]

/** The code with which the subscription refuses runs; null if agents may run. */
export async function refusalOf(ctx: UnboundJobContext): Promise<string | null> {
  const terms = await readTerms(ctx)
  if (terms.suspended) return 'tenant_suspended'
  try {
    await checkSubscription(ctx, terms)
    return null
  } catch (error) {
    if (error instanceof ApiError) return error.code
    throw error
  }
}

/** True if agents of the tenant may not run at all. */
export const isPaused = (refusal: string | null): boolean =>
  refusal === 'tenant_suspended' || refusal === 'subscription_inactive'

const START_MS = 10_000

/** Starts the agent, unless an execution of it is live on the entity. */
async function start(
  { ctx, callback }: Work,
  { entity_number, psa_company_id }: ReadEntity,
  agent: AgentRow,
): Promise<Omit<NewMatch, 'agent_id' | 'comparisons'>> {
  const { id: callback_id, entity_id } = callback
  try {
    checkModel(ctx, agent)
    return await inTransaction(ctx, START_MS, async () => {
      const execution_id = await enqueueExecution(ctx)
      const given = { entity_id, entity_number, psa_company_id, trigger: 'TRIGGERED' as const }
      await startExecution(ctx, execution_id, { ...startOf(agent, given), callback_id })
      return { result: 'MATCHED', reason_code: null, execution_id }
    })
  } catch (error) {
    if (isConflict(error)) return { result: 'SKIPPED', reason_code: 'RUN_ALREADY_LIVE', execution_id: null }
    // Contract silent: an agent whose start is refused is skipped, such as one that needs a model while none is configured.
    if (!(error instanceof ApiError)) throw error
    return { ...START_REFUSED, refusal: { code: error.code, message: error.message }, execution_id: null }
  }
}

// Contract silent: agents that select none of the changes have no match, so that an event of a tenant with hundreds of agents
// is not hundreds of rows.
/** Matches the agents that select one of the changes, and starts those that run. The entity is locked. */
async function matchAndStart(
  work: Work,
  entity: Entity,
  agents: readonly Judged[],
  { started, has_credits }: { started: readonly number[]; has_credits: boolean },
): Promise<NewMatch[]> {
  const { ctx, callback } = work
  const left = agents.filter(({ agent }) => !started.includes(agent.id))
  const ids = left.map(({ agent }) => agent.id)
  const states = await lockTriggered(ctx, ids)
  const runs = await latestRuns(ctx, callback.entity_id, ids)
  const event = { ...entity, is_in_scope: true }
  const matches: NewMatch[] = []
  for (const { agent, matching } of left) {
    const run = runs.get(agent.id)
    const facts: AgentFacts = {
      state: states.get(agent.id) ?? 'ARCHIVED',
      settings: settingsIn(agent.callback_settings),
      matching,
      is_live: run?.is_live ?? false,
      last_run_at: run?.last_run_at ?? null,
      has_credits,
    }
    const decision = matchOf(event, facts, ctx.now)
    const made = decision.result === 'MATCHED' ? await start(work, entity, agent) : { execution_id: null }
    matches.push({ agent_id: agent.id, ...decision, ...made })
  }
  return matches
}

/** The reason for which no agent is asked; null if some are. A ticket that is gone has no change that an agent could select. */
async function reasonOf(work: Work, psa: Psa, entity: Entity, agents: readonly AgentRow[]) {
  const { change_types, own_changes, psa_company_id } = entity
  const is_gone = entity.version === null
  if (change_types.length === 0 && is_gone) return 'ENTITY_NOT_FOUND'
  const settings = agents.map((agent) => settingsIn(agent.callback_settings))
  const asks = change_types.length > 0 && agents.length > 0
  const is_in_scope = !asks || (await isCompanyInScope(work.ctx, psa, psa_company_id))
  return filterReason({ change_types, own_changes, is_in_scope }, settings)
}

// A PSA may tell of an entity some seconds before it shows it.
/** True if nothing was ever read of the entity, which need not be gone. */
const isNotShown = ({ action }: Work['callback'], { version, known, change_types }: Entity): boolean =>
  version === null && known === null && action !== 'DELETED' && change_types.length === 0

/** One try. Rejects with NewerVersion if another event of the entity was processed meanwhile. */
async function attempt(work: Work, refusal: string | null, preread: Preread | null): Promise<void> {
  const { ctx, callback } = work
  // The port keeps reads for a while, and a kept one may be older than the event.
  const psa = psaOf({ ...ctx, fresh: true })
  const { entity_type } = callback
  const began_at = preread?.began_at ?? ctx.services.now()
  if (entity_type === 'COMPANY' || entity_type === 'CONTACT') {
    const refresh = await refreshed(psa, entity_type, callback.entity_id)
    return await commit(work, async () => {
      const held = await hold(ctx, callback)
      if (!held) return
      if (!held.is_of_present) return await end(work, OF_OTHER_PSA)
      const found = await refresh(ctx)
      await end(work, { ...PROCESSED, ...found }, { began_at })
    })
  }
  const read = await readEntity(ctx, psa, callback, preread)
  const codes = read.changes.map(({ code }) => code)
  const entity: Entity = {
    ...read,
    change_types: unique([...callback.change_types, ...codes]),
    own_changes: unique([...callback.own_changes, ...read.own_changes]),
  }
  const { change_types, own_changes, entity_number, psa_company_id } = entity
  const found = { began_at, entity_number, psa_company_id }
  const agents = await agentsSelecting(ctx, entity_type, change_types)
  const names = psaOf(ctx)
  const reason = await reasonOf(work, names, entity, agents)
  const matchings = reason === null ? await judged(names, entity, agents, ctx.now) : []
  const replies = await repliesOf(ctx, names, read)
  await commit(work, async () => {
    // Events of an entity are processed one after another: two at once would both see the same change.
    await lockEntity(ctx, callback)
    const held = await hold(ctx, callback)
    if (!held) return
    if (!held.is_of_present) return await end(work, OF_OTHER_PSA)
    if (held.revision !== (read.known?.revision ?? 0)) throw new NewerVersion()
    ctx.now = ctx.services.now()
    const { known } = read
    if (isNotShown(callback, entity) && (await lookAgain(work, found))) return
    // A poll may come upon a change that it told of before: what it finds is an event only if something is new.
    const is_found_again = callback.source === 'POLL' || known?.source !== callback.source
    if (reason === 'DUPLICATE' && !callback.is_again && known && is_found_again) {
      await joinTo(ctx, callback, known.callback_id)
      return await leave(work, found)
    }
    if (reason !== 'DUPLICATE') await keepVersion(ctx, callback, read)
    if (replies.length > 0) await CUSTOMER_REPLIED.get()(ctx, replies)
    const is_created = codes.includes('TICKET_CREATED')
    if (read.ticket && codes.length > 0) await TICKET_READ.get()(ctx, { ...read.ticket, is_created })
    const has_credits = refusal !== 'credits_exhausted'
    const { started } = held
    const matches = await matchAndStart(work, entity, matchings, { started, has_credits })
    await storeMatches(ctx, callback, matches)
    if (is_created) await countTicketReceived(ctx, callback.received_at)
    const outcome = reason === null ? PROCESSED : filtered(reason)
    await end(work, { ...outcome, ...found, change_types, own_changes }, found)
  })
}

/** Attempts of the job itself, after errors of the service or of its database. */
export const RETRIES = 5

/** Versions of the entity that may be stored while it is read, before the job is tried again later. */
const MAX_READS = 5

async function work(work: Work, refusal: string | null): Promise<void> {
  for (let reads = 1; ; reads++) {
    try {
      return await attempt(work, refusal, reads === 1 ? await work.preread : null)
    } catch (error) {
      if (!(error instanceof NewerVersion) || reads === MAX_READS) throw error
    }
  }
}

export const FAILED = {
  status: 'FAILED',
  filter_reason: null,
  error: 'PLATFORM: The service could not process it.',
} as const

/** Processes the callback once: its matches, its executions and the version that was read are stored in one transaction. */
export async function processOne(own: Work, refusal: string | null): Promise<void> {
  const { ctx, callback } = own
  try {
    // Contract silent: nothing is asked of the PSA of a tenant that is suspended, or whose subscription is not active.
    if (isPaused(refusal)) return await commit(own, () => end(own, filtered('TENANT_PAUSED')))
    if (!callback.is_of_present) return await commit(own, () => end(own, OF_OTHER_PSA))
    await work(own, refusal)
  } catch (error) {
    if (isAway(error)) return await commit(own, () => putOff(own, error))
    if (ctx.attempt <= RETRIES || ctx.signal.aborted) throw error
    ctx.log.error({ err: error, callback_id: callback.id }, 'a callback could not be processed')
    await commit(own, () => end(own, FAILED))
  }
}
