/** Waiting for an execution to change. No connection of the pool is held meanwhile, and nothing is asked. */
import { type Tenancy, tenancyOf } from '../../db/db.ts'
import type { Context, Services } from '../../gateway/context.ts'

/** Calls the listener after each change of the execution, whichever process made it. The result ends that. */
export const onChange = (
  { change_feed }: Pick<Services, 'change_feed'>,
  tenancy: Tenancy,
  execution_id: string,
  listener: () => void,
): Promise<() => void> =>
  change_feed.follow(tenancy, ({ events }) => {
    if (events.some(({ kind, entity_id }) => kind === 'EXECUTION' && entity_id === execution_id)) listener()
  })

interface Waiting {
  /** Resolves once the execution has changed since the last call, or the waiting is over. */
  next(): Promise<void>
  /** True once the time is over, the client has gone or the process stops. */
  over(): boolean
  end(): void
}

/** The changes of the execution from now on, for a number of seconds. */
export async function changesOf(ctx: Context, execution_id: string, seconds: number): Promise<Waiting> {
  const { stopping } = ctx.services
  let over = false
  let change = Promise.withResolvers<void>()
  const finish = (): void => {
    over = true
    change.resolve()
  }
  const leave = await onChange(ctx.services, tenancyOf(ctx), execution_id, () => change.resolve())
  const timer = setTimeout(finish, seconds * 1000)
  const forget = ctx.received.onEnd?.(finish)
  stopping.addEventListener('abort', finish)
  if (stopping.aborted) finish()
  return {
    async next() {
      await change.promise
      if (!over) change = Promise.withResolvers()
    },
    over: () => over,
    end() {
      leave()
      clearTimeout(timer)
      forget?.()
      stopping.removeEventListener('abort', finish)
    },
  }
}
