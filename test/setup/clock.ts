/** The service's clock. It runs, shifted to the time that a test sets, until a test freezes it. */
export const clock = {
  shift_ms: 0,
  passed_ms: 0,
  frozen_at: null as Date | null,
  now: (): Date => clock.frozen_at ?? new Date(Date.now() + clock.shift_ms),
  /** Monotonic milliseconds. */
  elapsed: (): number => performance.now() + clock.passed_ms,
  /** Advances the clock and the monotonic time. */
  advance(ms: number): void {
    clock.shift_ms += ms
    clock.passed_ms += ms
  },
  /** The pause of services whose time this is: it has passed at once. */
  async pause(ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    clock.advance(ms)
  },
  /** Adjusts the clock alone, as an operator does. */
  turn(ms: number): void {
    clock.shift_ms += ms
  },
  /** Sets the clock, which runs on from there. */
  set(to: Date): void {
    clock.shift_ms = to.getTime() - Date.now()
  },
  /** Stops the clock at an instant until it is reset. */
  freeze(): void {
    clock.frozen_at = clock.now()
  },
  reset(): void {
    clock.shift_ms = 0
    clock.frozen_at = null
  },
}
