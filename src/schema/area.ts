/** The functional areas of the API: they group operations in the documentation of both interfaces. */
import type { Area } from '../gateway/operation.ts'
import type { Approval } from './approval.ts'

export interface DefinedArea extends Area {
  /** Every mutation of the area waits for an approval on the API-request channel, under these terms or its own. */
  approval?: Approval
}

const areas = new Map<string, DefinedArea>()

/** Puts operations into an area. */
export function placeIn(area: DefinedArea, operation: string): void {
  if (areas.has(operation)) throw new Error(`The operation ${operation} is defined twice`)
  areas.set(operation, area)
}

export function areaOf(operation: string): DefinedArea {
  const area = areas.get(operation)
  if (!area) throw new Error(`The operation ${operation} is in no area: define it with defineArea(…)`)
  return area
}

/** The areas that have operations, in the order in which they were defined. */
export const allAreas = (): DefinedArea[] => [...new Set(areas.values())]
