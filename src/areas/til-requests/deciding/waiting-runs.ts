/** Runs of scripts that wait for a request, as its approval asks for them. */
import type { Context } from '../../../gateway/context.ts'
import { extensionPoint } from '../../../lib/extension-point.ts'
import type { LockedRequest } from './lock.ts'

interface WaitingRuns {
  /**
   * Throws the refusal of an approval of which the run can become nothing: 409, 422. Returns the edited arguments as they are
   * stored, without the secrets among them, which the run keeps; what was given if no run waits.
   */
  beforeApproval(ctx: Context, request: LockedRequest, edited: unknown): Promise<unknown>
}

export const WAITING_RUNS = extensionPoint<WaitingRuns>('the runs that wait for technicians')
