/** The rules of requests to technicians. */

const HOUR_MS = 3_600_000

/** The hours in which technicians decide about a call of the API. */
const HOURS_TO_DECIDE = 72

/** The instant at which a request that is raised now expires. */
export const expiryOf = (now: Date): Date => new Date(now.getTime() + HOURS_TO_DECIDE * HOUR_MS)

type Decision = 'APPROVE' | 'REJECT' | 'EDIT' | 'ANSWER'

/** The decisions that a request of the kind takes. */
export const DECISIONS = {
  PLAN: ['APPROVE', 'REJECT'],
  WRITE: ['APPROVE', 'REJECT', 'EDIT'],
  QUESTION: ['ANSWER'],
  API_REQUEST: ['APPROVE', 'REJECT'],
} as const satisfies Record<string, readonly Decision[]>

/** The harm that a call by this HTTP method can do. */
export const riskOf = (method: string): 'CHANGE' | 'DESTRUCTIVE' =>
  method === 'DELETE' ? 'DESTRUCTIVE' : 'CHANGE'

/** The path of a call, with the values of its parameters. */
export const pathOf = (path: string, args: Readonly<Record<string, unknown>>): string =>
  path.replace(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(String(args[name])))
