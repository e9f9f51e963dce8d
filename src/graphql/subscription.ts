/** Runs subscriptions: each update is executed as a query on what changed, for the viewer that the caller is now. */
import { createSourceEventStream, type ExecutionArgs, type ExecutionResult } from 'graphql'
import { headerOf } from '../access/credentials/credential.ts'
import { callerOf, type Viewer } from '../access/viewer.ts'
import { ApiError, isRetryable, turnedAway } from '../errors/errors.ts'
import { type Gateway, refusalOf } from '../gateway/admit.ts'
import type { Call } from '../gateway/call.ts'
import type { Context } from '../gateway/context.ts'
import { withDeadline } from '../gateway/deadline.ts'
import { toApiError } from '../gateway/errors.ts'
import type { Update } from '../schema/live/live.ts'
import type { PreparedOperation } from './prepare.ts'
import { completeResult, formatError } from './result.ts'
import { Ending, StreamOver, takeStream } from './stream-end.ts'
import { createUpdateReader, sightOf } from './update-reader.ts'

/** A part of a stream: its beginning, the results for its updates, and one that says how it ends. */
export type StreamPart =
  /** The position from which a client goes on that has no update yet. */
  | { part: 'BEGINNING'; id: string }
  /** The result for the update with the id, or the error after it, as JSON. */
  | { part: 'RESULT'; id: string; text: string }
  /** The error, as JSON, of a stream with which the client can go on elsewhere or later. */
  | { part: 'INTERRUPTION'; text: string }
  /** The stream has ended for good. */
  | { part: 'COMPLETION' }

/** The time between two checks of a credential while there are no updates. */
const CHECK_MS = 5_000
/** The age of a check that streams of one credential share. */
const CHECKED_MS = 1_000

export interface Subscriber {
  call: Call
  prepared: PreparedOperation
}

/** A function that opens the streams of subscriptions that have been admitted. */
export function streamOpener(gateway: Gateway) {
  const { services } = gateway
  const shared = createUpdateReader(gateway)

  /** The stream; the errors of one that cannot begin. */
  return async function openStream(
    { call, prepared }: Subscriber,
    args: ExecutionArgs,
  ): Promise<ExecutionResult | AsyncGenerator<StreamPart>> {
    if (services.stopping.aborted) throw turnedAway(1)
    const ctx = args.contextValue as Context
    const viewer = callerOf(ctx)
    const sight = sightOf(viewer)
    const read = shared.readerFor({ call, prepared, args })
    const ending = new Ending()
    ending.undoLater(takeStream(viewer))

    const onStop = (): void => ending.end(turnedAway(1))
    services.turned_away.addEventListener('abort', onStop)
    ending.undoLater(() => services.turned_away.removeEventListener('abort', onStop))
    const forget = ctx.received.onEnd?.(() => ending.end(new StreamOver()))
    if (forget) ending.undoLater(forget)

    /** The viewer as the credential is now; throws if it shows something else than at the beginning. */
    async function currentViewer(not_before: number): Promise<Viewer> {
      const now = await shared.viewerAt(call, viewer, not_before)
      const refused = refusalOf(prepared.operations, now)
      if (refused) throw refused
      if (!now || sightOf(now) !== sight) throw new ApiError('access_changed')
      return now
    }

    /** An outage of the database ends no stream: without updates it shows nothing. */
    async function check(): Promise<void> {
      await currentViewer(performance.now() - CHECKED_MS).catch((error: unknown) => {
        const problem = toApiError(error, services.log, call)
        if (problem.status < 500) ending.end(problem)
      })
    }

    async function resultFor(update: Update): Promise<StreamPart> {
      const now = await currentViewer(update.read_at)
      const { result, context, dataFor } = await read(now, update)
      // What cannot be read at present is no update: the stream ends before it, and a later one begins with it.
      for (const error of result.errors ?? [])
        if (toApiError(error, services.log, call).status === 503) throw error
      const { data, ...rest } = completeResult(result, { ...call, context }, services.log)
      const start = data === undefined ? '' : `"data":${dataFor(update.id)},`
      return { part: 'RESULT', id: update.id, text: `{${start}${JSON.stringify(rest).slice(1)}` }
    }

    const facts = {
      signal: ending.signal,
      last_event_id: headerOf(call.request, 'last-event-id') ?? null,
      position: '',
    }
    const opening = createSourceEventStream({ ...args, contextValue: { ...ctx, subscription: facts } })
    const source = await withDeadline(prepared.timeout_ms, opening).catch((error: unknown) => {
      ending.end(error)
      throw error
    })
    if (!(Symbol.asyncIterator in source)) {
      ending.end(new StreamOver())
      return source
    }
    const updates = source as AsyncIterable<Update>

    /** The last parts of a stream that ends with the error. Standard clients give up at an error that is a result. */
    function endOf(problem: ApiError): StreamPart[] {
      const shown = formatError(problem, call, services.log, true)
      const extensions = { request_id: call.id }
      const text = JSON.stringify({ errors: [shown], extensions })
      if (isRetryable(problem.code)) return [{ part: 'INTERRUPTION', text }]
      return [{ part: 'RESULT', id: facts.position, text }, { part: 'COMPLETION' }]
    }

    async function* parts(): AsyncGenerator<StreamPart> {
      let checking = false
      const checks = setInterval(() => {
        if (checking) return
        checking = true
        void check().finally(() => {
          checking = false
        })
      }, CHECK_MS)
      ending.undoLater(() => clearInterval(checks))
      try {
        yield { part: 'BEGINNING', id: facts.position }
        for await (const update of updates) {
          const shown = await resultFor(update)
          facts.position = update.id
          yield shown
          if (ending.signal.aborted) throw ending.signal.reason
        }
        yield { part: 'COMPLETION' }
      } catch (error) {
        if (error instanceof StreamOver) return
        const problem = toApiError(error, services.log, call)
        call.problem = problem
        yield* endOf(problem)
      } finally {
        ending.end(new StreamOver())
      }
    }
    return parts()
  }
}
