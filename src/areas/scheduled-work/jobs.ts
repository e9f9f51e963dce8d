/** The loop of scheduled work. */
import type { Loop } from '../../jobs/loop.ts'
import { startDue } from './start-due.ts'

/** Starts what is due, also what became due while no process ran. */
export const startDueWork: Loop = {
  name: 'scheduled-work.start',
  interval_ms: 1000,
  run: (ctx) => startDue(ctx),
}
