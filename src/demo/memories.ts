/** The memories of the demo MSP: facts that syncs found, and those that people and agents added. */
import { confirmedConfidence } from '../areas/memories/rules.ts'
import {
  MemoryAudience,
  MemoryCategory,
  MemoryCreator,
  MemoryDerivation,
  type Prisma,
} from '../db/generated/client/client.ts'
import { CUSTOMERS, psaIdOf } from './end-companies.ts'
import { insertMany, type Random, randomOf, type Seeding } from './seeding.ts'
import { list, number, numbers, oneOf, optional, table, text } from './table.ts'

type Memory = Prisma.AgentMemoryCreateManyInput

type Fact = Pick<Memory, 'content' | 'category' | 'derivation' | 'created_by' | 'confidence'> &
  Partial<Memory>

const COLUMNS = {
  created_by: oneOf(MemoryCreator),
  derivation: oneOf(MemoryDerivation),
  confidence: number,
  category: oneOf(MemoryCategory),
  audiences: (cell: string) => (cell === '' ? ['ALL' as const] : list(cell).map(oneOf(MemoryAudience))),
  restricted_agent_ids: numbers,
  content: text,
  evidence: optional(text),
}

/** The people who state something, by the kind of writer that they are. */
const PEOPLE: Partial<Record<Memory['created_by'], readonly string[]>> = {
  TECHNICIAN: ['Aisha Rahman', 'Chidi Okafor', 'Elin Lindqvist', 'Gareth Hughes'],
  USER: ['Maeve Donnelly'],
}

/** Facts about the MSP itself. */
const OWN: readonly Fact[] = table(
  COLUMNS,
  `
  USER | STATED | 1 | PROCEDURAL | | | Tickets about invoices go to Ruth Ashworth, never to a technician. |
  TECHNICIAN | STATED | 1 | PROCEDURAL | TECHNICIANS | | Password resets need a call back to the number in the PSA. |
  AGENT | OBSERVED | 0.82 | EPISODIC | DISPATCH | | Most tickets arrive between 08:30 and 10:00 on Mondays. |
  SYNC_PSA_DISCOVERY | STRUCTURAL | 0.99 | SEMANTIC | | | The board “Alerts” is filled by the RMM and has no contacts. |
  AGENT | INFERRED | 0.58 | SEMANTIC | | 4 | Alerts of the type “Disk 90 %” clear within a day if nothing is done. |
  IMPORT | STATED | 0.9 | PROCEDURAL | | | P1 is answered within fifteen minutes, P2 within an hour, P3 within four. |
`,
)

const SITES = ['the head office', 'the warehouse', 'the branch in Truro', 'the reception', 'the workshop']
const DEVICES = ['NAS', 'firewall', 'print server', 'Wi-Fi controller', 'hypervisor']

/** Facts about a customer: NAME, DOMAIN, SITE and DEVICE stand for its own. */
const OF_CUSTOMER: readonly Fact[] = table(
  COLUMNS,
  `
  SYNC_PSA_DISCOVERY | STRUCTURAL | 0.97 | SEMANTIC | | | NAME uses the e-mail domain DOMAIN. | Contacts of the company in the PSA.
  SYNC_RMM_DISCOVERY | STRUCTURAL | 0.94 | SEMANTIC | | | The DEVICE of NAME stands in SITE. | Site and name of the device in the RMM.
  SYNC_DOCUMENTATION_DISCOVERY | STRUCTURAL | 0.9 | PROCEDURAL | | | Changes at NAME are made after 18:00. | Page “Change windows” in the documentation.
  AGENT | OBSERVED | 0.71 | EPISODIC | TECHNICIANS, DISPATCH | | NAME reports the same printer in SITE about once a fortnight. |
  AGENT | INFERRED | 0.46 | SEMANTIC | | 3 | New starters at NAME get the same groups as the last one. |
  TECHNICIAN | STATED | 1 | PROCEDURAL | | | At NAME ask for the office manager before anything is restarted. |
`,
)

const ofCustomer = (name: string, domain: string, random: Random): Fact[] => {
  const site = random.pick(SITES)
  const device = random.pick(DEVICES)
  return OF_CUSTOMER.map(({ content, ...fact }) => ({
    ...fact,
    content: content
      .replace('NAME', name)
      .replace('DOMAIN', domain)
      .replace('SITE', site)
      .replace('DEVICE', device),
  }))
}

/** The words of memories, and those that stood there in the version before. */
const EARLIER: readonly [now: RegExp, before: string][] = [
  [/the e-mail domain .*/, 'addresses of its internet provider.'],
  [/stands in .*/, 'stands under a desk.'],
  [/18:00/, '20:00'],
  [/a fortnight/, 'a month'],
  [/get the same groups as the last one/, 'get no groups before their first day'],
  [/the office manager/, 'the managing director'],
]

const DAY_MS = 86_400_000

const timeOf = (at: Memory['deleted_at']): number => (at ? new Date(at).getTime() : 0)

const idOf = (random: Random): string => `mem_${random.uuid().replaceAll('-', '').slice(0, 22)}`

export async function seedMemories({ tx, tenancy, ago }: Seeding): Promise<void> {
  const random = randomOf('memories')
  const memory = (draft: Fact, scope: Pick<Memory, 'scope_type' | 'scope_id'>, test_mode = false): Memory => {
    const age = random.int(2, 300)
    const created_at = ago(age, random.int(0, 1400))
    const people = PEOPLE[draft.created_by]
    const confirmed = draft.confidence >= 0.9 && random.fraction() < 0.4
    const pinned = people !== undefined && random.fraction() < 0.3
    return {
      ...tenancy,
      id: idOf(random),
      state: 'ACTIVE',
      audiences: ['ALL'],
      evidence: null,
      restricted_agent_ids: [],
      superseded_by: null,
      supersedes_id: null,
      deleted_at: null,
      ...scope,
      test_mode,
      created_at,
      updated_at: created_at,
      created_by_user_name: people ? random.pick(people) : null,
      pinned_at: pinned ? ago(random.int(0, age - 1)) : null,
      last_confirmed_at: confirmed ? ago(random.int(0, age - 1)) : null,
      ...draft,
      confidence: confirmed ? confirmedConfidence(draft.confidence) : draft.confidence,
      revision: 1 + Number(pinned) + Number(confirmed),
    }
  }
  const own = OWN.map((draft) => memory(draft, { scope_type: 'TENANT', scope_id: null }))
  const ofCustomers = CUSTOMERS.flatMap(({ name, domains }, index) =>
    ofCustomer(name, domains[0] ?? '', random).map((draft) =>
      memory(draft, { scope_type: 'CLIENT', scope_id: psaIdOf(index) }),
    ),
  )
  // Of some memories there was another version, and some were deleted.
  const replaced = ofCustomers.filter((_, index) => index % 13 === 5)
  const old = replaced.map((successor): Memory => {
    const id = idOf(random)
    successor.supersedes_id = id
    const content = EARLIER.reduce((text, [now, before]) => text.replace(now, before), successor.content)
    const created_at = new Date(timeOf(successor.created_at) - random.int(30, 90) * DAY_MS)
    return {
      ...successor,
      id,
      content,
      created_at,
      updated_at: successor.created_at,
      pinned_at: null,
      last_confirmed_at: null,
      revision: 2,
      state: 'SUPERSEDED',
      superseded_by: successor.id,
      supersedes_id: null,
    }
  })
  for (const [index, one] of ofCustomers.entries()) {
    if (index % 17 !== 9) continue
    const latest = Math.max(...[one.created_at, one.pinned_at, one.last_confirmed_at].map(timeOf))
    const deleted_at = new Date(Math.max(latest, ago(index % 28).getTime()))
    const revision = (one.revision ?? 1) + 1
    Object.assign(one, { state: 'DELETED', deleted_at, updated_at: deleted_at, revision })
  }
  const tested = memory(
    {
      created_by: 'AGENT',
      derivation: 'INFERRED',
      confidence: 0.5,
      category: 'EPISODIC',
      content: 'The test ticket is about a mailbox that does not exist.',
    },
    { scope_type: 'AGENT', scope_id: '7' },
    true,
  )
  await insertMany(tx, 'agent_memory', [...own, ...ofCustomers, ...old, tested])
}
