/**
 * The health of an integration, as the calls of its system show it.
 *
 * The credentials come before an outage: a refusal is an answer and ends the outage, and an outage after a refusal leaves the
 * message of the refusal, which only people can end. An answer ends both. No mark replaces another problem but by DOWN.
 */
import { OUTAGE_MS } from '../../../connectors/health.ts'
import { statement } from '../../../db/sql.ts'
import { refusalsRaised } from '../events.ts'

export const REFUSED_CREDENTIALS = 'The system does not accept the credentials.'
export const NO_ANSWER = 'The system could not be reached, or did not answer in time.'

/** Refusals in a row after which an event tells of them. */
const REFUSALS = 3

const of = (row: string): string =>
  `${row}.tenant_id = l.tenant_id and ${row}.environment = l.environment and ${row}.name = l.name`

// Both rows are locked, so that a mark judges them as they are after marks of other processes.
/** The connection $1, if it still has the revision $2. */
const LOCKED = `locked as materialized (
     select c.tenant_id, c.environment, c.name, c.refusals, c.failing_since, i.health, i.health_message
     from system_connection c
     join integration_connection i on i.tenant_id = c.tenant_id and i.environment = c.environment and i.name = c.name
     where c.connection_id = $1 and c.revision = $2 and c.secrets is not null
     for update
   )`

const IS_NEWS = "(l.health, l.health_message) is distinct from ('DOWN', $3::text)"

// A later refusal than the third is not counted, so that it writes nothing.
/** The system refused the credentials. $3: REFUSED_CREDENTIALS, $4: the present. */
export const MARK_REFUSED = statement(
  'integrations.mark_refused',
  `with ${LOCKED}, counted as (
     update system_connection c set refusals = least(l.refusals + 1, ${REFUSALS}), failing_since = null
     from locked l where ${of('c')} and (l.refusals < ${REFUSALS} or l.failing_since is not null)
     returning c.tenant_id, c.environment, c.name, l.refusals as before
   ), raised as (
     ${refusalsRaised(`from counted c where c.before = ${REFUSALS - 1}`)}
   )
   update integration_connection i set health = 'DOWN', health_message = $3, updated_at = $4
   from locked l where ${of('i')} and ${IS_NEWS}`,
)

/** The system failed. $3: NO_ANSWER, $4: the present. The first failure is noted, and one of a later moment shows. */
export const MARK_FAILED = statement(
  'integrations.mark_failed',
  `with ${LOCKED}, failing as (
     update system_connection c set failing_since = $4 from locked l where ${of('c')} and l.failing_since is null
   )
   update integration_connection i set health = 'DOWN', health_message = $3, updated_at = $4
   from locked l
   where ${of('i')} and ${IS_NEWS} and l.refusals = 0
     and l.failing_since <= $4::timestamptz - interval '${OUTAGE_MS} milliseconds'`,
)

/** The system answered. $3: the messages of refusals and failures, $4: the present. */
export const MARK_ANSWERED = statement(
  'integrations.mark_answered',
  `with ${LOCKED}, answered as (
     update system_connection c set refusals = 0, failing_since = null
     from locked l where ${of('c')} and (l.refusals > 0 or l.failing_since is not null)
   )
   update integration_connection i set health = 'HEALTHY', health_message = null, updated_at = $4
   from locked l
   where ${of('i')} and (l.health = 'UNKNOWN' or (l.health = 'DOWN' and l.health_message = any($3::text[])))`,
)
