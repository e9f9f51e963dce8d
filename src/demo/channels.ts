/** The channels of the demo MSP in every status, and the customers that have installed its white-label apps. */
import type { Prisma } from '../db/generated/client/client.ts'
import { CUSTOMERS, workplaceTenants } from './end-companies.ts'
import { insertMany, randomOf, type Seeding } from './seeding.ts'

const CHAT_AGENT = 6

const WHITE_LABEL = {
  agent_id: CHAT_AGENT,
  transport: 'WHITE_LABEL_TEAMS_APP',
  audience: 'END_USERS',
  status: 'ACTIVE',
} as const

type Draft = Omit<Prisma.ChannelCreateManyInput, 'tenant_id' | 'environment' | 'created_at' | 'updated_at'>

const CHANNELS: readonly Draft[] = [
  {
    ...WHITE_LABEL,
    id: 'chn_help',
    name: 'Harbourline Help',
    display_name: 'Harbourline Help',
    accent_color: '#0b6e99',
    tickets_tab_enabled: true,
    install_url: 'https://harbourline.example/help-app',
  },
  {
    ...WHITE_LABEL,
    id: 'chn_hotels',
    name: 'Hotel front desks',
    display_name: 'Front Desk IT',
    accent_color: '#7a3b2e',
    tickets_tab_enabled: false,
    install_url: 'https://harbourline.example/front-desk-app',
  },
  {
    agent_id: CHAT_AGENT,
    transport: 'SLACK',
    audience: 'TECHNICIANS',
    status: 'ACTIVE',
    id: 'chn_desk',
    name: 'Service desk',
    display_name: 'Desk',
    workspace_id: 'T04HARBOUR',
    workspace_name: 'Harbourline Technicians',
    install_url: 'https://harbourline.example/slack-app',
  },
  {
    agent_id: CHAT_AGENT,
    transport: 'MICROSOFT_TEAMS',
    audience: 'TECHNICIANS',
    status: 'ERROR',
    id: 'chn_projects',
    name: 'Projects team',
    display_name: 'Desk',
    workspace_id: '19:harbourline-projects',
    workspace_name: 'Harbourline Projects',
    status_reason: 'Three messages in a row could not be sent: the team has removed the app’s permission.',
  },
  {
    agent_id: CHAT_AGENT,
    transport: 'WEB_CHAT',
    audience: 'END_USERS',
    status: 'PAUSED',
    id: 'chn_site',
    name: 'Chat on harbourline.example',
    display_name: 'Ask Harbourline',
    accent_color: '#0b6e99',
  },
  {
    ...WHITE_LABEL,
    id: 'chn_dental',
    name: 'Dental practices',
    display_name: 'Practice IT',
    status: 'PENDING_INSTALL',
    install_url: 'https://harbourline.example/practice-app',
  },
  {
    agent_id: CHAT_AGENT,
    transport: 'SLACK',
    audience: 'TECHNICIANS',
    status: 'UNINSTALLED',
    id: 'chn_pilot',
    name: 'Pilot with four technicians',
    display_name: 'Pilot',
  },
]

type Spoken = readonly [days_ago: number, minutes: number, question: string, answer: string]

/** The questions of technicians on the Slack channel, and of an end user on the app of the help desk. */
const SAID: Readonly<Record<string, readonly Spoken[]>> = {
  chn_desk: [
    [
      ...([2, 130] as const),
      'Which backup does Oakbridge use for its file server?',
      'Nightly images to the NAS, copied off site at four: “Oakbridge Insurance Brokers – Backup”.',
    ],
    [
      1,
      300,
      'And who gets the reports?',
      'The document names the service desk mailbox. I found nobody else.',
    ],
  ],
  chn_help: [
    [
      ...([3, 45] as const),
      'Is anything known about the printer on the second floor?',
      'It was offline this morning and has answered again since half past nine.',
    ],
  ],
}

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
  for (const [channel_id, said] of Object.entries(SAID)) {
    const conversation_id = `conversation_of_${channel_id}`
    const end_user_id = channel_id === 'chn_help' ? (someone?.id ?? null) : null
    const [first] = said
    const created_at = first ? ago(first[0], first[1]) : ago(1)
    await tx.channelConversation.create({
      data: { ...tenancy, channel_id, id: conversation_id, end_user_id, created_at },
    })
    await tx.channelMessage.createMany({
      data: said.flatMap(([days_ago, minutes, question, answer], index) => {
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
