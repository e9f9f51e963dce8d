/**
 * The changes of each tenant and environment, told to their followers in this process.
 *
 * A notification of the database says only that there are new events; one reader per tenant and environment reads them,
 * for all followers together. So a notification that is lost delays events until the next look, and loses none.
 *
 * A commit notifies only if a row says that a process follows. A transaction that changed something before the row was
 * there may commit after it without a notification, so that after the row's commit one looks until those have ended.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '../../lib/ids.ts'
import { Stopwatch } from '../../lib/stopwatch.ts'
import type { Database } from '../database.ts'
import type { DatabaseContext, Tenancy } from '../tenancy/context.ts'
import { currentPosition, type LiveBatch, type LivePosition, readLiveEvents } from './events.ts'
import { type FollowerRow, keepFollowers, RENEW_MS, removeFollowers } from './followers.ts'
import { allEnded } from './snapshot.ts'

interface Follower {
  /** Called with every batch of live updates in turn. */
  told(batch: LiveBatch): void
  /** Called if there may be new events, those of the feed alone too. */
  woken?: (() => void) | undefined
}

export interface ChangeFeed {
  /** Follows the changes from now on: those that commit after it has resolved, and perhaps some from before. */
  follow(tenancy: Tenancy, told: Follower['told'], woken?: Follower['woken']): Promise<() => void>
  /** The number of those who follow the changes. */
  followers(tenancy: Tenancy): number
  close(): Promise<void>
}

/** The followers of one tenant and environment. */
interface Room {
  ctx: DatabaseContext
  /** The row by which commits know of the followers. */
  row: FollowerRow
  followers: Set<Follower>
  /** The position that the followers have been told everything up to. */
  position: LivePosition | null
  /** The last snapshot of which they have been told everything. */
  read_to: string
  opening: Promise<void> | null
  reading: boolean
  /** There may be more than what is being read. */
  again: boolean
}

const CHANNEL = 'live_event'

/** The time after which new events are looked for without a notification. */
const LOOK_MS = 5_000
/** The pause between two looks while older transactions are going on that do not notify. */
const OLDER_MS = 50
/** The pause after a read that failed. */
const RETRY_MS = 500

const nameOf = ({ tenant_id, environment }: Tenancy): string => JSON.stringify([tenant_id, environment])

export function createChangeFeed(database: Database, look_ms = LOOK_MS): ChangeFeed {
  const rooms = new Map<string, Room>()
  let stopListening: (() => Promise<void>) | undefined
  let looking: NodeJS.Timeout | undefined
  let renewing: NodeJS.Timeout | undefined
  /** Settles once no row is being renewed. */
  let renewals: Promise<unknown> = Promise.resolve()
  let closed = false

  async function open(room: Room): Promise<void> {
    await keepFollowers(database.sql, [room.row])
    const { snapshot, seen } = await currentPosition(room.ctx)
    room.position = { seen }
    room.read_to = snapshot
    void lookPast(room, snapshot)
  }

  /** Looks until the transactions have ended that were going on at the snapshot; the regular look has those that last. */
  async function lookPast(room: Room, snapshot: string): Promise<void> {
    for (let left = look_ms / OLDER_MS; left > 0 && room.followers.size > 0; left--) {
      if (!room.position || allEnded(snapshot, room.read_to)) return
      look(room)
      await sleep(OLDER_MS, undefined, { ref: false })
    }
  }

  const renew = (): Promise<void> => {
    const rows = [...rooms.values()].map(({ row }) => row)
    const renewal = keepFollowers(database.sql, rows)
    renewals = Promise.allSettled([renewals, renewal])
    return renewal
  }

  /** Notifications from before may be lost, and rows may have expired. */
  async function lookAfterOutage(): Promise<void> {
    lookEverywhere()
    await renew()
    const [first] = rooms.values()
    if (!first) return
    const { snapshot } = await currentPosition(first.ctx)
    for (const room of rooms.values()) void lookPast(room, snapshot)
  }

  /** Removes the row once nothing that is under way would insert it again. If that fails, the row expires. */
  async function leaveRow(room: Room): Promise<void> {
    await Promise.allSettled([room.opening, renewals])
    await removeFollowers(database.sql, [room.row])
  }

  async function readOn(room: Room): Promise<void> {
    do {
      if (!room.position) return
      room.again = false
      const batch = await readLiveEvents(room.ctx, room.position)
      room.position = batch.position
      if (batch.position.within) room.again = true
      else room.read_to = batch.reading
      if (batch.events.length > 0) for (const follower of [...room.followers]) follower.told(batch)
    } while (room.again && room.followers.size > 0)
  }

  function look(room: Room): void {
    room.again = true
    for (const follower of [...room.followers]) follower.woken?.()
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
      // If the database has gone again, it is connected to again.
      connected: () => void lookAfterOutage().catch(() => {}),
      notified(payload) {
        const [tenant_id, environment] = JSON.parse(payload)
        const room = rooms.get(nameOf({ tenant_id, environment }))
        if (room) look(room)
      },
    })
    looking = setInterval(lookEverywhere, look_ms).unref()
    renewing = setInterval(() => void renew().catch(() => {}), RENEW_MS).unref()
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
      row: { tenant_id, environment, id: newId('flw') },
      followers: new Set(),
      position: null,
      read_to: '',
      opening: null,
      reading: false,
      again: false,
    }
    rooms.set(name, room)
    return room
  }

  return {
    async follow(tenancy, told, woken) {
      const follower = { told, woken }
      start()
      const room = roomOf(tenancy)
      room.followers.add(follower)
      const leave = (): void => {
        room.followers.delete(follower)
        const name = nameOf(tenancy)
        if (room.followers.size > 0 || rooms.get(name) !== room) return
        rooms.delete(name)
        void leaveRow(room).catch(() => {})
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
      clearInterval(renewing)
      const open = [...rooms.values()]
      rooms.clear()
      await Promise.allSettled([stopListening?.(), ...open.map(leaveRow)])
    },
  }
}
