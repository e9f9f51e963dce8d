/** The beginning and the end of a stream: how many a caller may have, and what ends one. */
import { tooManyAtOnce } from '../access/limits/state.ts'
import type { Viewer } from '../access/viewer.ts'

/** The streams of one credential in this process at the same time. */
const STREAMS_AT_ONCE = 20
const RETRY_SECONDS = 5

const streams = new Map<string, number>()

/** Takes one of the caller's streams; 429 if all are taken. The result gives it back. */
export function takeStream({ tenant_id, environment, id, kind }: Viewer): () => void {
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

/** The end of a stream that no client reads any longer. */
export class StreamOver extends Error {}

/** Ends the stream as soon as the client has gone, the process stops, or the credential is no longer good. */
export class Ending {
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
