/** The port to an RMM: devices, their alerts, and scripts. What holds of every port is in `port.ts`. */
import type { Connector, Outcomes, PortContext, PortDescription, Search } from './port.ts'
import type { RmmScriptParameter, ScriptValue } from './scripts.ts'

export type { RmmScriptParameter, ScriptValue } from './scripts.ts'

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

/** A device in a list. */
export interface RmmListedDevice {
  device_id: string
  name: string
  /** null: the device belongs to no company of the PSA. */
  psa_company_id: string | null
  platform: RmmDevice['platform']
  online: boolean
  last_seen_at: Date | null
  last_user: string | null
}

/** Devices in the order of the RMM. */
interface DeviceSearch {
  psa_company_id: string | null
  /** `next` of the page before; null: the first page. */
  after: string | null
}

export interface RmmPage<Row> {
  rows: readonly Row[]
  /** The position after the page; null: the page is the last. */
  next: string | null
}

export interface RmmScript {
  script_id: string
  name: string
  description: string | null
  category: string | null
  shell: 'POWERSHELL' | 'CMD' | 'BASH' | 'PYTHON' | 'OTHER'
  /** Empty: the RMM names none, and the script runs on all. */
  platforms: readonly ('WINDOWS' | 'MACOS' | 'LINUX')[]
  parameters: readonly RmmScriptParameter[]
  default_timeout_seconds: number
  run_as_user: boolean
  /** The SHA-256 of the body, or of all that the RMM tells of a script without its body: another one after every change. */
  body_sha256: string
  /** null: the RMM does not give it. */
  body: string | null
}

/** A script to be started on a device. */
export interface ScriptOrder {
  device_id: string
  script_id: string
  /** Values by name, the secret ones too. */
  parameters: Readonly<Record<string, ScriptValue>>
  /** The parameters that no system may show or keep, by name. */
  secret_parameters: readonly string[]
  run_as_user: boolean
}

/** A start of a script, as the RMM can be asked for it. */
export interface ScriptStart {
  device_id: string
  script_id: string
  /** The point in the RMM's own history before the start, as `markBeforeStart` answered. */
  mark: string
  idempotency_key: string
}

export interface RmmScriptRun {
  run_id: string
  /** null: the script has not ended. */
  end: {
    succeeded: boolean
    /** null: the RMM tells none. */
    exit_code: number | null
    /** null: the RMM tells none. Of a RMM that does not tell the streams apart, both. */
    stdout: string | null
    stderr: string | null
  } | null
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
  /** A page of devices by their ids. It reads no more than the page. */
  devicePage(search: DeviceSearch): Promise<RmmPage<RmmListedDevice>>
  /** A device as it is in a list, whatever company has it; null if there is no such device. */
  listedDevice(device_id: string): Promise<RmmListedDevice | null>
  /** A page of the scripts. */
  scriptPage(after: string | null): Promise<RmmPage<RmmScript>>
  /** The script as it is now; null if it is gone. */
  script(script_id: string): Promise<RmmScript | null>
  /** A point in the RMM's own history of the device: starts after it are later than it. */
  markBeforeStart(device_id: string, script_id: string): Promise<string>
  /** Starts a script. A RMM without idempotency keys starts it again when asked again: `startedRun` is asked first. */
  startScript(order: ScriptOrder, idempotency_key: string): Promise<void>
  /**
   * The run of a start. NONE: the RMM shows no run that it could be. AMBIGUOUS: several runs could be it, or it is one that
   * the RMM cannot tell from others.
   */
  startedRun(start: ScriptStart): Promise<RmmScriptRun | 'NONE' | 'AMBIGUOUS'>
  /** A run by the id that `startedRun` answered with; null if the RMM does not show it any more. */
  scriptRun(device_id: string, run_id: string): Promise<RmmScriptRun | null>
  /** Closing an alert that has cleared changes nothing. */
  closeAlert(alert_id: string, idempotency_key: string): Promise<RmmAlert>
}

/** Every device of an MSP, of which some have tens of thousands. */
const ALL_DEVICES = { requests: 300, rows: 50_000, bytes: 64 * 1024 * 1024 }

/** Every script of an MSP. */
const ALL_SCRIPTS = { rows: 10_000, bytes: 64 * 1024 * 1024 }

export const RMM: PortDescription<Rmm> = {
  upstream: 'RMM',
  bounds: {
    searchDevices: ALL_DEVICES,
    searchAlerts: ALL_DEVICES,
    scriptPage: ALL_SCRIPTS,
    script: ALL_SCRIPTS,
  },
  calls: {
    searchDevices: 'READ',
    device: 'READ',
    softwareOf: 'READ',
    alert: 'READ',
    searchAlerts: 'READ',
    restartDevice: 'WRITE',
    devicePage: 'READ',
    listedDevice: 'READ',
    scriptPage: 'READ',
    script: 'READ',
    markBeforeStart: 'OUTCOME',
    startScript: 'WRITE',
    startedRun: 'OUTCOME',
    scriptRun: 'OUTCOME',
    closeAlert: 'WRITE',
    outcomeOf: 'OUTCOME',
  },
}

export type RmmConnector = Connector<Rmm>

/** The RMM of the caller's tenant, through the budgeted client. */
export const rmmOf = (ctx: PortContext & { services: { connectors: { rmm: RmmConnector } } }): Rmm =>
  ctx.services.connectors.rmm(ctx)
