/** A tenant beside another one whose tickets are more than its budget admits. */
import { setTimeout as sleep } from 'node:timers/promises'
import { budgetOf, type Vendor } from '../../test/load/floor.ts'
import { median } from '../figures.ts'
import { writeAll } from './burst.ts'
import { type Site, withPlace } from './place.ts'

const FLOOD = 300
const TICKETS = 15
const WARM_UP = 5
const LEFT = 20
const REQUESTS_A_SECOND = 5
const LOOK_MS = 5
const PATIENCE_MS = 60_000

export interface Flood {
  alone_ms: number
  beside_ms: number
  /** Tickets without a note in time, alone and beside the flood. */
  without_note: number
}

/** Milliseconds from a ticket's event to its note, of one ticket after another. A ticket without a note counts as the patience. */
async function untilNotes({ desk }: Site, tickets = TICKETS): Promise<number[]> {
  const times: number[] = []
  for (let ticket = 0; ticket < tickets; ticket++) {
    const started = Date.now()
    const ticket_id = await desk.write()
    while (!desk.noted_at.has(ticket_id) && Date.now() - started < PATIENCE_MS) await sleep(LOOK_MS)
    times.push((desk.noted_at.get(ticket_id) ?? Date.now()) - started)
  }
  return times
}

export async function flood(vendor: Vendor): Promise<Flood> {
  const budgets = [budgetOf(vendor, REQUESTS_A_SECOND)]
  return await withPlace({ budgets, vendors: [vendor, vendor] }, async ({ sites }) => {
    const [flooding, other] = sites as [Site, Site]
    // The code of the processes is compiled.
    await untilNotes(other, WARM_UP)
    const alone = await untilNotes(other)
    await flooding.leave(LEFT)
    await writeAll(flooding, FLOOD)
    const beside = await untilNotes(other)
    return {
      alone_ms: median(alone),
      beside_ms: median(beside),
      without_note: [...alone, ...beside].filter((ms) => ms >= PATIENCE_MS).length,
    }
  })
}
