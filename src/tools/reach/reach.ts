/**
 * The reach of a call: the company whose things it finds and changes. The ports of the call answer as if there were nothing
 * else (`psa.ts`, `systems.ts`), so that no tool decides for itself.
 */
export interface Reach {
  /** null: the ticket has no company, and nothing beyond it is reached. */
  psa_company_id: string | null
  /** The ticket or time entry of the run, which it always reaches. null: a chat has none. */
  entity: { type: 'TICKET' | 'TIME_ENTRY'; id: string } | null
  /** The contact whose tickets alone are reached. null: those of the whole company. */
  contact_id: string | null
}
