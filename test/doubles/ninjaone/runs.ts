/** The runs of scripts of the double: each is a series of activities, and a job until it has ended. */
import { checkFields, type DoubleRequest, jsonOf, Refusal, type Row } from '../vendor.ts'

/** [OA: the request to run a script] */
const REQUEST = { type: 'string', id: 'number', parameters: 'string', runAs: 'string' } as const

/** [PS] */
const RUN_AS = new Set(['system', 'loggedonuser'])

interface Ending {
  statusCode?: string
  activityResult?: string
  message?: string
  data?: unknown
}

interface Start {
  device_id: number
  body: Row
  uid: string
}

type Query = Readonly<Record<string, string>>

export interface RunOptions {
  /** Milliseconds after which a run that a request started ends by itself. Left out: it goes on until `end`. */
  run_ms?: number
}

export function createRuns(
  { activities, scripts }: { activities: Row[]; scripts: Row[] },
  { run_ms }: RunOptions = {},
) {
  const starts: Start[] = []
  /** The runs that are not shown yet. */
  const hidden = new Set<unknown>()
  let is_hiding = false
  const jobs = new Map<string, Row>()
  /** The fields of new activities and jobs that are others than usual. */
  const shown: Row = {}
  let made = 0

  function append(row: Row): void {
    const last = activities.reduce((greatest, { id }) => Math.max(greatest, Number(id ?? 0)), 0)
    activities.push({ id: last + 1, activityTime: 1_790_000_000 + last, ...row })
  }

  /** Begins a run, as by a person at the console or by a request. */
  function begin(device_id: number, script: Row): string {
    const uid = `00000000-0000-4000-9000-${String(++made).padStart(12, '0')}`
    const source = { sourceName: `Run ${script.name}`, deviceId: device_id, ...shown }
    const { activityType = 'SCRIPTING' } = shown
    if (is_hiding) hidden.add(uid)
    jobs.set(uid, { uid, ...source, jobType: activityType, jobStatus: 'STARTED' })
    append({ ...source, seriesUid: uid, activityType, statusCode: 'START_REQUESTED', message: 'Requested' })
    return uid
  }

  /** Ends the run; by default it succeeds. */
  function end(
    uid: string,
    { statusCode = 'COMPLETED', activityResult = 'SUCCESS', ...more }: Ending = {},
  ): void {
    const { jobType, jobStatus, uid: seriesUid, ...source } = jobs.get(uid) ?? {}
    jobs.delete(uid)
    append({ ...source, seriesUid, activityType: jobType, statusCode, activityResult, ...more })
  }

  return {
    /** Every start that was made by a request. */
    starts,
    shown,
    begin,
    append,
    start(device_id: number, request: DoubleRequest): void {
      const body = checkFields(jsonOf(request), REQUEST)
      if (body.type !== 'SCRIPT' || !RUN_AS.has(String(body.runAs))) throw new Refusal(400, 'script')
      const script = scripts.find(({ id }) => id === body.id)
      if (!script) throw new Refusal(404, 'Not found', { is_expected: true })
      const uid = begin(device_id, script)
      starts.push({ device_id, body, uid })
      if (run_ms !== undefined) setTimeout(() => end(uid), run_ms).unref()
    },
    end,
    /** Runs that begin from now on are shown later, by `show`. */
    hide(): void {
      is_hiding = true
    },
    show(): void {
      is_hiding = false
      hidden.clear()
    },
    /** The starts whose runs have not ended. */
    underWay: (): Start[] => starts.filter(({ uid }) => jobs.has(uid)),
    jobsOf: (device_id: number): Row[] =>
      [...jobs.values()].filter(({ deviceId, uid }) => deviceId === device_id && !hidden.has(uid)),
    /** The newest first; before `olderThan`, if it is given. */
    activitiesOf(device_id: number, { seriesUid, olderThan, pageSize = '200' }: Query): Row {
      const found = activities
        .filter((row) => row.deviceId === device_id && !hidden.has(row.seriesUid))
        .filter((row) => seriesUid === undefined || row.seriesUid === seriesUid)
        .filter(({ id }) => olderThan === undefined || Number(id) < Number(olderThan))
        .toSorted((one, other) => Number(other.id) - Number(one.id))
        .slice(0, Number(pageSize))
      return { lastActivityId: 1, activities: found }
    },
  }
}
