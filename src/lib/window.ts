/** Windows of time that callers ask for. */

/** From an instant up to another, which is not in it. */
export interface Window {
  from: Date
  to: Date
}

/** Why the window cannot be answered, or null. */
export function windowProblem(
  { from, to }: Window,
  max_seconds: number,
): 'invalid_window' | 'window_too_large' | null {
  if (from >= to) return 'invalid_window'
  return to.getTime() - from.getTime() > max_seconds * 1000 ? 'window_too_large' : null
}
