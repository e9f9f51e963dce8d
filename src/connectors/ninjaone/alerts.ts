/** Alerts of NinjaOne. Sources as in `api.ts`. */
import { z } from 'zod'
import { amount, count, maybe, reference, text } from '../http/forms.ts'
import type { Rmm, RmmAlert } from '../rmm.ts'
import { hasWords, wordsOf } from '../words.ts'
import { type Api, instant, UID } from './api.ts'
import { deviceRow } from './devices.ts'
import { OF_ORGANISATION, type Organisations, type Scope } from './organisations.ts'

/** An alert that has not cleared. Its id is that of its series of activities. [OA: Alert] */
const ALERT = z.object({
  uid: z.string().regex(UID),
  deviceId: count,
  message: text,
  createTime: amount,
  severity: text,
  device: maybe(OF_ORGANISATION),
})

type AlertRow = z.infer<typeof ALERT>

/** [OA: Activity] */
const ACTIVITY = z.object({
  activityTime: amount,
  deviceId: reference,
  severity: text,
  statusCode: text,
  message: text,
})

type ActivityRow = z.infer<typeof ACTIVITY>

const ACTIVITIES_OF_ALERT = z.object({ activities: maybe(z.array(ACTIVITY)) })

// Contract silent: of the vendor's five severities the highest one is critical.
const SEVERITIES: Readonly<Record<string, RmmAlert['severity']>> = {
  CRITICAL: 'CRITICAL',
  MAJOR: 'WARNING',
  MODERATE: 'WARNING',
}

const severityOf = (severity: string | null | undefined): RmmAlert['severity'] =>
  SEVERITIES[severity ?? ''] ?? 'INFO'

/** The activities of one alert are few; the most that a page can have. [OA] */
const ACTIVITIES = 1000

const raisedAt = (seconds: number | undefined): Date => instant(seconds) ?? new Date(0)

const openAlert = ({ uid, deviceId, severity, message, createTime }: AlertRow): RmmAlert => ({
  alert_id: uid,
  device_id: String(deviceId),
  severity: severityOf(severity),
  text: message ?? '',
  raised_at: raisedAt(createTime),
  cleared_at: null,
})

/** What the activities of an alert that is not open any more tell, the newest first; null if it never was one. */
function clearedAlert(alert_id: string, activities: readonly ActivityRow[]): RmmAlert | null {
  const raised = activities.findLast(({ statusCode }) => statusCode === 'TRIGGERED')
  if (!raised?.deviceId) return null
  const cleared = activities.find(({ statusCode }) => statusCode === 'RESET') ?? activities[0]
  return {
    alert_id,
    device_id: String(raised.deviceId),
    severity: severityOf(raised.severity),
    text: raised.message ?? '',
    raised_at: raisedAt(raised.activityTime),
    cleared_at: raisedAt((cleared ?? raised).activityTime),
  }
}

export function alertsOf(api: Api, organisations: Organisations): Pick<Rmm, 'alert' | 'searchAlerts'> {
  /** The organisations of the alerts' devices. Unverified: whether each alert has its device with it. */
  async function withOrganisations(rows: readonly AlertRow[], { query }: Scope) {
    if (rows.every(({ device }) => device?.organizationId)) return rows.map((row) => row.device ?? {})
    const devices = await api.all(OF_ORGANISATION.extend({ id: count }), '/devices', query)
    const byId = new Map(devices.map((device) => [device.id, device]))
    return rows.map((row) => byId.get(row.deviceId) ?? {})
  }

  return {
    // There is no read of one alert: its activities name the device, which knows what is still open. [OA]
    async alert(alert_id) {
      if (!UID.test(alert_id)) return null
      const found = await api.get(ACTIVITIES_OF_ALERT, '/activities', {
        class: 'DEVICE',
        seriesUid: alert_id,
        pageSize: ACTIVITIES,
      })
      const activities = found?.activities ?? []
      const device_id = activities.find(({ deviceId }) => deviceId)?.deviceId
      const device = device_id ? await deviceRow(api, String(device_id)) : null
      if (!device || !(await organisations.companyOf([device]))(device)) return null
      const open = await api.list(ALERT, `/device/${device.id}/alerts`)
      const row = open.find(({ uid }) => uid.toLowerCase() === alert_id.toLowerCase())
      return row ? openAlert({ ...row, deviceId: device.id }) : clearedAlert(alert_id, activities)
    },
    async searchAlerts({ words, psa_company_id, limit }) {
      const scope = await organisations.scopeOf(psa_company_id)
      if (!scope) return []
      const wanted = wordsOf(words)
      const rows = await api.list(ALERT, '/alerts', scope.query)
      const matched = rows.filter(({ message }) => hasWords(wanted, [message]))
      const owners = await withOrganisations(matched, scope)
      const companyOf = await scope.companyOf(owners)
      return matched
        .filter((_row, index) => companyOf(owners[index] ?? {}) !== undefined)
        .map(openAlert)
        .sort((one, other) => other.raised_at.getTime() - one.raised_at.getTime())
        .slice(0, limit)
    },
  }
}
