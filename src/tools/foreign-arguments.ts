/** The arguments of a call that name things beyond its reach. */
import { isDeepStrictEqual } from 'node:util'
import { isWithinReach } from './execute.ts'
import type { Reach } from './reach/reach.ts'
import type { Tool } from './tool.ts'
import { type Ports, portsOf, type ToolContext } from './tool-context.ts'

type Find = (ports: Ports, id: string, reach: Reach) => Promise<unknown>

const ticket: Find = ({ psa }, id) => psa.listedTicket(id)
const contact: Find = ({ psa }, id) => psa.contact(id)

/** Finds what an argument of the name is the id of, as far as the reach goes. */
const FINDS: Readonly<Record<string, Find>> = {
  ticket_id: ticket,
  into_ticket_id: ticket,
  time_entry_id: ({ psa }, id) => psa.timeEntry(id),
  company_id: ({ psa }, id) => psa.company(id),
  contact_id: contact,
  recipient_contact_id: contact,
  end_user_id: async ({ memories }, id, { psa_company_id }) =>
    psa_company_id !== null && (await memories.isEndUserOf(id, psa_company_id)),
  device_id: ({ rmm }, id) => rmm.device(id),
  alert_id: ({ rmm }, id) => rmm.alert(id),
  document_id: ({ documents }, id) => documents.document(id),
  account_id: ({ identity }, id) => identity.account(id),
  async group_id({ identity }, id, { psa_company_id }) {
    const groups = psa_company_id === null ? [] : await identity.groupsOf(psa_company_id)
    return groups.find(({ group_id }) => group_id === id)
  },
}

/** The names of arguments whose ids are the MSP's own, or judged by the tool, or of tools that make no change. */
export const WITHOUT_COMPANY: readonly string[] = [
  'technician_id',
  'script_id',
  'scope_id',
  'message_id',
  'call_id',
]

/** The names of arguments that are the id of something of a company. */
export const OF_COMPANIES: readonly string[] = Object.keys(FINDS)

/** The names of the arguments that differ from `before`, and name nothing within reach. */
export async function foreignArguments(
  ctx: ToolContext,
  reach: Reach,
  tool: Tool,
  { args, before }: Record<'args' | 'before', Readonly<Record<string, unknown>>>,
): Promise<string[]> {
  const ports = portsOf(ctx, reach)
  const changed = Object.entries(args).filter(([name, value]) => !isDeepStrictEqual(value, before[name]))
  const outside: string[] = []
  for (const [name, value] of changed) {
    const find = FINDS[name]
    if (find && typeof value === 'string' && !(await find(ports, value, reach))) outside.push(name)
  }
  const judged = changed.find(([name]) => name.startsWith('scope_'))
  if (judged && !(await isWithinReach(ctx, { reach }, tool, args))) outside.push(judged[0])
  return outside
}
