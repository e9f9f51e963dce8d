/** The goals of webhooks under load. */
import { FACTS, type Vendor } from '../../test/load/floor.ts'
import type { Goal } from '../goals.ts'

export const NAMES: Readonly<Record<Vendor, string>> = {
  connectwise: 'ConnectWise PSA',
  autotask: 'Autotask PSA',
  halo: 'HaloPSA',
}

export const VENDORS = Object.keys(FACTS) as Vendor[]

const most = (of: string, figure: string, value: number, unit?: string): Goal => ({
  of,
  figure,
  bound: { side: 'at most', value },
  ...(unit && { unit }),
})

const goalsOf = (vendor: Vendor): Goal[] => {
  const name = NAMES[vendor]
  return [
    most(`${name}: 300 tickets at once, time by the floor`, `${vendor} burst time`, 1.15),
    most(`${name}: 300 tickets at once, requests by the floor`, `${vendor} burst requests`, 1.1),
    most(`${name}: 1,000 tickets, 10 % errors, time by the floor`, `${vendor} errors time`, 1.15),
    most(`${name}: 1,000 tickets, 10 % errors, requests by the floor`, `${vendor} errors requests`, 1.1),
    most(`${name}: tickets that wait for a person`, `${vendor} people`, 0),
    most(`${name}: from the end of an outage until all is processed`, `${vendor} outage`, 60, 's'),
    most(`${name}: a tenant beside one that floods, times alone`, `${vendor} flood`, 2),
    most(`${name}: requests of one ticket`, `${vendor} single`, 7),
    // Autotask PSA allows three requests at once for one kind of object. [HP ThreadLimiting]
    ...(vendor === 'autotask'
      ? [most(`${name}: requests at once for one object`, 'autotask at once', 3)]
      : []),
  ]
}

export const PSA_GOALS: readonly Goal[] = VENDORS.flatMap(goalsOf)
