/** The metrics of the process, in Prometheus' format. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { ERRORS } from '../errors/errors.ts'

/** An answered request, by the labels of its sample. */
interface Answered {
  interface: string
  operation: string
  status: number
  /** The error that it was answered with. */
  problem: { code: string; details?: Record<string, unknown> | undefined } | null
  is_stream: boolean
}

export interface Metrics {
  /** Counts a request as under way until its `end`. */
  begin(): void
  end(request: Answered, seconds: number): void
  /** Counts one attempt at a job. */
  jobEnded(job: string, outcome: 'completed' | 'failed', seconds: number): void
  /** Counts a job whose last attempt failed. */
  jobDied(job: string): void
  /** Counts a job that this process gave up because its workers were lost. */
  jobGivenUp(job: string): void
  /** Counts an execution that was taken up, with the time for which it waited for a slot. */
  slotWaited(seconds: number): void
  /** Counts a request that is under way as an open stream until its `end`. */
  streamOpened(): void
  /** The text that Prometheus reads. */
  text(): Promise<string>
  content_type: string
}

/** The jobs of one queue. */
interface JobLoad {
  job: string
  waiting: number
  running: number
  dead: number
  oldest_seconds: number
}

/** Values that are read at each scrape. */
interface Sources {
  database: () => { total: number; idle: number; waiting: number }
  disk_full: () => boolean
  dropped_log_lines: () => number
  /** Empty if another process tells them. */
  jobs: () => Promise<readonly JobLoad[]>
  /** The age of the oldest entry of the audit log that its chain is not closed over; null if another process tells it. */
  oldest_unclosed_seconds: () => Promise<number | null>
}

/** The codes of refused credentials. */
const REFUSED_CREDENTIALS = new Set(
  Object.entries(ERRORS)
    .filter(([code, { status }]) => status === 401 && code !== 'unauthenticated')
    .map(([code]) => code),
)

let of_process: Registry | undefined

/** Node's own metrics, collected once for all services of the process: nothing ends the observers that collect them. */
const processMetrics = (): Registry => {
  if (!of_process) {
    of_process = new Registry()
    collectDefaultMetrics({ register: of_process })
  }
  return of_process
}

export function createMetrics({
  database,
  disk_full,
  dropped_log_lines,
  jobs,
  oldest_unclosed_seconds,
}: Sources): Metrics {
  const register = Registry.merge([processMetrics()])
  const registers = [register]
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help:
      'Requests by interface, operation, status and error code; the code is empty for a success. A stream counts once it ' +
      'has ended, with the time until it opened.',
    labelNames: ['interface', 'operation', 'status', 'code'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
    registers,
  })
  const limited = new Counter({
    name: 'rate_limited_requests_total',
    help: 'Requests over a limit, by whom the limit counts.',
    labelNames: ['scope'],
    registers,
  })
  const refused = new Counter({
    name: 'refused_credentials_total',
    help: 'Credentials that were presented and refused, by error code.',
    labelNames: ['code'],
    registers,
  })
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read())
      },
    })
  new Gauge({
    name: 'audit_log_oldest_unclosed_seconds',
    help: 'The age of the oldest entry of the audit log that its chain is not closed over, of all processes.',
    registers,
    async collect() {
      const seconds = await oldest_unclosed_seconds()
      if (seconds === null) this.remove()
      else this.set(seconds)
    },
  })
  let in_flight = 0
  let streams = 0
  gauge('http_requests_in_flight', 'Requests that are not answered yet.', () => in_flight)
  gauge('graphql_streams_open', 'Streams of GraphQL subscriptions that are open.', () => streams)
  gauge('db_connections', 'Connections to the database.', () => database().total)
  gauge('db_connections_idle', 'Connections that no statement uses.', () => database().idle)
  gauge('db_waiting', 'Statements and transactions that wait for a connection.', () => database().waiting)
  gauge('db_disk_full', '1 if the disk of the database is full, so that writes fail.', () =>
    disk_full() ? 1 : 0,
  )
  new Counter({
    name: 'log_lines_dropped_total',
    help: 'Log lines that were dropped because stderr did not take them.',
    registers,
    collect() {
      this.reset()
      this.inc(dropped_log_lines())
    },
  })
  const attempts = new Histogram({
    name: 'job_attempt_duration_seconds',
    help: 'Attempts at jobs in this process, by job and outcome.',
    labelNames: ['job', 'outcome'],
    buckets: [0.01, 0.1, 1, 10, 60, 600],
    registers,
  })
  const deaths = new Counter({
    name: 'jobs_died_total',
    help: 'Jobs whose last attempt failed, in any process, by job. Each is counted by one process.',
    labelNames: ['job'],
    registers,
  })
  const given_up = new Counter({
    name: 'jobs_given_up_total',
    help: 'Jobs that this process gave up because the workers that ran them were lost, by job.',
    labelNames: ['job'],
    registers,
  })
  const slot_waits = new Histogram({
    name: 'execution_slot_wait_seconds',
    help: 'Executions that this process took up, by the time for which they waited for a slot of their tenant.',
    buckets: [0, 1, 5, 15, 60, 300, 1800, 7200],
    registers,
  })
  const jobGauge = (name: string, help: string, value: (load: JobLoad) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['job'],
      registers,
      async collect() {
        this.reset()
        for (const load of await jobs()) this.set({ job: load.job }, value(load))
      },
    })
  jobGauge(
    'jobs_waiting',
    'Jobs of all processes that could run and wait for a worker.',
    ({ waiting }) => waiting,
  )
  jobGauge('jobs_running', 'Jobs of all processes that a worker holds.', ({ running }) => running)
  jobGauge('jobs_dead', 'Jobs of all processes whose last attempt failed.', ({ dead }) => dead)
  jobGauge(
    'jobs_oldest_waiting_seconds',
    'The time that the oldest of the waiting jobs has waited.',
    ({ oldest_seconds }) => oldest_seconds,
  )
  return {
    begin() {
      in_flight++
    },
    end({ problem, is_stream, ...labels }, seconds) {
      if (is_stream) streams--
      else in_flight--
      const code = problem?.code ?? ''
      requests.observe({ ...labels, code }, seconds)
      if (code === 'rate_limited') limited.inc({ scope: String(problem?.details?.scope) })
      else if (REFUSED_CREDENTIALS.has(code)) refused.inc({ code })
    },
    jobEnded(job, outcome, seconds) {
      attempts.observe({ job, outcome }, seconds)
    },
    jobDied(job) {
      deaths.inc({ job })
    },
    jobGivenUp(job) {
      given_up.inc({ job })
    },
    streamOpened() {
      in_flight--
      streams++
    },
    slotWaited(seconds) {
      slot_waits.observe(seconds)
    },
    text: () => register.metrics(),
    content_type: register.contentType,
  }
}
