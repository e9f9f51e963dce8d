/** Long work in slices: what else waits for the event loop goes on between them. */
/** To be awaited after each small step of long work: resolves at once until a slice is over, and then after other work. */
export type Yield = () => Promise<void>

/** Milliseconds for which work may hold the event loop: a short request of another caller waits for several slices. */
const SLICE_MS = 1

/** Long work that is paused, in its order. */
const paused: (() => void)[] = []

/** Each turn of the event loop has one slice, so that a turn is no longer when more long work is paused. */
function resumeNext(): void {
  paused.shift()?.()
  if (paused.length > 0) setImmediate(resumeNext)
}

const nextSlice = (): Promise<void> =>
  new Promise((resume) => {
    if (paused.push(resume) === 1) setImmediate(resumeNext)
  })

/** A slice begins now, and after each pause. `elapsed` has milliseconds. */
export function createYield(
  elapsed = () => performance.now(),
  pause: () => Promise<unknown> = nextSlice,
): Yield {
  let began = elapsed()
  return async () => {
    if (elapsed() - began < SLICE_MS) return
    await pause()
    began = elapsed()
  }
}
