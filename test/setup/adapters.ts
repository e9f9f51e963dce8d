/** Adapters of systems that tests play. */
import type { Adapter, OpenedConnection } from '../../src/connectors/adapter.ts'
import type { Adapters } from '../../src/connectors/connectors.ts'
import type { ConnectableSystem } from '../../src/connectors/fields.ts'
import { systemAnswered } from '../../src/connectors/http/call.ts'
import { localPsa } from '../../src/connectors/local/psa.ts'
import { PortUnavailable } from '../../src/connectors/port.ts'
import { PSA, type Psa } from '../../src/connectors/psa.ts'

/** The secret that the systems of tests do not accept. */
export const WRONG = 'wrong-credential'
/** The secret with which they cannot be reached. */
export const AWAY = 'nobody-answers'

const problemOf = ({ settings }: OpenedConnection): PortUnavailable | null => {
  const values = Object.values(settings)
  const body = JSON.stringify(settings)
  if (values.includes(WRONG)) return new PortUnavailable(`401 ${body}`, { kind: 'CREDENTIALS' })
  return values.includes(AWAY) ? new PortUnavailable(`No answer ${body}`) : null
}

/** A PSA whose one company has the name of the system and its site; it can do nothing else. */
function portOf(system: ConnectableSystem, connection: OpenedConnection): Psa {
  const company = {
    psa_company_id: '1',
    name: `${system} at ${connection.settings.site}`,
    is_active: true,
    attributes: {},
  }
  const answers: Partial<Record<keyof Psa, unknown>> = {
    companies: [company],
    company,
    searchCompanies: [company],
    companyFields: [],
    openTicketCounts: [],
  }
  const call = (name: string) => async () => {
    const problem = problemOf(connection)
    if (problem) throw problem
    systemAnswered()
    if (name in answers) return answers[name as keyof Psa]
    throw new PortUnavailable(`${system} does not play ${name}`)
  }
  return Object.fromEntries(Object.keys(PSA.calls).map((name) => [name, call(name)])) as unknown as Psa
}

/** A PSA of tests. */
const playedPsa = (system: ConnectableSystem, unsupported: readonly (keyof Psa)[] = []): Adapter<Psa> => ({
  system,
  unsupported: new Set(unsupported),
  open: (connection) => portOf(system, connection),
  async test(connection) {
    const problem = problemOf(connection)
    if (problem) throw problem
    return { ok: true, message: `Found ${system} by ${Object.values(connection.settings).join(', ')}` }
  },
})

/** The service's stand-in behind connections: the suites of every operation meet it, whatever a tenant has connected. */
export const STAND_INS: Adapters = {
  psa: [
    {
      system: 'CONNECTWISE_PSA',
      unsupported: new Set(['timeEntryChangePage'] as const),
      open: (_connection, ctx) => localPsa(ctx),
      test: async () => ({ ok: true, message: 'Found the company Harbourline IT.' }),
    },
  ],
  rmm: [],
  documents: [],
}

export const PLAYED: Adapters = {
  psa: [playedPsa('CONNECTWISE_PSA', ['mergeTicket', 'companyFields']), playedPsa('HALO_PSA')],
  rmm: [],
  documents: [],
}

/** No system can be connected, and no escalation opened. */
export const NOTHING_CONNECTED = {
  adapters: { psa: [], rmm: [], documents: [] },
  connections: { find: async () => null, ended: () => {}, now: () => new Date() },
  services: (): never => {
    throw new Error('No process runs')
  },
}
