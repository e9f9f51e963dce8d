/** The local RMM: an adapter of the port that keeps everything in the service's own database. */
import { scoped, sql } from '../../db/db.ts'
import { insert, insertOf } from '../../db/query/insert.ts'
import { newId } from '../../lib/ids.ts'
import { searchable, wordPatterns } from '../../lib/like-pattern.ts'
import type { PortContext } from '../port.ts'
import type { Rmm, RmmAlert, RmmConnector, RmmDevice, RmmScriptRun, RmmSoftware } from '../rmm.ts'
import { need, once, outcomesOf } from './once.ts'

const DEVICES = `select d.device_id, d.psa_company_id, d.name, d.platform, d.last_user,
    d.free_disk_bytes::float8 as free_disk_bytes, d.missing_patches, d.last_seen_at
  from rmm_device d where d.tenant_id = $1 and d.environment = $2`

const DEVICE = scoped('rmm.device', `${DEVICES} and d.device_id = $3::text`)

const SEARCH_DEVICES = scoped(
  'rmm.search_devices',
  `${DEVICES} and ($3::text is null or d.psa_company_id = $3::text)
     and ${searchable(`concat_ws(' ', d.name, d.last_user, d.serial_number)`)} like all($4::text[])
   order by lower(d.name), d.device_id limit $5::int`,
)

const SOFTWARE = scoped(
  'rmm.software',
  `select d.software from rmm_device d
   where d.tenant_id = $1 and d.environment = $2 and d.device_id = $3::text`,
)

const ALERTS = `select a.alert_id, a.device_id, a.severity, a.text, a.raised_at,
    least(a.cleared_at, a.closed_at) as cleared_at
  from rmm_alert a join rmm_device d
    on d.tenant_id = a.tenant_id and d.environment = a.environment and d.device_id = a.device_id
  where a.tenant_id = $1 and a.environment = $2`

const ALERT = scoped('rmm.alert', `${ALERTS} and a.alert_id = $3::text`)

const SEARCH_ALERTS = scoped(
  'rmm.search_alerts',
  `${ALERTS} and ($3::text is null or d.psa_company_id = $3::text) and ${searchable(`a.text`)} like all($4::text[])
     and a.cleared_at is null and a.closed_at is null
   order by a.raised_at desc, a.alert_id limit $5::int`,
)

const RESTART = scoped(
  'rmm.restart_device',
  `update rmm_device d set restarted_at = $4::timestamptz
   where d.tenant_id = $1 and d.environment = $2 and d.device_id = $3::text returning d.device_id`,
)

const CLOSE = scoped(
  'rmm.close_alert',
  `update rmm_alert a set closed_at = coalesce(a.closed_at, $4::timestamptz)
   where a.tenant_id = $1 and a.environment = $2 and a.alert_id = $3::text returning a.alert_id`,
)

const ENABLED_SCRIPT = scoped(
  'rmm.enabled_script',
  `select s.script_id from rmm_script s
   where s.tenant_id = $1 and s.environment = $2 and s.script_id = $3::text and s.is_enabled`,
)

// A script of the local RMM ends at once, and well.
const RUN_SCRIPT = insertOf('rmm.run_script', 'RmmScriptRun', {
  columns: ['run_id', 'device_id', 'script_id', 'parameters', 'exit_code', 'started_at'],
})

const SCRIPT_RUN = scoped(
  'rmm.script_run',
  `select r.run_id, r.exit_code from rmm_script_run r
   where r.tenant_id = $1 and r.environment = $2 and r.run_id = $3::text`,
)

const connect = (ctx: PortContext): Rmm => {
  const write = (key: string, id: string, make: (own: PortContext) => Promise<unknown>) =>
    once(ctx, 'RMM', key, id, make)
  return {
    searchDevices: ({ words, psa_company_id, limit }) =>
      sql<RmmDevice>(ctx, SEARCH_DEVICES, [psa_company_id, wordPatterns(words), limit]),
    device: async (id) => (await sql<RmmDevice>(ctx, DEVICE, [id]))[0] ?? null,
    async softwareOf(id) {
      const [row] = await sql<{ software: RmmSoftware[] }>(ctx, SOFTWARE, [id])
      return row?.software ?? null
    },
    alert: async (id) => (await sql<RmmAlert>(ctx, ALERT, [id]))[0] ?? null,
    searchAlerts: ({ words, psa_company_id, limit }) =>
      sql<RmmAlert>(ctx, SEARCH_ALERTS, [psa_company_id, wordPatterns(words), limit]),
    async restartDevice(device_id, key) {
      const id = await write(key, device_id, (own) =>
        need(sql(own, RESTART, [device_id, ctx.now]), 'DEVICE_NOT_FOUND'),
      )
      return await need(sql<RmmDevice>(ctx, DEVICE, [id]), 'DEVICE_NOT_FOUND')
    },
    async runScript(device_id, script_id, parameters, key) {
      const new_id = newId('rsr')
      const run_id = await write(key, new_id, async (own) => {
        await need(sql(own, DEVICE, [device_id]), 'DEVICE_NOT_FOUND')
        await need(sql(own, ENABLED_SCRIPT, [script_id]), 'SCRIPT_NOT_ENABLED')
        const run = { run_id: new_id, device_id, script_id, parameters, exit_code: 0, started_at: ctx.now }
        await insert(own, RUN_SCRIPT, run)
      })
      return await need(sql<RmmScriptRun>(ctx, SCRIPT_RUN, [run_id]), 'DEVICE_NOT_FOUND')
    },
    async closeAlert(alert_id, key) {
      const id = await write(key, alert_id, (own) =>
        need(sql(own, CLOSE, [alert_id, ctx.now]), 'ALERT_NOT_FOUND'),
      )
      return await need(sql<RmmAlert>(ctx, ALERT, [id]), 'ALERT_NOT_FOUND')
    },
    outcomeOf: outcomesOf(ctx, 'RMM'),
  }
}

export const localRmm: RmmConnector = Object.assign(connect, { joins_transactions: true as const })
