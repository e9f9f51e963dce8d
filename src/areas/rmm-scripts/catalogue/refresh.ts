/** The scripts as they are read from the RMM. */
import type { RmmScript, RmmScriptParameter } from '../../../connectors/rmm.ts'
import { scoped, sql } from '../../../db/db.ts'
import { type Marked, missingMarker } from '../../../db/query/missing.ts'
import type { MutationContext } from '../../../gateway/context.ts'
import { newId } from '../../../lib/ids.ts'
import type { CompanyLinkSystem } from '../../integrations/index.ts'

/** The columns that a sync reads, with their types. */
const READ = {
  name: 'text',
  description: 'text',
  category: 'text',
  shell: 'script_shell',
  platforms: 'script_platform[]',
  parameters: 'jsonb',
  default_timeout_seconds: 'int',
  run_as_user: 'boolean',
  body_sha256: 'text',
  body: 'text',
}

const COLUMNS = Object.keys(READ)

const columnsOf = (alias: string): string => COLUMNS.map((column) => `${alias}.${column}`).join(', ')

// Rows are locked in one order, and compared before they are written: the insert asks for their count first.
const REFRESH = scoped(
  'rmm_scripts.refresh',
  `with given as materialized (
     select * from jsonb_to_recordset($4::jsonb) as g (id text, external_id text, ${Object.entries(READ)
       .map((column) => column.join(' '))
       .join(', ')})
   ), stored as materialized (
     select s.external_id, (${columnsOf('s')}, s.removed_at) is distinct from (${columnsOf('g')}, null::timestamptz) as differs
     from given g join rmm_script s
       on s.tenant_id = $1 and s.environment = $2 and s.system = $3::text and s.external_id = g.external_id
     order by s.external_id for update of s
   ), written as (
     insert into rmm_script
       (tenant_id, environment, id, system, external_id, ${COLUMNS.join(', ')}, created_at, updated_at, synced_at)
     select $1, $2, g.id, $3::text, g.external_id, ${columnsOf('g')}, $5::timestamptz, $5::timestamptz, $5::timestamptz
     from given g where (select count(*) from stored) >= 0 order by g.external_id
     on conflict (tenant_id, environment, system, external_id) do update
     set (${COLUMNS.join(', ')}) = (${columnsOf('excluded')}), synced_at = excluded.synced_at, removed_at = null,
       agent_enabled = rmm_script.agent_enabled
         and (rmm_script.risk = 'READ_ONLY' or rmm_script.body_sha256 = excluded.body_sha256),
       updated_at = case when (${columnsOf('rmm_script')}, rmm_script.removed_at)
         is distinct from (${columnsOf('excluded')}, null::timestamptz)
         then excluded.updated_at else rmm_script.updated_at end
     returning external_id
   )
   select count(*) filter (where s.external_id is null)::int as added, count(*) filter (where s.differs)::int as changed
   from written w left join stored s using (external_id)`,
)

/** The scripts of a page that were new, and those that differed from what was stored. */
export interface Refreshed {
  added: number
  changed: number
}

/** The parameter without the value of a secret, which the RMM knows by itself: nobody has to give it then. */
const withoutSecret = (parameter: RmmScriptParameter): RmmScriptParameter =>
  parameter.secret && parameter.default !== null
    ? { ...parameter, required: false, default: null }
    : parameter

/**
 * Stores scripts as the RMM has them now. The rules of the tenant stay, but a script with another body is no longer enabled
 * for agents unless it is READ_ONLY.
 */
export async function refreshScripts(
  ctx: MutationContext,
  system: CompanyLinkSystem,
  scripts: readonly RmmScript[],
): Promise<Refreshed> {
  const rows = scripts.map(({ script_id, parameters, ...script }) => ({
    ...script,
    parameters: parameters.map(withoutSecret),
    id: newId('scr'),
    external_id: script_id,
  }))
  const [counts] = await sql<Refreshed>(ctx, REFRESH, [system, JSON.stringify(rows), ctx.now])
  return counts ?? { added: 0, changed: 0 }
}

const MARK_MISSING = missingMarker('rmm_scripts.mark_missing', {
  table: 'rmm_script',
  present: 'removed_at is null and system = $6::text',
  gone: 'synced_at < $5::timestamptz',
  there: 'created_at < $5::timestamptz',
  set: 'removed_at = $3::timestamptz',
})

/** Marks scripts of the RMM that were not read at this instant or later. */
export const markMissingScripts = (
  ctx: MutationContext,
  system: CompanyLinkSystem,
  accept_missing: boolean,
  read_since: Date,
): Promise<Marked> => MARK_MISSING(ctx, accept_missing, read_since, system)
