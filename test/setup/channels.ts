/** Channels and their installs for tests. */
import type { Prisma } from '../../src/db/generated/client/client.ts'
import { clock } from './app.ts'
import type { Msp } from './world.ts'

type Channel = Partial<Prisma.ChannelCreateManyInput> & { id: string; agent_id: number }
type Message = Partial<Prisma.ChannelMessageCreateManyInput> & { id: string; channel_id: string }
type Install = Partial<Prisma.ChannelInstallCreateManyInput> & { id: string; channel_id: string }

/** Active channels in Slack for technicians, unless they say something else. */
export async function addChannels(msp: Msp, channels: readonly Channel[]): Promise<void> {
  const now = clock.now()
  await msp.database.prisma.channel.createMany({
    data: channels.map((channel) => ({
      tenant_id: msp.tenant_id,
      environment: msp.environment,
      created_at: now,
      updated_at: now,
      transport: 'SLACK' as const,
      audience: 'TECHNICIANS' as const,
      status: 'ACTIVE' as const,
      name: `Channel ${channel.id}`,
      display_name: 'Help',
      ...channel,
    })),
  })
}

/** Installs of channels, in workplace-suite tenants that no company is mapped to. */
export async function addInstalls(msp: Msp, installs: readonly Install[]): Promise<void> {
  await msp.database.prisma.channelInstall.createMany({
    data: installs.map((install) => ({
      tenant_id: msp.tenant_id,
      environment: msp.environment,
      installed_at: clock.now(),
      workplace_tenant_id: `wpt_${msp.tenant_id}_${install.id}`,
      ...install,
    })),
  })
}

/** Answered messages of technicians, and their conversations. */
export async function addMessages(msp: Msp, messages: readonly Message[]): Promise<void> {
  const { tenant_id, environment } = msp
  const { prisma } = msp.database
  const stored = messages.map((message) => ({
    tenant_id,
    environment,
    created_at: clock.now(),
    updated_at: clock.now(),
    author: 'PERSON' as const,
    status: 'ANSWERED' as const,
    conversation_id: 'general',
    workplace_user_id: 'U1',
    text: 'Hello.',
    ...message,
  }))
  await prisma.channelConversation.createMany({
    data: stored.map(({ channel_id, conversation_id: id, created_at }) => ({
      tenant_id,
      environment,
      channel_id,
      id,
      created_at,
    })),
    skipDuplicates: true,
  })
  await prisma.channelMessage.createMany({ data: stored })
}
