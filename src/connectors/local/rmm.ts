/** The local RMM: an adapter of the port that keeps everything in the service's own database. */
import { hash } from 'node:crypto'
import { scoped, sql } from '../../db/db.ts'
import { insert, insertOf } from '../../db/query/insert.ts'
import { newId } from '../../lib/ids.ts'
import { searchable, wordPatterns } from '../../lib/like-pattern.ts'
import type { PortContext } from '../port.ts'
import type {
  Rmm,
  RmmAlert,
  RmmConnector,
  RmmDevice,
  RmmListedDevice,
  RmmScript,
  RmmScriptRun,
  RmmSoftware,
} from '../rmm.ts'
import { madeBy, need, once, outcomesOf } from './once.ts'

const DEVICES = `select d.device_id, d.psa_company_id, d.name, d.platform, d.last_user,
    d.free_disk_bytes::float8 as free_disk_bytes, d.missing_patches, d.last_seen_at
  from local_rmm_device d where d.tenant_id = $1 and d.environment = $2`

const DEVICE = scoped('rmm.device', `${DEVICES} and d.device_id = $3::text`)

const SEARCH_DEVICES = scoped(
  'rmm.search_devices',
  `${DEVICES} and ($3::text is null or d.psa_company_id = $3::text)
     and ${searchable(`concat_ws(' ', d.name, d.last_user, d.serial_number)`)} like all($4::text[])
   order by lower(d.name), d.device_id limit $5::int`,
)

const SOFTWARE = scoped(
  'rmm.software',
  `select d.software from local_rmm_device d
   where d.tenant_id = $1 and d.environment = $2 and d.device_id = $3::text`,
)

const ALERTS = `select a.alert_id, a.device_id, a.severity, a.text, a.raised_at,
    least(a.cleared_at, a.closed_at) as cleared_at
  from local_rmm_alert a join local_rmm_device d
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
  `update local_rmm_device d set restarted_at = $4::timestamptz
   where d.tenant_id = $1 and d.environment = $2 and d.device_id = $3::text returning d.device_id`,
)

const CLOSE = scoped(
  'rmm.close_alert',
  `update local_rmm_alert a set closed_at = coalesce(a.closed_at, $4::timestamptz)
   where a.tenant_id = $1 and a.environment = $2 and a.alert_id = $3::text returning a.alert_id`,
)

/** Devices of a page. */
const PAGE = 200

const LISTED = `select d.device_id, d.name, d.psa_company_id, d.platform, d.is_online as online, d.last_seen_at, d.last_user
  from local_rmm_device d where d.tenant_id = $1 and d.environment = $2`

const LISTED_DEVICE = scoped('rmm.listed_device', `${LISTED} and d.device_id = $3::text`)

const DEVICE_PAGE = scoped(
  'rmm.device_page',
  `${LISTED} and d.device_id > $3::text order by d.device_id limit ${PAGE}`,
)

const DEVICE_PAGE_OF_COMPANY = scoped(
  'rmm.device_page_of_company',
  `${LISTED} and d.device_id > $3::text and d.psa_company_id = $4::text order by d.device_id limit ${PAGE}`,
)

const SCRIPTS = `select s.script_id, s.name, s.description, s.category, s.shell, s.platforms::text[] as platforms, s.parameters,
    s.default_timeout_seconds, s.run_as_user, replace(s.body, '{build}', s.build::text) as body
  from local_rmm_script s where s.tenant_id = $1 and s.environment = $2`

const SCRIPT = scoped('rmm.script', `${SCRIPTS} and s.script_id = $3::text`)

const SCRIPT_PAGE = scoped('rmm.script_page', `${SCRIPTS} order by s.script_id`)

const REBUILD = scoped(
  'rmm.rebuild_scripts',
  `update local_rmm_script s set build = s.build + 1 where s.tenant_id = $1 and s.environment = $2 and s.is_rebuilt`,
)

const START_SCRIPT = insertOf('rmm.start_script', 'LocalRmmScriptRun', {
  columns: ['run_id', 'device_id', 'script_id', 'parameters', 'started_at'],
})

// A device that is offline runs nothing: what was started there has no end.
const SCRIPT_RUN = scoped(
  'rmm.script_run',
  `select r.run_id, s.exit_code, replace(s.stdout, '{device}', d.name) as stdout, s.stderr,
     d.is_online and r.started_at + make_interval(secs => s.takes_seconds) <= $4::timestamptz as has_ended
   from local_rmm_script_run r
   join local_rmm_device d on d.tenant_id = r.tenant_id and d.environment = r.environment and d.device_id = r.device_id
   join local_rmm_script s on s.tenant_id = r.tenant_id and s.environment = r.environment and s.script_id = r.script_id
   where r.tenant_id = $1 and r.environment = $2 and r.run_id = $3::text`,
)

interface LocalRun {
  run_id: string
  exit_code: number
  stdout: string
  stderr: string
  has_ended: boolean
}

const runOf = ({ run_id, exit_code, stdout, stderr, has_ended }: LocalRun): RmmScriptRun => ({
  run_id,
  end: has_ended ? { succeeded: exit_code === 0, exit_code, stdout, stderr } : null,
})

const scriptOf = (script: Omit<RmmScript, 'body_sha256'> & { body: string }): RmmScript => ({
  ...script,
  body_sha256: hash('sha256', script.body),
})

const connect = (ctx: PortContext): Rmm => {
  const write = (key: string, id: string, make: (own: PortContext) => Promise<unknown>) =>
    once(ctx, 'RMM', key, id, make)
  const runById = async (run_id: string): Promise<RmmScriptRun | null> => {
    const [run] = await sql<LocalRun>(ctx, SCRIPT_RUN, [run_id, ctx.now])
    return run ? runOf(run) : null
  }
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
    async devicePage({ psa_company_id, after }) {
      const rows = await (psa_company_id === null
        ? sql<RmmListedDevice>(ctx, DEVICE_PAGE, [after ?? ''])
        : sql<RmmListedDevice>(ctx, DEVICE_PAGE_OF_COMPANY, [after ?? '', psa_company_id]))
      return { rows, next: rows.length === PAGE ? (rows.at(-1)?.device_id ?? null) : null }
    },
    listedDevice: async (id) => (await sql<RmmListedDevice>(ctx, LISTED_DEVICE, [id]))[0] ?? null,
    async scriptPage() {
      await sql(ctx, REBUILD)
      const rows = await sql<Parameters<typeof scriptOf>[0]>(ctx, SCRIPT_PAGE)
      return { rows: rows.map(scriptOf), next: null }
    },
    async script(id) {
      const [row] = await sql<Parameters<typeof scriptOf>[0]>(ctx, SCRIPT, [id])
      return row ? scriptOf(row) : null
    },
    markBeforeStart: async () => '',
    async startScript({ device_id, script_id, parameters, secret_parameters }, key) {
      const run_id = newId('lsr')
      const shown = Object.entries(parameters).filter(([name]) => !secret_parameters.includes(name))
      await write(key, run_id, async (own) => {
        await need(sql(own, DEVICE, [device_id]), 'DEVICE_NOT_FOUND')
        await need(sql(own, SCRIPT, [script_id]), 'SCRIPT_NOT_FOUND')
        const run = { run_id, device_id, script_id, started_at: ctx.now }
        await insert(own, START_SCRIPT, { ...run, parameters: Object.fromEntries(shown) })
      })
    },
    async startedRun({ idempotency_key }) {
      const run_id = await madeBy(ctx, 'RMM', idempotency_key)
      return run_id === undefined ? 'NONE' : ((await runById(run_id)) ?? 'NONE')
    },
    scriptRun: (_device_id, run_id) => runById(run_id),
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
