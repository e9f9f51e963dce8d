/** A request to technicians of the demo. */

/** A request as it is inserted, with its technicians and the decision. */
export type Row = Record<string, unknown> & { id: string; technicians: readonly number[]; decider?: Decider }

/** The technician who decided. */
export interface Decider {
  technician_id: number
  name: string
  decision: string
  via: string
}
