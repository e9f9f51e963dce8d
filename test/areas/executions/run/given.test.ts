/** The arguments that fixed actions take from the ticket or time entry. */
import { beforeAll, expect, it } from 'vitest'
import type { Psa } from '../../../../src/connectors/psa.ts'
import type { Services } from '../../../../src/gateway/context.ts'
import { apis } from '../../../setup/api.ts'
import { testApp } from '../../../setup/app.ts'
import { addPsaContacts, psaOfTenant } from '../../../setup/psa.ts'
import { performRuns } from '../../../setup/runs.ts'
import { installQueues } from '../../agents/runnable.ts'
import { chainMsp, entriesOf, NOTE, STATUS, start } from './chain.ts'

beforeAll(installQueues)

const [api] = apis as [(typeof apis)[number]]

/** The service with a PSA whose reads of tickets are counted. */
async function counting(): Promise<{ services: Services; reads: () => number }> {
  const { services } = (await testApp()).app
  const { connectors } = services
  let reads = 0
  const psa = (ctx: Parameters<typeof connectors.psa>[0]): Psa => {
    const its = connectors.psa(ctx)
    return {
      ...its,
      async ticket(id) {
        reads++
        return await its.ticket(id)
      },
    }
  }
  return { services: { ...services, connectors: { ...connectors, psa } }, reads: () => reads }
}

it('actions that need the id of the ticket alone read no ticket', async () => {
  const msp = await chainMsp([NOTE, STATUS])
  const execution_id = await start(api, msp)
  const { services, reads } = await counting()
  await performRuns(msp, { services })
  expect(
    (await entriesOf(api, msp, execution_id)).map(({ outcome }: { outcome: string }) => outcome),
  ).toEqual(['SUCCEEDED', 'SUCCEEDED'])
  expect(reads()).toBe(0)
})

it('an action takes the contact that the action before it gave the ticket', async () => {
  const msp = await chainMsp([
    { type: 'contact.read', params: {} },
    { type: 'ticket.set_contact', params: { contact_id: 'c2' } },
    { type: 'contact.read', params: {} },
  ])
  await addPsaContacts(msp, [{ contact_id: 'c2', psa_company_id: 'co1' }])
  const execution_id = await start(api, msp)
  await performRuns(msp)
  const entries = await entriesOf(api, msp, execution_id)
  expect(entries.map(({ arguments: given }: { arguments: object }) => given)).toEqual([
    { contact_id: 'c1' },
    { ticket_id: '4711', contact_id: 'c2' },
    { contact_id: 'c2' },
  ])
})

it('an action takes the contact that somebody else gave the ticket a moment ago', async () => {
  const msp = await chainMsp([
    { type: 'contact.read', params: {} },
    NOTE,
    { type: 'contact.read', params: {} },
  ])
  await addPsaContacts(msp, [{ contact_id: 'c2', psa_company_id: 'co1' }])
  const execution_id = await start(api, msp)
  const { services } = (await testApp()).app
  const { connectors } = services
  const psa = (ctx: Parameters<typeof connectors.psa>[0]): Psa => ({
    ...connectors.psa(ctx),
    async addNote(...note) {
      // Past the client, as another process writes: what this one shares stays as it is.
      await psaOfTenant(msp).updateTicket('4711', { contact_id: 'c2' }, 'elsewhere')
      return await psaOfTenant(msp).addNote(...note)
    },
  })
  await performRuns(msp, { services: { ...services, connectors: { ...connectors, psa } } })
  const entries = await entriesOf(api, msp, execution_id)
  expect(entries.at(-1)).toMatchObject({ tool_name: 'contact.read', arguments: { contact_id: 'c2' } })
})
