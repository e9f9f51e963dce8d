/** The skills of the demo MSP: those of the service, and its own in every status. */
import { builtInSkills } from '../areas/skills/built-in.ts'
import type { Prisma, SkillStatus } from '../db/generated/client/client.ts'
import { sha256 } from '../db/migrations/files.ts'
import type { Seeding } from './seeding.ts'

/** The agents of the built-in skills, by slug. */
const AGENTS_OF: Readonly<Record<string, number[]>> = { 'ticket-triage': [1], 'password-reset': [2] }

interface Version {
  by: string
  days: number
  text: string
  restored_from?: number
}

interface Own {
  id: string
  slug: string
  name: string
  description: string
  tools: string[]
  agents: number[]
  status: SkillStatus
  /** The agent whose execution the skill was made of. */
  made_of?: number
  reference?: { path: string; content: string }
  versions: readonly Version[]
}

const PHISHING = `Give the ticket to the queue “Security” with priority P1, whatever the contact says of it.

1. \`ticket.read\`: who got the message, and whether somebody clicked or answered.
2. \`ticket.search\` for the sender and the subject: name the other tickets in the note.
3. \`ticket.set_queue\` and \`ticket.set_priority\`, then one INTERNAL note. Never repeat the link.`

const OWN: readonly Own[] = [
  {
    id: 'skl_demo_phishing',
    slug: 'phishing-report',
    name: 'Phishing report',
    description: 'Routes reports of phishing to security. Use when a contact asks whether a message is real.',
    tools: ['ticket.read', 'ticket.search', 'ticket.set_queue', 'ticket.set_priority', 'ticket.add_note'],
    agents: [1],
    status: 'ACTIVE',
    made_of: 1,
    versions: [
      { by: 'Aisha Rahman', days: 21, text: PHISHING },
      { by: 'Tomasz Zieliński', days: 14, text: `${PHISHING}\n4. Merge reports of the same message.` },
      { by: 'Gareth Hughes', days: 6, text: PHISHING, restored_from: 1 },
    ],
  },
  {
    id: 'skl_demo_scanner',
    slug: 'scan-to-mail',
    name: 'Scan to mail',
    description: 'Finds why a copier sends no scans. Use when a ticket says that scans do not arrive.',
    tools: ['ticket.read', 'document.search', 'document.read', 'ticket.add_note'],
    agents: [6],
    status: 'ACTIVE',
    reference: {
      path: 'references/errors.md',
      content:
        '# Errors of copiers\n\n“Authentication failed”: the password of the mailbox has expired.\n“Connection timed out”: the firewall or the line.\n',
    },
    versions: [
      {
        by: 'Chidi Okafor',
        days: 17,
        text: 'Read “Printers and scanners” of the customer, and compare the error with `references/errors.md`. Name the document in the answer.',
      },
    ],
  },
  {
    id: 'skl_demo_quotes',
    slug: 'quote-request',
    name: 'Quote request',
    description: 'Gathers what a quote needs. Use when a contact asks for a price.',
    tools: ['ticket.read', 'company.read', 'ticket.add_note'],
    agents: [1],
    status: 'DISABLED',
    versions: [
      {
        by: 'Maeve Donnelly',
        days: 40,
        text: 'Ask for number, date and site in one PUBLIC note. Never name a price.',
      },
    ],
  },
  {
    id: 'skl_demo_mailbox_move',
    slug: 'mailbox-move',
    name: 'Mailbox move',
    description: 'Prepares the move of mailboxes from the customer’s own server. Use for such moves only.',
    tools: [],
    agents: [],
    status: 'ARCHIVED',
    versions: [
      {
        by: 'Gareth Hughes',
        days: 70,
        text: 'At most five mailboxes at once, never between eight and six. List the sizes first.',
      },
    ],
  },
]

const fileOf = (path: string, content: string) => ({ path, content, sha256: sha256(content) })

const filesOf = ({ slug, name, description, tools, reference }: Own, { text }: Version) => {
  const allowed = tools.length > 0 ? `allowed-tools: ${tools.join(' ')}\n` : ''
  const matter = `---\nname: ${slug}\ndescription: ${description}\n${allowed}---\n\n# ${name}\n\n`
  const instructions = fileOf('SKILL.md', `${matter}${text}\n`)
  return reference ? [instructions, fileOf(reference.path, reference.content)] : [instructions]
}

export async function seedSkills({ tx, tenancy, ago }: Seeding): Promise<void> {
  const skills: Prisma.SkillCreateManyInput[] = []
  const versions: Prisma.SkillVersionCreateManyInput[] = []
  for (const { id, slug, ...built_in } of await builtInSkills()) {
    const row = { ...tenancy, ...built_in, created_by_name: 'Automation Service', created_at: ago(60) }
    const assigned_agent_ids = AGENTS_OF[slug] ?? []
    skills.push({ ...row, id, slug, source: 'BUILT_IN', assigned_agent_ids, updated_at: ago(60) })
    versions.push({ ...row, skill_id: id })
  }
  const execution = await tx.execution.findFirstOrThrow({
    where: { ...tenancy, agent_id: 1, status: 'COMPLETED', resolution: 'FULL', created_at: { lt: ago(21) } },
    orderBy: [{ created_at: 'desc' }, { execution_id: 'asc' }],
  })
  for (const own of OWN) {
    const { id, slug, name, description, tools: allowed_tools, status, agents, made_of } = own
    const rows = own.versions.map((version, index) => ({
      ...tenancy,
      name,
      description,
      allowed_tools,
      files: filesOf(own, version),
      version: index + 1,
      created_by_name: version.by,
      created_at: ago(version.days),
      restored_from_version: version.restored_from ?? null,
    }))
    const [first] = own.versions
    const last = rows.at(-1)
    if (!first || !last) throw new Error(`The skill ${slug} has no version`)
    const { restored_from_version: _, ...latest } = last
    skills.push({
      ...latest,
      id,
      slug,
      status,
      assigned_agent_ids: agents,
      revision: rows.length + Number(status !== 'ACTIVE'),
      source_execution_id: made_of ? execution.execution_id : null,
      source_agent_id: made_of ?? null,
      created_by_name: first.by,
      created_at: ago(first.days),
      updated_at: status === 'ACTIVE' ? latest.created_at : ago(first.days - 10),
    })
    versions.push(...rows.map((row) => ({ ...row, skill_id: id })))
  }
  await tx.skill.createMany({ data: skills })
  await tx.skillVersion.createMany({ data: versions })
}
