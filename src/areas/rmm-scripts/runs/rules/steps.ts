/** The rules of a run: whether a technician approves it, when it may start, and which step is next. */
interface Governed {
  risk: string
  approval: string
}

/** True if a technician approves each run that is bound by the script's rules. */
export const needsApproval = ({ risk, approval }: Governed): boolean =>
  approval !== 'BY_RISK' || risk !== 'READ_ONLY'

type StartProblem =
  | 'device_not_found'
  | 'device_offline'
  | 'platform_mismatch'
  | 'script_changed_since_approval'
  | 'script_not_enabled'
  | 'script_removed'

interface Pinned {
  body_sha256: string
  /** True if `agent_enabled` binds the run. */
  is_bound: boolean
}

interface Current {
  body_sha256: string
  agent_enabled: boolean
  removed_at: Date | null
}

/** The reason why the script may not run any more; null: it may. */
export function scriptProblem(
  { body_sha256, is_bound }: Pinned,
  script: Current,
): Extract<StartProblem, `script_${string}`> | null {
  if (script.removed_at !== null) return 'script_removed'
  // A sync that finds another body turns `agent_enabled` off: the change is the reason that people look for.
  if (script.body_sha256 !== body_sha256) return 'script_changed_since_approval'
  return is_bound && !script.agent_enabled ? 'script_not_enabled' : null
}

/** True if the script is made for the operating system. */
export const runsOn = (
  { platforms }: { platforms: readonly string[] },
  device: { platform: string },
): boolean => platforms.length === 0 || platforms.includes(device.platform)

/** The reason why the run may not be sent to the RMM, as the RMM has the script and the device now; null: it may. */
export function startProblem(
  { body_sha256 }: Pick<Pinned, 'body_sha256'>,
  script: { body_sha256: string; platforms: readonly string[] } | null,
  device: { platform: string; online: boolean } | null,
): StartProblem | null {
  if (!script) return 'script_removed'
  if (script.body_sha256 !== body_sha256) return 'script_changed_since_approval'
  if (!device) return 'device_not_found'
  if (!runsOn(script, device)) return 'platform_mismatch'
  return device.online ? null : 'device_offline'
}

/** The columns of a run that say how far it is. */
export interface AtWork {
  status: string
  mark: string | null
  sent_at: Date | null
  external_run_id: string | null
}

/**
 * CLAIM: the run is about to be sent. MARK: the run was certainly not sent. RECOVER: a lost worker may have sent the run. FIND:
 * the run was sent, and the RMM does not show it yet. FOLLOW: the RMM shows the run. null: the run is over, or waits.
 */
export function nextStep({
  status,
  mark,
  sent_at,
  external_run_id,
}: AtWork): 'CLAIM' | 'MARK' | 'RECOVER' | 'FIND' | 'FOLLOW' | null {
  if (status === 'QUEUED') return 'CLAIM'
  if (status !== 'RUNNING') return null
  if (external_run_id !== null) return 'FOLLOW'
  if (mark === null) return 'MARK'
  return sent_at === null ? 'RECOVER' : 'FIND'
}

const OPEN: readonly string[] = ['PENDING_APPROVAL', 'QUEUED', 'RUNNING']

/** True for a run that has come to its end. */
export const isOver = ({ status }: { status: string }): boolean => !OPEN.includes(status)

const SECOND_MS = 1000

/** The seconds before the RMM is asked for the end again: the longer the run takes, the more, up to 15. */
export const pauseSeconds = (started_at: Date, now: Date): number =>
  Math.min(15, Math.max(1, Math.round((now.getTime() - started_at.getTime()) / SECOND_MS / 4)))

export const deadlineOf = ({
  started_at,
  timeout_seconds,
}: {
  started_at: Date
  timeout_seconds: number
}): Date => new Date(started_at.getTime() + timeout_seconds * SECOND_MS)

/** Seconds in which the RMM has time to show a run of which nobody knows whether it was sent. */
const SHOWN_WITHIN_SECONDS = 60

/** The end of a run that a lost worker may have sent, by what the RMM shows. WAIT: it may still show it. */
export function recovered(
  shown: 'NONE' | 'AMBIGUOUS' | 'RUN',
  outcome: 'MADE' | 'NOT_MADE' | 'UNKNOWN',
  started_at: Date,
  now: Date,
): 'ADOPT' | 'SEND' | 'WAIT' | 'UNKNOWN' {
  if (shown === 'RUN') return 'ADOPT'
  if (outcome === 'NOT_MADE') return 'SEND'
  if (shown === 'AMBIGUOUS') return 'UNKNOWN'
  return now.getTime() - started_at.getTime() < SHOWN_WITHIN_SECONDS * SECOND_MS ? 'WAIT' : 'UNKNOWN'
}

/** A port cuts longer texts of vendors. */
const MAX_READ = 100_000
/** A secret has at most so many characters. */
const MAX_SECRET = 4000

/** The text without its end if the port may have cut it, within a secret that would not be recognised. */
export const wholeOutput = (text: string): { text: string; truncated: boolean } =>
  text.length < MAX_READ
    ? { text, truncated: false }
    : { text: text.slice(0, MAX_READ - MAX_SECRET), truncated: true }

const MAX_OUTPUT_BYTES = 64 * 1024

/** The text, cut to 64 KiB. */
export function cutOutput(text: string): { text: string; truncated: boolean } {
  const bytes = Buffer.from(text)
  if (bytes.length <= MAX_OUTPUT_BYTES) return { text, truncated: false }
  // A character that is cut in two is dropped.
  const cut = new TextDecoder('utf-8', { fatal: false }).decode(bytes.subarray(0, MAX_OUTPUT_BYTES))
  return { text: cut.replace(/\uFFFD$/, ''), truncated: true }
}
