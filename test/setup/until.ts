import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves once the condition holds. */
export async function until(condition: () => Promise<boolean> | boolean, ms = 45_000): Promise<void> {
  for (const end = performance.now() + ms; !(await condition()); await sleep(20))
    if (performance.now() > end) throw new Error(`It did not happen within ${ms} ms`)
}
