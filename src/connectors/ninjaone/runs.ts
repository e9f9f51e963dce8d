/** Runs of scripts in NinjaOne, which are series of activities of a device. Sources as in `api.ts`. */
import { hash } from 'node:crypto'
import { z } from 'zod'
import { isObject } from '../../lib/is-object.ts'
import { maybe, text } from '../http/forms.ts'
import { idOf } from '../ids.ts'
import { need, notMade, PortRefusal } from '../port.ts'
import type { Rmm, RmmScriptRun, ScriptStart } from '../rmm.ts'
import { type Api, UID } from './api.ts'
import { parametersText } from './parameters.ts'
import { scriptNamed } from './scripts.ts'

const SOURCE = { sourceConfigUid: text, sourceName: text }

/** [OA: Activity, whose id has 64 bits] */
const ACTIVITY = z.object({
  ...SOURCE,
  id: z.int().min(0),
  activityType: text,
  statusCode: text,
  activityResult: text,
  seriesUid: text,
  message: text,
  data: z.unknown().optional(),
})

type ActivityRow = z.infer<typeof ACTIVITY>

const ACTIVITIES = z.object({ activities: maybe(z.array(ACTIVITY)) })

/** A job under way. Its id is that of its series of activities. [OA: Job] */
const JOB = z.object({ ...SOURCE, uid: text, jobType: text })

type JobRow = z.infer<typeof JOB>

/** The types of activities of a run: SCRIPTING is named after scripts [OA], ACTION is what [EX] reads. */
const OF_SCRIPTS: ReadonlySet<string> = new Set(['SCRIPTING', 'ACTION'])

/** The statuses with which a run ends. [OA] */
const ENDS: ReadonlySet<string> = new Set(['COMPLETED', 'CANCELLED'])

const PAGE = 200
const MAX_PAGES = 5
/** With more series than these after the mark, the run counts as AMBIGUOUS. */
const MAX_SERIES = 10

/** A point in the history of a device, with the script that is about to be started there. */
interface Mark {
  activity_id: number
  /** The hash of the script's name. Empty: the script was gone. */
  name_hash: string
}

const hashOf = (name: string): string => hash('sha256', name.trim().toLowerCase())

const markText = ({ activity_id, name_hash }: Mark): string => `${activity_id}:${name_hash}`

function markIn(mark: string): Mark | null {
  const [, id, name_hash = ''] = /^(\d{1,16}):([\da-f]{64})?$/.exec(mark) ?? []
  return id === undefined ? null : { activity_id: Number(id), name_hash }
}

type Source = Pick<JobRow, 'sourceConfigUid' | 'sourceName'>

/**
 * THIS: the source is the script. OTHER: the source is another script. UNKNOWN: the source has no name. Unverified: what
 * links a script to `sourceConfigUid`, a UUID that no script has [OA]. `sourceName` is `Run <script>` in [EX].
 */
function sourceOf({ sourceConfigUid, sourceName = '' }: Source, script_id: string, name_hash: string) {
  if (sourceConfigUid === script_id) return 'THIS'
  if (sourceName === '' || name_hash === '') return 'UNKNOWN'
  const names = [sourceName, sourceName.replace(/^run /i, '')]
  return names.some((name) => hashOf(name) === name_hash) ? 'THIS' : 'OTHER'
}

/** The objects that may have details: `data`, and the parameters of the message in it [AI]. */
function detailsOf(data: unknown): Readonly<Record<string, unknown>>[] {
  if (!isObject(data)) return []
  const { message } = data as Readonly<Record<string, unknown>>
  const params = isObject(message) ? (message as Readonly<Record<string, unknown>>).params : null
  return [data, params].filter(isObject) as Readonly<Record<string, unknown>>[]
}

/** Unverified: whether `data` has an exit code, and under which name. Windows counts them without a sign. */
function exitCodeOf({ data }: ActivityRow): number | null {
  const codes = detailsOf(data).flatMap(({ exitCode, exit_code }) => [exitCode, exit_code])
  const code = codes.find((value) => /^-?\d{1,10}$/.test(String(value)))
  const number = Number(code)
  if (code === undefined || number < -(2 ** 31) || number >= 2 ** 32) return null
  return number | 0
}

/** Unverified: whether the output of a script is in the message or in `data`, and under which name. */
function outputOf({ message, data }: ActivityRow): string | null {
  const outputs = detailsOf(data).flatMap(({ output, stdout }) => [output, stdout])
  const texts = [message, ...outputs].filter((one): one is string => typeof one === 'string' && one !== '')
  return [...new Set(texts)].join('\n') || null
}

/** The run by the activities of its series. The streams are not told apart. */
function runIn(run_id: string, activities: readonly ActivityRow[]): RmmScriptRun {
  const ends = activities.filter(({ statusCode }) => ENDS.has(statusCode ?? ''))
  const [first, ...others] = ends
  if (!first) return { run_id, end: null }
  const last = others.reduce((latest, one) => (one.id > latest.id ? one : latest), first)
  const succeeded = last.statusCode === 'COMPLETED' && last.activityResult === 'SUCCESS'
  return {
    run_id,
    end: { succeeded, exit_code: exitCodeOf(last), stdout: outputOf(last), stderr: null },
  }
}

type Runs = Pick<Rmm, 'markBeforeStart' | 'startScript' | 'startedRun' | 'scriptRun' | 'outcomeOf'>

export function runsOf(api: Api, has_user: boolean): Runs {
  const activitiesOf = async (device: number, query: Readonly<Record<string, string | number>>) =>
    (await api.get(ACTIVITIES, `/device/${device}/activities`, query))?.activities ?? []

  const jobsOf = async (device: number) => await api.list(JOB, `/device/${device}/jobs`)

  /**
   * The activities of the device after the mark; null if some stay unread. Pages begin with the newest activity, and
   * `olderThan` leads to earlier ones [EX]. Its description says the opposite [OA]: a page without news ends the reading.
   */
  async function activitiesAfter(device: number, mark: number): Promise<ActivityRow[] | null> {
    const known = new Map<number, ActivityRow>()
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const olderThan = Math.min(...known.keys())
      const older: { olderThan?: number } = known.size > 0 ? { olderThan } : {}
      const rows = await activitiesOf(device, { pageSize: PAGE, ...older })
      const before = known.size
      for (const row of rows) if (row.id > mark) known.set(row.id, row)
      if (rows.length < PAGE || rows.some(({ id }) => id <= mark)) return [...known.values()]
      if (known.size === before) return null
    }
    return null
  }

  /** The series that may be the run. true: the series names the script. false: nothing says of which script it is. */
  async function seriesAfter(device: number, script_id: string, mark: Mark) {
    const activities = await activitiesAfter(device, mark.activity_id)
    if (!activities) return null
    const jobs = await jobsOf(device)
    const sources = [
      ...activities.map((row) => ({ ...row, type: row.activityType, uid: row.seriesUid })),
      ...jobs.map((row) => ({ ...row, type: row.jobType })),
    ]
    const series = new Map<string, boolean>()
    for (const source of sources) {
      const of = OF_SCRIPTS.has(source.type ?? '') ? sourceOf(source, script_id, mark.name_hash) : 'OTHER'
      const uid = source.uid ?? ''
      if (of !== 'OTHER') series.set(uid, series.get(uid) || of === 'THIS')
    }
    return series
  }

  async function startedRun({
    device_id,
    script_id,
    mark,
  }: ScriptStart): Promise<RmmScriptRun | 'NONE' | 'AMBIGUOUS'> {
    const device = idOf(device_id)
    if (device === null) return 'NONE'
    const point = markIn(mark)
    const series = point && (await seriesAfter(device, script_id, point))
    if (!series || series.size > MAX_SERIES) return 'AMBIGUOUS'
    const runs: RmmScriptRun[] = []
    let others = 0
    for (const [uid, is_named] of series) {
      const activities = UID.test(uid) ? await activitiesOf(device, { seriesUid: uid, pageSize: PAGE }) : null
      // A series with activities up to the mark is an earlier run that goes on.
      if (activities?.some(({ id }) => id <= point.activity_id)) continue
      if (activities && is_named) runs.push(runIn(uid, activities))
      else others++
    }
    const [run, another] = runs
    if (run) return another ? 'AMBIGUOUS' : run
    return others > 0 ? 'AMBIGUOUS' : 'NONE'
  }

  return {
    async markBeforeStart(device_id, script_id) {
      const device = idOf(device_id)
      const activities = device === null ? [] : await activitiesOf(device, { pageSize: 10 })
      const activity_id = activities.reduce((greatest, { id }) => Math.max(greatest, id), 0)
      const script = await scriptNamed(api, script_id)
      return markText({ activity_id, name_hash: script ? hashOf(script.name) : '' })
    },
    // The vendor answers without an id of the run, and takes no idempotency key. [OA, PS]
    async startScript({ device_id, script_id, parameters, run_as_user }) {
      if (!has_user) throw new PortRefusal('NOT_SUPPORTED')
      const device = need(idOf(device_id), 'DEVICE_NOT_FOUND')
      const found = await scriptNamed(api, script_id).catch((error: unknown) => {
        throw notMade(error)
      })
      const script = need(found, 'SCRIPT_NOT_FOUND')
      const answer = await api.post(`/device/${device}/script/run`, {
        type: 'SCRIPT',
        id: Number(script.script_id),
        parameters: parametersText(script, parameters),
        // The vendor requires a value in lower case. [PS]
        runAs: run_as_user ? 'loggedonuser' : 'system',
      })
      need(answer.is_ok || null, 'DEVICE_NOT_FOUND')
    },
    startedRun,
    async scriptRun(device_id, run_id) {
      const device = idOf(device_id)
      if (device === null || !UID.test(run_id)) return null
      const activities = await activitiesOf(device, { seriesUid: run_id, pageSize: PAGE })
      if (activities.length > 0) return runIn(run_id, activities)
      const jobs = await jobsOf(device)
      return jobs.some(({ uid }) => uid === run_id) ? { run_id, end: null } : null
    },
    outcomeOf: async () => (has_user ? 'UNKNOWN' : 'NOT_MADE'),
  }
}
