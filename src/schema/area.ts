/** The functional areas of the API: what groups operations in both interfaces' documentation. */

export interface Area {
  /** The contract's name for it. */
  name: string
  /** The name by which `discover` narrows to it. */
  slug: string
  description: string
  /** One operation to start from in GraphiQL, and others as comments below it. */
  example: string
}

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
