/** The capabilities of integrations, and the calls of the adapters that the process is composed with. */
import { expect, it } from 'vitest'
import { REGISTRY } from '../../src/areas/integrations/registry.ts'
import { adaptersOf } from '../../src/composition/adapters.ts'
import type { Capability } from '../../src/connectors/capabilities.ts'
import type { Documents } from '../../src/connectors/documents.ts'
import type { VendorClient } from '../../src/connectors/http/client.ts'
import type { Psa } from '../../src/connectors/psa.ts'
import type { Rmm } from '../../src/connectors/rmm.ts'

type Calls = Partial<Record<Capability, readonly (keyof Psa | keyof Rmm | keyof Documents)[]>>

/** The calls that an adapter of the port answers to have the capability. */
const NEEDED: Readonly<Record<'psa' | 'rmm' | 'documents', Calls>> = {
  psa: {
    COMPANIES: ['companyPage', 'searchCompanies'],
    CONTACTS: ['contactPage', 'contact', 'searchContacts'],
    TICKETS: ['ticket', 'searchTickets', 'createTicket', 'updateTicket', 'notesOf', 'addNote'],
    TIME_ENTRIES: ['timeEntry', 'timeEntriesOf', 'addTimeEntry'],
  },
  rmm: {
    COMPANIES: [],
    DEVICES: ['device', 'searchDevices'],
    SCRIPTS: ['scriptPage', 'script'],
    ALERTS: ['alert', 'searchAlerts'],
  },
  documents: { COMPANIES: [], DOCUMENTS: ['search', 'document'] },
}

it('are what the adapter of the system answers, and companies alone without an adapter', () => {
  const adapters = adaptersOf({} as VendorClient)
  const answered = new Map(
    (['psa', 'rmm', 'documents'] as const).flatMap((port) =>
      adapters[port].map(({ system, unsupported }) => {
        const left_out: ReadonlySet<string> = unsupported
        const capabilities = Object.entries(NEEDED[port])
          .filter(([, calls]) => !calls.some((call) => left_out.has(call)))
          .map(([capability]) => capability)
        return [system as string, capabilities] as const
      }),
    ),
  )
  expect(answered.size).toBeGreaterThan(0)
  for (const { system, capabilities } of REGISTRY)
    expect([system, capabilities]).toEqual([system, answered.get(system) ?? ['COMPANIES']])
})
