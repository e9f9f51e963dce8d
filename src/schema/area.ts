/** The functional areas of the API: they group operations in the documentation of both interfaces. */
import type { Area } from '../gateway/operation.ts'

const areas = new Map<string, Area>()

/** Puts operations into an area. */
export function placeIn(area: Area, operation: string): void {
  if (areas.has(operation)) throw new Error(`The operation ${operation} is defined twice`)
  areas.set(operation, area)
}

export function areaOf(operation: string): Area {
  const area = areas.get(operation)
  if (!area) throw new Error(`The operation ${operation} is in no area: define it with defineArea(…)`)
  return area
}

/** The areas that have operations, in the order in which they were defined. */
export const allAreas = (): Area[] => [...new Set(areas.values())]
