/**
 * The companies of the PSA that customers of another system are mapped to, for adapters of systems that name customers by
 * their own ids. A link that awaits confirmation maps to no company. Each call reads in one statement.
 */
import type { PortContext } from './port.ts'
import type { System } from './systems.ts'

export interface CompanyLinks {
  /** The `psa_company_id` of each of the customers that has one, by the customer's id in the system. */
  companiesOf(
    ctx: PortContext,
    system: System,
    external_ids: readonly string[],
  ): Promise<ReadonlyMap<string, string>>
  /** The ids of the company's customers in the system. */
  customersOf(ctx: PortContext, system: System, psa_company_id: string): Promise<readonly string[]>
}
