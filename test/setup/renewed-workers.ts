/** Pools of workers, each of which ends after the file at which its heap has grown too large. */

import { Worker } from 'node:worker_threads'
import {
  ForksPoolWorker,
  type PoolOptions,
  type PoolRunnerInitializer,
  type PoolWorker,
  ThreadsPoolWorker,
} from 'vitest/node'

/**
 * Each collection of garbage marks the objects of earlier files too. A new worker costs some seconds of processor time, for
 * its modules, its database and its service.
 */
const LARGE_HEAP = 500_000_000

/** Vitest gives a worker another file only if the worker has the name of the pool. */
function renewed(name: string, worker: PoolWorker): PoolWorker {
  let used = 0
  const start = worker.start.bind(worker)
  return Object.assign(worker, {
    name,
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

const pool = (name: string, Kind: new (options: PoolOptions) => PoolWorker): PoolRunnerInitializer => ({
  name,
  createPoolWorker: (options) => renewed(name, new Kind(options)),
})

/** Threads compile the embedded database once, and optimise its functions once. */
export const RENEWED_THREADS = pool('renewed-threads', Thread)

/** The system tells the processor time of a process, with that of the processes that it started. */
export const RENEWED_PROCESSES = pool('renewed-processes', ForksPoolWorker)
