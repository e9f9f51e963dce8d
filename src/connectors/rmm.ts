/** The port to an RMM: devices, their alerts, and scripts. What holds of every port is in `port.ts`. */
import type { Connector, Outcomes, PortContext, PortDescription, Search } from './port.ts'

export interface RmmDevice {
  device_id: string
  psa_company_id: string
  name: string
  platform: 'WINDOWS' | 'MACOS' | 'LINUX' | 'OTHER'
  last_user: string | null
  free_disk_bytes: number | null
  missing_patches: number
  last_seen_at: Date | null
}

export interface RmmSoftware {
  name: string
  version: string
}

export interface RmmAlert {
  alert_id: string
  device_id: string
  severity: 'INFO' | 'WARNING' | 'CRITICAL'
  text: string
  raised_at: Date
  /** When it cleared by itself, or somebody closed it. */
  cleared_at: Date | null
}

export interface RmmScriptRun {
  run_id: string
  /** null: the script has not ended yet. */
  exit_code: number | null
}

/** The RMM of one tenant. */
export interface Rmm extends Outcomes {
  /** The devices whose name, last user or serial number has the words, by name. */
  searchDevices(search: Search): Promise<readonly RmmDevice[]>
  device(device_id: string): Promise<RmmDevice | null>
  /** The software on the device, by name; null if there is no such device. */
  softwareOf(device_id: string): Promise<readonly RmmSoftware[] | null>
  alert(alert_id: string): Promise<RmmAlert | null>
  /** The alerts whose text has the words and that have not cleared, the newest first. */
  searchAlerts(search: Search): Promise<readonly RmmAlert[]>
  restartDevice(device_id: string, idempotency_key: string): Promise<RmmDevice>
  /** Runs a script that is enabled for agents. */
  runScript(
    device_id: string,
    script_id: string,
    parameters: Readonly<Record<string, string>>,
    idempotency_key: string,
  ): Promise<RmmScriptRun>
  /** Closing an alert that has cleared changes nothing. */
  closeAlert(alert_id: string, idempotency_key: string): Promise<RmmAlert>
}

/** Every device of an MSP, of which some have tens of thousands. */
const ALL_DEVICES = { requests: 300, rows: 50_000, bytes: 64 * 1024 * 1024 }

export const RMM: PortDescription<Rmm> = {
  upstream: 'RMM',
  bounds: { searchDevices: ALL_DEVICES, searchAlerts: ALL_DEVICES },
  calls: {
    searchDevices: 'READ',
    device: 'READ',
    softwareOf: 'READ',
    alert: 'READ',
    searchAlerts: 'READ',
    restartDevice: 'WRITE',
    runScript: 'WRITE',
    closeAlert: 'WRITE',
    outcomeOf: 'OUTCOME',
  },
}

export type RmmConnector = Connector<Rmm>

/** The RMM of the caller's tenant, through the budgeted client. */
export const rmmOf = (ctx: PortContext & { services: { connectors: { rmm: RmmConnector } } }): Rmm =>
  ctx.services.connectors.rmm(ctx)
