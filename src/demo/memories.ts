/** The memories of the demo MSP: facts that syncs found, and those that people and agents added. */
import { confirmedConfidence } from '../areas/memories/rules.ts'
import type { Prisma } from '../db/generated/client/client.ts'
import { CUSTOMERS, psaIdOf } from './end-companies.ts'
import { insertMany, type Random, randomOf, type Seeding } from './seeding.ts'

type Memory = Prisma.AgentMemoryCreateManyInput

type Fact = Pick<Memory, 'content' | 'category' | 'derivation' | 'created_by' | 'confidence'> &
  Partial<Memory>

const fact = (
  created_by: Memory['created_by'],
  derivation: Memory['derivation'],
  confidence: number,
  content: string,
  rest: Partial<Memory> = {},
): Fact => ({ created_by, derivation, confidence, content, category: 'SEMANTIC', ...rest })

/** The people who state something, by the kind of writer that they are. */
const PEOPLE: Partial<Record<Memory['created_by'], readonly string[]>> = {
  TECHNICIAN: ['Aisha Rahman', 'Chidi Okafor', 'Elin Lindqvist', 'Gareth Hughes'],
  USER: ['Maeve Donnelly'],
}

/** Facts about the MSP itself. */
const OWN: readonly Fact[] = [
  fact('USER', 'STATED', 1, 'Tickets about invoices go to Ruth Ashworth, never to a technician.', {
    category: 'PROCEDURAL',
  }),
  fact('TECHNICIAN', 'STATED', 1, 'Password resets need a call back to the number in the PSA.', {
    category: 'PROCEDURAL',
    audiences: ['TECHNICIANS'],
  }),
  fact('AGENT', 'OBSERVED', 0.82, 'Most tickets arrive between 08:30 and 10:00 on Mondays.', {
    category: 'EPISODIC',
    audiences: ['DISPATCH'],
  }),
  fact(
    'SYNC_PSA_DISCOVERY',
    'STRUCTURAL',
    0.99,
    'The board “Alerts” is filled by the RMM and has no contacts.',
  ),
  fact('AGENT', 'INFERRED', 0.58, 'Alerts of the type “Disk 90 %” clear within a day if nothing is done.', {
    restricted_agent_ids: [4],
  }),
  fact('IMPORT', 'STATED', 0.9, 'P1 is answered within fifteen minutes, P2 within an hour, P3 within four.', {
    category: 'PROCEDURAL',
  }),
]

const SITES = ['the head office', 'the warehouse', 'the branch in Truro', 'the reception', 'the workshop']
const DEVICES = ['NAS', 'firewall', 'print server', 'Wi-Fi controller', 'hypervisor']

/** Facts about a customer. */
const ofCustomer = (name: string, domain: string, random: Random): Fact[] => {
  const site = random.pick(SITES)
  const device = random.pick(DEVICES)
  return [
    fact('SYNC_PSA_DISCOVERY', 'STRUCTURAL', 0.97, `${name} uses the e-mail domain ${domain}.`, {
      evidence: 'Contacts of the company in the PSA.',
    }),
    fact('SYNC_RMM_DISCOVERY', 'STRUCTURAL', 0.94, `The ${device} of ${name} stands in ${site}.`, {
      evidence: 'Site and name of the device in the RMM.',
    }),
    fact('SYNC_DOCUMENTATION_DISCOVERY', 'STRUCTURAL', 0.9, `Changes at ${name} are made after 18:00.`, {
      category: 'PROCEDURAL',
      evidence: 'Page “Change windows” in the documentation.',
    }),
    fact('AGENT', 'OBSERVED', 0.71, `${name} reports the same printer in ${site} about once a fortnight.`, {
      category: 'EPISODIC',
      audiences: ['TECHNICIANS', 'DISPATCH'],
    }),
    fact('AGENT', 'INFERRED', 0.46, `New starters at ${name} get the same groups as the last one.`, {
      restricted_agent_ids: [3],
    }),
    fact('TECHNICIAN', 'STATED', 1, `At ${name} ask for the office manager before anything is restarted.`, {
      category: 'PROCEDURAL',
    }),
  ]
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
    fact('AGENT', 'INFERRED', 0.5, 'The test ticket is about a mailbox that does not exist.', {
      category: 'EPISODIC',
    }),
    { scope_type: 'AGENT', scope_id: '7' },
    true,
  )
  await insertMany(tx, 'agent_memory', [...own, ...ofCustomers, ...old, tested])
}
