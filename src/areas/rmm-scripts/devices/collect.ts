/** Pages of devices, made of pages of the RMM: the filters that are judged here, and the start of the next page. */
import type { RmmListedDevice, RmmPage } from '../../../connectors/rmm.ts'

/** A place among the devices of the RMM. */
export interface Position {
  /** The start of a page of the RMM, as the RMM names it; null: its first page. */
  after: string | null
  /** The devices of that page to leave out. */
  offset: number
  /** The ids of the last devices that are left out: devices come and go, and with them the offset moves. */
  passed: readonly string[]
}

export const FIRST: Position = { after: null, offset: 0, passed: [] }

const startOf = (after: string): Position => ({ after, offset: 0, passed: [] })

/** The ids that a position keeps: the place is found again as long as one of their devices is there. */
const MOST_PASSED = 4

interface Filters {
  search: string | null
  online: boolean | null
}

const comparable = (text: string): string => text.normalize('NFKC').toLowerCase()

/** True for a device that meets the filters. */
export function meets(
  { name, last_user, device_id, online }: RmmListedDevice,
  { search, online: wanted }: Filters,
): boolean {
  if (wanted !== null && online !== wanted) return false
  if (search === null) return true
  const text = comparable(search)
  return [name, last_user ?? '', device_id].some((field) => comparable(field).includes(text))
}

/** The place of the first device after those that were passed. */
function firstAfter(rows: readonly RmmListedDevice[], { offset, passed }: Position): number {
  const last = rows.findLastIndex(({ device_id }) => passed.includes(device_id))
  // Passed devices that are gone stood before the place.
  return last === -1 ? offset - passed.length : last + 1
}

export interface Collected {
  devices: RmmListedDevice[]
  /** The start of the next page; null: there is none. */
  next: Position | null
}

/** The devices after those of `before` that a page of the RMM, read at the position, adds to a page of `size`. */
export function collect(
  before: readonly RmmListedDevice[],
  { rows, next }: RmmPage<RmmListedDevice>,
  position: Position,
  { size, ...filters }: Filters & { size: number },
): Collected {
  const devices = [...before]
  for (let index = firstAfter(rows, position); index < rows.length; index++) {
    const device = rows[index] as RmmListedDevice
    if (!meets(device, filters)) continue
    if (devices.length === size) {
      const passed = rows.slice(Math.max(0, index - MOST_PASSED), index).map(({ device_id }) => device_id)
      return { devices, next: { after: position.after, offset: index, passed } }
    }
    devices.push(device)
  }
  return { devices, next: next === null ? null : startOf(next) }
}
