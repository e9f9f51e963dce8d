import { describe, expect, it } from 'vitest'
import { collect, FIRST, meets, type Position } from '../../src/areas/rmm-scripts/devices/collect.ts'
import type { RmmListedDevice } from '../../src/connectors/rmm.ts'

const device = (device_id: string, changes: Partial<RmmListedDevice> = {}): RmmListedDevice => ({
  device_id,
  name: `PC-${device_id}`,
  psa_company_id: null,
  platform: 'WINDOWS',
  online: true,
  last_seen_at: null,
  last_user: null,
  ...changes,
})

const ALL = { search: null, online: null }

const rows = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => device(id, { online: id !== 'c' && id !== 'd' }))

const idsOf = (devices: readonly RmmListedDevice[]) => devices.map(({ device_id }) => device_id).join('')

describe('a device', () => {
  it.each([
    ['its name', 'pc-Ä', true],
    ['its last user', 'ADA', true],
    ['its id', 'id_7', true],
    ['another Unicode form', 'ｐｃ', true],
    ['nothing of it', 'x', false],
  ])('is found by %s', (_by, search, found) => {
    const some = device('ID_7', { name: 'PC-ä', last_user: 'ada' })
    expect(meets(some, { search, online: null })).toBe(found)
  })

  it('is online or not', () => {
    expect([true, false, null].map((online) => meets(device('a'), { search: null, online }))).toEqual([
      true,
      false,
      true,
    ])
  })
})

describe('a page of devices', () => {
  it('ends before the first device that is too many', () => {
    const { devices, next } = collect([], { rows, next: 'p2' }, FIRST, { ...ALL, size: 2 })
    expect([idsOf(devices), next]).toEqual(['ab', { after: null, offset: 2, passed: ['a', 'b'] }])
  })

  it('has no next one if no further device meets the filters', () => {
    const filters = { search: null, online: true, size: 4 }
    expect(collect([], { rows, next: null }, FIRST, filters).next).toBeNull()
    const { next } = collect([], { rows, next: null }, FIRST, { ...filters, size: 2 })
    expect(next).toMatchObject({ offset: 4, passed: ['a', 'b', 'c', 'd'] })
  })

  it('goes on with the next page of the RMM', () => {
    const { devices, next } = collect([device('0')], { rows, next: 'p2' }, FIRST, { ...ALL, size: 7 })
    expect([idsOf(devices), next]).toEqual(['0abcdef', { after: 'p2', offset: 0, passed: [] }])
  })

  it.each([
    ['as they were', 'abcdef', 'cd'],
    ['without those that were passed last', 'adef', 'de'],
    ['with others before', '012abcdef', 'cd'],
    ['without any that was passed', 'cdef', 'cd'],
  ])('begins after the devices that were passed, %s', (_how, ids, expected) => {
    const position: Position = { after: null, offset: 2, passed: ['a', 'b'] }
    const page = { rows: [...ids].map((id) => device(id)), next: null }
    expect(idsOf(collect([], page, position, { ...ALL, size: 2 }).devices)).toBe(expected)
  })
})
