/** The channels of the demo MSP in every status, and the customers that have installed its white-label apps. */
import { ChannelAudience, ChannelStatus, ChannelTransport } from '../db/generated/client/client.ts'
import { CUSTOMERS, workplaceTenants } from './end-companies.ts'
import { insertMany, randomOf, type Seeding } from './seeding.ts'
import { number, oneOf, optional, table, text } from './table.ts'

const CHAT_AGENT = 6

const CHANNELS = table(
  {
    id: text,
    transport: oneOf(ChannelTransport),
    audience: oneOf(ChannelAudience),
    status: oneOf(ChannelStatus),
    tickets_tab_enabled: (cell) => cell === 'tickets',
    name: text,
    display_name: text,
    accent_color: optional(text),
    install_url: optional((cell) => `https://harbourline.example/${cell}`),
    workspace_id: optional(text),
    workspace_name: optional(text),
    status_reason: optional(text),
  },
  `
  chn_help | WHITE_LABEL_TEAMS_APP | END_USERS | ACTIVE | tickets | Harbourline Help | Harbourline Help | #0b6e99 | help-app | | |
  chn_hotels | WHITE_LABEL_TEAMS_APP | END_USERS | ACTIVE | | Hotel front desks | Front Desk IT | #7a3b2e | front-desk-app | | |
  chn_desk | SLACK | TECHNICIANS | ACTIVE | | Service desk | Desk | | slack-app | T04HARBOUR | Harbourline Technicians |
  chn_projects | MICROSOFT_TEAMS | TECHNICIANS | ERROR | | Projects team | Desk | | | 19:harbourline-projects | Harbourline Projects | Three messages in a row could not be sent: the team has removed the app’s permission.
  chn_site | WEB_CHAT | END_USERS | PAUSED | | Chat on harbourline.example | Ask Harbourline | #0b6e99 | | | |
  chn_dental | WHITE_LABEL_TEAMS_APP | END_USERS | PENDING_INSTALL | | Dental practices | Practice IT | | practice-app | | |
  chn_pilot | SLACK | TECHNICIANS | UNINSTALLED | | Pilot with four technicians | Pilot | | | | |
`,
)

/** The questions of technicians on the Slack channel, and of an end user on the app of the help desk. */
const SAID = Map.groupBy(
  table(
    { channel_id: text, days_ago: number, minutes: number, question: text, answer: text },
    `
  chn_desk | 2 | 130 | Which backup does Oakbridge use for its file server? | Nightly images to the NAS, copied off site at four: “Oakbridge Insurance Brokers – Backup”.
  chn_desk | 1 | 300 | And who gets the reports? | The document names the service desk mailbox. I found nobody else.
  chn_help | 3 | 45 | Is anything known about the printer on the second floor? | It was offline this morning and has answered again since half past nine.
`,
  ),
  ({ channel_id }) => channel_id,
)

/** The customer whose people have an app without the tab. */
const HOTELS = 'Quayside Hotels'

export async function seedChannels({ tx, tenancy, ago }: Seeding): Promise<void> {
  await tx.channel.createMany({
    data: CHANNELS.map((channel, index) => {
      const changed_days_ago = 40 - index * 5
      const spoken = channel.status === 'ACTIVE' ? ago(0, 20 + index * 300) : ago(changed_days_ago, 25)
      return {
        ...tenancy,
        ...channel,
        agent_id: CHAT_AGENT,
        last_message_at: channel.status === 'PENDING_INSTALL' ? null : spoken,
        // A person paused or removed it.
        revision: channel.status === 'PAUSED' || channel.status === 'UNINSTALLED' ? 2 : 1,
        created_at: ago(96 - index * 12),
        updated_at: ago(changed_days_ago),
      }
    }),
  })
  await seedMessages({ tx, tenancy, ago })
  const known = workplaceTenants().flatMap((workplace_tenant_id, index) => {
    const { name = '', domains = [] } = CUSTOMERS[index] ?? {}
    return workplace_tenant_id ? [{ name, domain: domains[0], workplace_tenant_id }] : []
  })
  // The app is installed in a workplace-suite tenant that is not linked to a company yet.
  const unmapped = {
    name: 'Not linked',
    domain: 'tamarside.example',
    workplace_tenant_id: randomOf('unmapped').uuid(),
  }
  const installs = [...known, unmapped].map(({ name, domain, workplace_tenant_id }, index) => ({
    ...tenancy,
    id: `ins_${index + 1}`,
    channel_id: name === HOTELS ? 'chn_hotels' : 'chn_help',
    workplace_tenant_id,
    installed_at: ago(80 - index * 5),
    installer_email: domain === undefined ? null : `it@${domain}`,
    status: 'ACTIVE',
  }))
  // The hotels tried the app of everybody else before they had their own.
  const tried = installs
    .filter(({ channel_id }) => channel_id === 'chn_hotels')
    .map((install) => ({
      ...install,
      id: 'ins_tried',
      channel_id: 'chn_help',
      status: 'UNINSTALLED',
      installed_at: ago(89),
    }))
  await insertMany(tx, 'channel_install', [...installs, ...tried])
}

/** Messages with their answers: one conversation on each channel. */
async function seedMessages({ tx, tenancy, ago }: Pick<Seeding, 'tx' | 'tenancy' | 'ago'>): Promise<void> {
  const someone = await tx.endUser.findFirst({
    where: { ...tenancy, status: 'ACTIVE' },
    orderBy: [{ sort_name: 'asc' }, { id: 'asc' }],
  })
  for (const [channel_id, said] of SAID) {
    const conversation_id = `conversation_of_${channel_id}`
    const end_user_id = channel_id === 'chn_help' ? (someone?.id ?? null) : null
    const [first] = said
    const created_at = first ? ago(first.days_ago, first.minutes) : ago(1)
    await tx.channelConversation.create({
      data: { ...tenancy, channel_id, id: conversation_id, end_user_id, created_at },
    })
    await tx.channelMessage.createMany({
      data: said.flatMap(({ days_ago, minutes, question, answer }, index) => {
        const id = `msg_${channel_id}_${index + 1}`
        const answered_at = ago(days_ago, minutes - 1)
        const common = { ...tenancy, channel_id, conversation_id, updated_at: answered_at }
        const person = { workplace_user_id: end_user_id ? null : 'U04KAYODE', end_user_id }
        return [
          {
            ...common,
            ...person,
            id,
            author: 'PERSON' as const,
            status: 'ANSWERED' as const,
            text: question,
            created_at: ago(days_ago, minutes),
          },
          {
            ...common,
            id: `${id}_answer`,
            author: 'AGENT' as const,
            status: 'SENT' as const,
            text: answer,
            reply_to_message_id: id,
            created_at: answered_at,
          },
        ]
      }),
    })
  }
}
