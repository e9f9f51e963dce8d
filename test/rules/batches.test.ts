import { expect, it } from 'vitest'
import { batches } from '../../src/lib/batches.ts'

it('items that come while work is under way are done together, each key apart, and one that fails fails alone', async () => {
  const done: string[] = []
  const add = batches<string>(3, async (key, items) => {
    await Promise.resolve()
    if (items.includes('bad')) throw new Error(`${items.length} with a bad one`)
    done.push(`${key}: ${items.join(' ')}`)
  })
  const all = await Promise.allSettled(
    ['1', '2', 'bad', '3', '4'].map((item) => add('a', item)).concat(add('b', '1')),
  )
  expect(all.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
    'fulfilled',
  ])
  expect(all[2]).toMatchObject({ reason: new Error('1 with a bad one') })
  expect(done.sort()).toEqual(['a: 1', 'a: 2', 'a: 3', 'a: 4', 'b: 1'])
  await new Promise((begin) => setImmediate(begin))
  await Promise.all(['5', '6', '7', '8', '9'].map((item) => add('a', item)))
  expect(done.slice(5)).toEqual(['a: 5', 'a: 6 7 8', 'a: 9'])
})
