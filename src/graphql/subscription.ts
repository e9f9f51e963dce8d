/** Runs subscriptions: each update is executed as a query on what changed, for the viewer that the caller is now. */
import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLError,
} from 'graphql'
import { headerOf } from '../access/credential.ts'
import { tooManyAtOnce } from '../access/limits/state.ts'
import { callerOf, type Viewer } from '../access/viewer.ts'
import { ApiError, unavailable } from '../errors.ts'
import { authenticateAgain, type Gateway, refusalOf } from '../gateway/admit.ts'
import type { Call } from '../gateway/call.ts'
import type { Context } from '../gateway/context.ts'
import { withDeadline } from '../gateway/deadline.ts'
import { toApiError } from '../gateway/errors.ts'
import { Stopwatch } from '../lib/stopwatch.ts'
import type { PreparedOperation } from './prepare.ts'
import { completeResult, formatError } from './result.ts'

/** One message of a stream: the result for an update, or the error that ends the stream. */
export interface StreamedResult {
  /** The id of the update; null for an error. */
  id: string | null
  result: ExecutionResult
}

/** The streams of one credential in this process at the same time. */
const STREAMS_AT_ONCE = 20
const RETRY_SECONDS = 5
/** The time between two checks of a credential while there are no updates. */
const CHECK_MS = 5_000

const streams = new Map<string, number>()

/** Takes one of the caller's streams; 429 where all are taken. The result gives it back. */
function takeStream({ tenant_id, environment, id, kind }: Viewer): () => void {
  const name = JSON.stringify([tenant_id, environment, kind.type, id])
  const open = streams.get(name) ?? 0
  if (open >= STREAMS_AT_ONCE)
    throw tooManyAtOnce(
      'subscriptions',
      STREAMS_AT_ONCE,
      RETRY_SECONDS,
      kind.type === 'USER' ? 'USER' : 'KEY',
    )
  streams.set(name, open + 1)
  let taken = true
  return () => {
    if (!taken) return
    taken = false
    const left = (streams.get(name) ?? 1) - 1
    if (left > 0) streams.set(name, left)
    else streams.delete(name)
  }
}

/** Everything of a viewer that decides what a subscription shows. */
const rightsOf = ({ person, acting_user, scopes }: Viewer): string =>
  JSON.stringify([person?.id, person?.role, acting_user?.id, [...scopes].sort()])

/** The end of a stream that nobody reads any longer. */
class StreamOver extends Error {}

/** Ends the stream as soon as the client has gone, the process stops, or the credential is no longer good. */
class Ending {
  readonly #controller = new AbortController()
  readonly #undo: (() => void)[] = []

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Removes what it has set up. */
  undoLater(undo: () => void): void {
    if (this.signal.aborted) undo()
    else this.#undo.push(undo)
  }

  /** The first error is the one that the client gets. */
  end(error: unknown): void {
    this.#controller.abort(error)
    for (const undo of this.#undo.splice(0)) undo()
  }
}

export interface Subscriber {
  gateway: Gateway
  call: Call
  prepared: PreparedOperation
}

/** The stream of a subscription that has been admitted; the errors of one that cannot begin. */
export async function openStream(
  { gateway, call, prepared }: Subscriber,
  args: ExecutionArgs,
): Promise<ExecutionResult | AsyncGenerator<StreamedResult>> {
  const ctx = args.contextValue as Context
  const { services } = gateway
  const viewer = callerOf(ctx)
  const rights = rightsOf(viewer)
  const ending = new Ending()
  ending.undoLater(takeStream(viewer))

  const onStop = (): void => ending.end(unavailable(1))
  services.stopping.addEventListener('abort', onStop)
  ending.undoLater(() => services.stopping.removeEventListener('abort', onStop))
  const forget = ctx.received.onEnd?.(() => ending.end(new StreamOver()))
  if (forget) ending.undoLater(forget)

  /** The viewer as the credential is now; throws where it shows something else than at the beginning. */
  async function currentViewer(): Promise<Viewer> {
    const now = await authenticateAgain(gateway, call)
    const refused = refusalOf(prepared.operations, now)
    if (refused) throw refused
    if (!now || rightsOf(now) !== rights) throw new ApiError('access_changed')
    return now
  }

  /** An outage of the database ends no stream: without updates it shows nothing. */
  async function check(): Promise<void> {
    await currentViewer().catch((error: unknown) => {
      const problem = toApiError(error, services.log, call)
      if (problem.status < 500) ending.end(problem)
    })
  }

  async function resultFor(update: { id: string }): Promise<StreamedResult> {
    const contextValue: Context = {
      ...ctx,
      viewer: await currentViewer(),
      reads: null,
      now: services.now(),
      warnings: [],
      etags: new Map(),
      db_time: new Stopwatch(),
      upstream_time: new Stopwatch(),
    }
    const result = await execute({ ...args, rootValue: update, contextValue })
    return { id: update.id, result: completeResult(result, { ...call, context: contextValue }, services.log) }
  }

  const facts = { signal: ending.signal, last_event_id: headerOf(call.request, 'last-event-id') ?? null }
  const opening = createSourceEventStream({ ...args, contextValue: { ...ctx, subscription: facts } })
  const source = await withDeadline(prepared.timeout_ms, opening).catch((error: unknown) => {
    ending.end(error)
    throw error
  })
  if (!(Symbol.asyncIterator in source)) {
    ending.end(new StreamOver())
    return source
  }
  const updates = source as AsyncIterable<{ id: string }>

  async function* results(): AsyncGenerator<StreamedResult> {
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
      for await (const update of updates) {
        yield await resultFor(update)
        if (ending.signal.aborted) throw ending.signal.reason
      }
    } catch (error) {
      if (error instanceof StreamOver) return
      const problem = toApiError(error, services.log, call)
      call.problem = problem
      const shown: GraphQLError = formatError(problem, call, services.log, true)
      yield { id: null, result: { errors: [shown], extensions: { request_id: call.id } } }
    } finally {
      ending.end(new StreamOver())
    }
  }
  return results()
}
