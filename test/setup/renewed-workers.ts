/** Pools of workers, each of which ends after the file at which its heap has grown too large. */

import { Worker } from 'node:worker_threads'
import { ForksPoolWorker, type PoolRunnerInitializer, type PoolWorker, ThreadsPoolWorker } from 'vitest/node'

/**
 * Each collection of garbage marks the objects of earlier files too. A new worker costs some seconds of processor time, for
 * its modules, its database and its service.
 */
const LARGE_HEAP = 500_000_000

function renewed<Kind extends PoolWorker>(worker: Kind): Kind {
  let used = 0
  const start = worker.start.bind(worker)
  return Object.assign(worker, {
    reportMemory: true,
    async start() {
      await start()
      worker.on('message', ({ usedMemory = used }: { usedMemory?: number }) => {
        used = usedMemory
      })
    },
    canReuse: () => used < LARGE_HEAP,
  })
}

/** The stack of the thread that the service runs in, in MB: what is too deep for the stack is refused. */
const STACK_MB = 1

/** A thread with the stack of the service. Vitest has no option for the limits of its threads. */
class Thread extends ThreadsPoolWorker {
  override async start(): Promise<void> {
    const { entrypoint, env, execArgv } = this
    const limits = { resourceLimits: { stackSizeMb: STACK_MB }, stdout: true, stderr: true }
    if (!Reflect.get(this, '_thread'))
      Reflect.set(this, '_thread', new Worker(entrypoint, { env, execArgv, ...limits }))
    await super.start()
  }
}

/** Threads compile the embedded database once, and optimise its functions once. */
export const RENEWED_THREADS: PoolRunnerInitializer = {
  name: 'renewed-threads',
  createPoolWorker: (options) => renewed(new Thread(options)),
}

/** The system tells the processor time of a process, with that of the processes that it started. */
export const RENEWED_PROCESSES: PoolRunnerInitializer = {
  name: 'renewed-processes',
  createPoolWorker: (options) => renewed(new ForksPoolWorker(options)),
}
