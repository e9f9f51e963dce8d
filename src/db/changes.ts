/**
 * The changes of each tenant and environment, told to whoever follows them in this process.
 *
 * A notification of the database says only that there are new events; one reader per tenant and environment reads them,
 * for all followers together. So a notification that is lost delays events until the next look, and loses none.
 */
import { Stopwatch } from '../lib/stopwatch.ts'
import type { DatabaseContext, Tenancy } from './context.ts'
import type { Database } from './database.ts'
import { currentSnapshot, type LiveBatch, type LivePosition, readLiveEvents } from './live-events.ts'

/** Called with every batch of events in turn. */
type Follower = (batch: LiveBatch) => void

export interface Changes {
  /** Follows the changes from now on: those that commit after it has resolved, and perhaps some from before. */
  follow(tenancy: Tenancy, follower: Follower): Promise<() => void>
  /** The number of those who follow the changes. */
  followers(tenancy: Tenancy): number
  close(): Promise<void>
}

/** The followers of one tenant and environment. */
interface Room {
  ctx: DatabaseContext
  followers: Set<Follower>
  /** The position that the followers have been told everything up to. */
  position: LivePosition | null
  opening: Promise<void> | null
  reading: boolean
  /** There may be more than what is being read. */
  again: boolean
}

const CHANNEL = 'live_event'

/** The time after which new events are looked for without a notification. */
const LOOK_MS = 5_000
/** The pause after a read that failed. */
const RETRY_MS = 500

const nameOf = ({ tenant_id, environment }: Tenancy): string => JSON.stringify([tenant_id, environment])

export function createChanges(database: Database, look_ms = LOOK_MS): Changes {
  const rooms = new Map<string, Room>()
  let stopListening: (() => Promise<void>) | undefined
  let looking: NodeJS.Timeout | undefined
  let closed = false

  async function open(room: Room): Promise<void> {
    const { snapshot } = await currentSnapshot(room.ctx)
    room.position = { seen: snapshot }
  }

  async function readOn(room: Room): Promise<void> {
    do {
      if (!room.position) return
      room.again = false
      const batch = await readLiveEvents(room.ctx, room.position)
      room.position = batch.position
      if (batch.position.within) room.again = true
      if (batch.events.length > 0) for (const follower of [...room.followers]) follower(batch)
    } while (room.again && room.followers.size > 0)
  }

  function look(room: Room): void {
    room.again = true
    if (room.reading || !room.position) return
    room.reading = true
    readOn(room)
      .catch(() => {
        if (!closed) setTimeout(() => look(room), RETRY_MS).unref()
      })
      .finally(() => {
        room.reading = false
      })
  }

  function lookEverywhere(): void {
    for (const room of rooms.values()) look(room)
  }

  function start(): void {
    if (stopListening || closed) return
    stopListening = database.listen(CHANNEL, {
      connected: lookEverywhere,
      notified(payload) {
        const [tenant_id, environment] = JSON.parse(payload)
        const room = rooms.get(nameOf({ tenant_id, environment }))
        if (room) look(room)
      },
    })
    looking = setInterval(lookEverywhere, look_ms).unref()
  }

  function roomOf({ tenant_id, environment }: Tenancy): Room {
    const name = nameOf({ tenant_id, environment })
    const known = rooms.get(name)
    if (known) return known
    const room: Room = {
      ctx: {
        viewer: { tenant_id, environment },
        services: { database },
        transaction: null,
        db_time: new Stopwatch(),
      },
      followers: new Set(),
      position: null,
      opening: null,
      reading: false,
      again: false,
    }
    rooms.set(name, room)
    return room
  }

  return {
    async follow(tenancy, follower) {
      start()
      const room = roomOf(tenancy)
      room.followers.add(follower)
      const leave = (): void => {
        room.followers.delete(follower)
        const name = nameOf(tenancy)
        if (room.followers.size === 0 && rooms.get(name) === room) rooms.delete(name)
      }
      try {
        room.opening ??= open(room)
        await room.opening
        if (room.again) look(room)
      } catch (error) {
        room.opening = null
        leave()
        throw error
      }
      return leave
    },
    followers: (tenancy) => rooms.get(nameOf(tenancy))?.followers.size ?? 0,
    async close() {
      closed = true
      clearInterval(looking)
      await stopListening?.()
    },
  }
}
