/** The technicians of the MSP as the service knows them: what tools ask of the service's own data. */
import type { PortContext } from './port.ts'

export interface Technician {
  technician_id: number
  /** The id in the PSA. */
  psa_id: number
  name: string
}

/** Deleted technicians are not among them. */
export interface Technicians {
  technician(technician_id: number): Promise<Technician | null>
  /** The one with this id in the PSA. */
  technicianOfPsa(psa_id: number): Promise<Technician | null>
  /** The technicians whose name or skills have every one of the words, in any letter case, by name. */
  search(words: string, limit: number): Promise<readonly Technician[]>
  /** Now for one who is at work; null for one who never is, or whom there is not. */
  nextAtWork(technician_id: number): Promise<Date | null>
}

export type TechniciansConnector = (ctx: PortContext) => Technicians
