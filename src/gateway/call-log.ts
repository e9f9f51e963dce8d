/** Records answered calls: a line in the log, a sample in the metrics, the usage of the credential. */
import type { Call } from './call.ts'
import type { Services } from './context.ts'

/** The end of a call, in the words of HTTP. */
interface Outcome {
  endpoint: string
  method: string
  status: number
  complete: boolean
}

/** The metrics of calls. */
interface CallMetrics {
  /** Counts a call as under way until its `end`. */
  begin(): void
  end(
    sample: {
      interface: string
      operation: string
      status: number
      problem: Call['problem']
      is_stream: boolean
    },
    seconds: number,
  ): void
}

/** Begins the record of a call; the result is called with its outcome. */
export const callLog =
  ({ log, usage }: Services, metrics: CallMetrics) =>
  (call: Call) => {
    metrics.begin()
    return ({ endpoint, method, status, complete }: Outcome): void => {
      const ended = performance.now()
      const ms = ended - call.started
      // A stream is answered once it is open, however long it stays so.
      const answered_ms = (call.stream_opened ?? ended) - call.started
      const { problem, viewer, ip } = call
      const operation = call.operation ?? 'none'
      const is_stream = call.stream_opened !== null
      metrics.end({ interface: endpoint, operation, status, problem, is_stream }, answered_ms / 1000)
      if (viewer) usage.seen(viewer, operation, status >= 400, ip)
      log.info(
        {
          request_id: call.id,
          interface: endpoint,
          method,
          operation,
          status,
          code: problem?.code,
          ms: Math.round(ms * 100) / 100,
          ip,
          tenant_id: viewer?.tenant_id,
          credential: viewer?.id,
          complete,
        },
        'request',
      )
    }
  }
