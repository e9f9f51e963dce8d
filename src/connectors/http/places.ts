/**
 * The requests that a tenant makes to a vendor at once. The places for them are leased over all processes: a process that has
 * one uses it for request after request, and gives it back when it has none left, or has had it for so long.
 */
import { setTimeout as sleep } from 'node:timers/promises'

export interface PlaceLeases {
  /** Leases up to so many of the `most` places; the numbers of those that were free. */
  take(key: string, most: number, wanted: number): Promise<number[]>
  give(key: string, place: number): Promise<void>
}

/** The leases of a process that is alone. */
export const ownLeases = (): PlaceLeases => {
  const taken = new Map<string, Set<number>>()
  return {
    async take(key, most, wanted) {
      const of_key = taken.get(key) ?? new Set()
      taken.set(key, of_key)
      const all = Array.from({ length: most }, (_, index) => index)
      const free = all.filter((place) => !of_key.has(place)).slice(0, wanted)
      for (const place of free) of_key.add(place)
      return free
    },
    async give(key, place) {
      const of_key = taken.get(key)
      of_key?.delete(place)
      if (of_key?.size === 0) taken.delete(key)
    },
  }
}

/** The time for which a process keeps a place while other processes may wait for it. */
const HELD_MS = 1000
/** The time for which a place without a request is kept for the next request. */
const IDLE_MS = 200
/** The pause between two looks for a free place. */
const LOOK_MS = 50

/** The place of a request whose leases cannot be asked. */
const UNASKED = -1

interface Place {
  place: number
  leased_at: number
}

interface Wish {
  /** The places of the key. */
  most: number
  /** Those of lower rank go first. */
  rank: number
}

interface Waiter {
  rank: number
  begin(place: Place): void
}

interface Room {
  waiting: Waiter[]
  idle: Map<Place, NodeJS.Timeout>
  looking: boolean
}

export function createPlaces(leases: PlaceLeases) {
  const rooms = new Map<string, Room>()

  function giveBack(key: string, room: Room, { place }: Place): void {
    // A place that is not given back is free again when its lease expires.
    if (place !== UNASKED) leases.give(key, place).catch(() => {})
    if (room.idle.size === 0 && room.waiting.length === 0 && rooms.get(key) === room) rooms.delete(key)
  }

  async function look(key: string, most: number, room: Room): Promise<void> {
    room.looking = true
    while (room.waiting.length > 0) {
      const wanted = room.waiting.length
      // Contract silent: places that cannot be asked for keep nobody waiting.
      const leased = await leases
        .take(key, most, wanted)
        .catch(() => Array.from({ length: wanted }, () => UNASKED))
      for (const place of leased) hand(key, room, { place, leased_at: performance.now() })
      if (leased.length === 0 && room.waiting.length > 0) await sleep(LOOK_MS)
    }
    room.looking = false
  }

  /** Hands the place to the next that waits; without any, it is kept for a moment. */
  function hand(key: string, room: Room, place: Place): void {
    const next = room.waiting.shift()
    if (next) {
      next.begin(place)
      return
    }
    const timer = setTimeout(() => {
      room.idle.delete(place)
      giveBack(key, room, place)
    }, IDLE_MS).unref()
    room.idle.set(place, timer)
  }

  function leave(key: string, room: Room, place: Place): void {
    if (performance.now() - place.leased_at < HELD_MS) hand(key, room, place)
    else giveBack(key, room, place)
  }

  return {
    /** Resolves when there is a place, with the function that leaves it. */
    async enter(key: string, { most, rank }: Wish, signal: AbortSignal): Promise<() => void> {
      signal.throwIfAborted()
      const room: Room = rooms.get(key) ?? { waiting: [], idle: new Map(), looking: false }
      for (const [idle, timer] of room.idle) {
        clearTimeout(timer)
        room.idle.delete(idle)
        if (performance.now() - idle.leased_at < HELD_MS) return () => leave(key, room, idle)
        giveBack(key, room, idle)
      }
      rooms.set(key, room)
      const begun = Promise.withResolvers<Place>()
      const waiter: Waiter = { rank, begin: begun.resolve }
      const before = room.waiting.findIndex((one) => one.rank > rank)
      room.waiting.splice(before < 0 ? room.waiting.length : before, 0, waiter)
      if (!room.looking) void look(key, most, room)
      const abort = () => {
        room.waiting = room.waiting.filter((one) => one !== waiter)
        begun.reject(signal.reason)
      }
      signal.addEventListener('abort', abort, { once: true })
      const place = await begun.promise.finally(() => signal.removeEventListener('abort', abort))
      return () => leave(key, room, place)
    },
  }
}
