/** A pool of processes, each of which ends after the file at which its heap has grown too large. */

import { ForksPoolWorker, type PoolRunnerInitializer } from 'vitest/node'

/**
 * Each collection of garbage marks the objects of earlier files too. A new worker costs some seconds of processor time, for
 * its modules, its database and its service.
 */
const LARGE_HEAP = 500_000_000

class RenewedWorker extends ForksPoolWorker {
  override readonly name = 'renewed'
  readonly reportMemory = true
  private used = 0

  override async start(): Promise<void> {
    await super.start()
    this.on('message', ({ usedMemory }: { usedMemory?: number }) => {
      this.used = usedMemory ?? this.used
    })
  }

  canReuse(): boolean {
    return this.used < LARGE_HEAP
  }
}

export const RENEWED_WORKERS: PoolRunnerInitializer = {
  name: 'renewed',
  createPoolWorker: (options) => new RenewedWorker(options),
}
