/** The places of requests that are made at once, leased in the database. */
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { deleteExpiredPlaces, sharedLeases } from '../../src/access/limits/request-places.ts'
import { testDatabase } from '../setup/database.ts'

const database = await testDatabase()
const { prisma, sql } = database

// The limit of a take stands still, so that no take is late on a busy machine.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const newKey = (): string => `places ${randomUUID()}`
const sorted = (places: readonly number[]): number[] => places.toSorted((one, other) => one - other)

/** Changes when the leases of the places end, in seconds from now. */
const expire = (key: string, seconds: number, places: readonly number[]): Promise<unknown> =>
  prisma.requestPlace.updateMany({
    where: { key, place: { in: [...places] } },
    data: { expires_at: new Date(Date.now() + seconds * 1000) },
  })

const leasedPlaces = async (key: string): Promise<number[]> => {
  const rows = await prisma.requestPlace.findMany({ where: { key }, orderBy: { place: 'asc' } })
  return rows.map(({ place }) => place)
}

it('free places are leased, up to as many as are wanted', async () => {
  const key = newKey()
  const [one, other] = [sharedLeases(sql), sharedLeases(sql)]
  expect(sorted(await one.take(key, 3, 2))).toEqual([1, 2])
  expect(await other.take(key, 3, 2)).toEqual([3])
  expect(await one.take(key, 3, 1)).toEqual([])
  expect(await one.take(newKey(), 3, 1)).toEqual([1])
})

it('holders that take at once never lease the same place', async () => {
  const key = newKey()
  const holders = Array.from({ length: 8 }, () => sharedLeases(sql))
  const takes = holders.flatMap((holder) => [1, 2, 3].map((wanted) => holder.take(key, 10, wanted)))
  const places = (await Promise.all(takes)).flat()
  expect(new Set(places).size).toBe(places.length)
  expect(sorted(places)).toEqual(await leasedPlaces(key))
  expect(places.every((place) => place >= 1 && place <= 10)).toBe(true)
})

it('expired places that holders take at once are leased once', async () => {
  const key = newKey()
  const lost = await sharedLeases(sql).take(key, 10, 10)
  await expire(key, -1, lost)
  const holders = Array.from({ length: 8 }, () => sharedLeases(sql))
  const places = (await Promise.all(holders.map((holder) => holder.take(key, 10, 4)))).flat()
  expect(places.length).toBeGreaterThan(0)
  expect(new Set(places).size).toBe(places.length)
})

it('a holder gives back its own places only', async () => {
  const key = newKey()
  const [one, other] = [sharedLeases(sql), sharedLeases(sql)]
  const [own = 0] = await one.take(key, 2, 1)
  const [foreign = 0] = await other.take(key, 2, 1)
  await one.give(key, foreign)
  expect(await leasedPlaces(key)).toEqual([1, 2])
  await one.give(key, own)
  expect(await leasedPlaces(key)).toEqual([foreign])
  expect(await other.take(key, 2, 2)).toEqual([own])
})

it('a lease that has expired can be taken, and is not given back by the holder that lost it', async () => {
  const key = newKey()
  const [lost, other] = [sharedLeases(sql), sharedLeases(sql)]
  expect(sorted(await lost.take(key, 2, 2))).toEqual([1, 2])
  await expire(key, -1, [2])
  expect(await other.take(key, 2, 2)).toEqual([2])
  await lost.give(key, 2)
  expect(await leasedPlaces(key)).toEqual([1, 2])
  expect(await other.take(key, 2, 2)).toEqual([])
})

it('only places that expired long ago are deleted', async () => {
  const key = newKey()
  await sharedLeases(sql).take(key, 3, 3)
  await expire(key, -600, [1])
  await expire(key, -1, [2])
  await deleteExpiredPlaces(sql)
  expect(await leasedPlaces(key)).toEqual([2, 3])
})

it('a take that the database does not answer in time rejects', async () => {
  const leases = sharedLeases({ rows: () => Promise.withResolvers<never>().promise })
  const taken = expect(leases.take(newKey(), 2, 1)).rejects.toThrow('The places did not answer')
  await vi.advanceTimersByTimeAsync(500)
  await taken
})
