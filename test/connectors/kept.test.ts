/** What adapters keep of systems for a while. */
import { expect, it } from 'vitest'
import { createKept } from '../../src/connectors/kept.ts'

it('a value is loaded once, until its time is over or it is forgotten', async () => {
  let elapsed = 0
  let loads = 0
  const kept = createKept<number>(1000, { elapsed: () => elapsed })
  const get = (name = 'a') => kept.get(name, async () => ++loads)
  expect(await Promise.all([get(), get()])).toEqual([1, 1])
  elapsed = 999
  expect(await get()).toBe(1)
  expect(await get('b')).toBe(2)
  elapsed = 1000
  expect(await get()).toBe(3)
  kept.forget('a')
  expect(await get()).toBe(4)
})

it('a failure is not kept, and the oldest of 1,000 values makes room', async () => {
  const kept = createKept<number>(1000)
  const fails = kept.get('a', () => Promise.reject(new Error('no')))
  await expect(fails).rejects.toThrow('no')
  expect(await kept.get('a', async () => 1)).toBe(1)
  for (let name = 0; name < 999; name++) await kept.get(String(name), async () => 2)
  expect(await kept.get('a', async () => 3)).toBe(1)
  await kept.get('one more', async () => 2)
  expect(await kept.get('a', async () => 4)).toBe(4)
})
