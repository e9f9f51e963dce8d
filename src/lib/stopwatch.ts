/** Measures the time during which at least one of several overlapping spans is running. */
export class Stopwatch {
  #under_way = 0
  #since = 0
  #measured_ms = 0

  start(): void {
    if (this.#under_way++ === 0) this.#since = performance.now()
  }

  stop(): void {
    if (--this.#under_way === 0) this.#measured_ms += performance.now() - this.#since
  }

  /** Until `now`, an instant of `performance.now()`. */
  ms(now: number): number {
    return this.#measured_ms + (this.#under_way > 0 ? now - this.#since : 0)
  }
}
