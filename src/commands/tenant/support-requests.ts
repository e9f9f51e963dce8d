/** Closes the support requests of tenants. */
import { requestWithReference, setSupportStatus } from '../../areas/escalation/support/queries.ts'
import { type CommandContext, type Outcome, runRecorded } from './recorded.ts'

interface Options {
  reference: string
  reopen?: boolean | undefined
}

/** Closes the request, whichever tenant made it, or opens it again. */
export async function closeSupportRequest(
  place: CommandContext,
  { reference, reopen = false }: Options,
): Promise<Outcome> {
  const { database, environment } = place
  const request = await requestWithReference(database.sql, environment, reference)
  if (!request) throw new Error(`There is no support request ${reference} in the environment ${environment}.`)
  const { tenant_id, id } = request
  const status = reopen ? 'OPEN' : 'CLOSED'
  const changed = await runRecorded(place, tenant_id, (ctx) => setSupportStatus(ctx, id, status))
  const message = `The support request ${reference} ${changed ? 'is now' : 'was'} ${status}${changed ? '' : ' already'}.`
  return { result: { tenant_id, environment, reference, status, changed }, message }
}
