/** What is under way, on standard error with the time since the start. */
const started = performance.now()

export function progress(text: string): void {
  const seconds = Math.round((performance.now() - started) / 1000)
  console.error(`[${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}] ${text}`)
}
