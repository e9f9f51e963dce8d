import { scope } from '../../access/policies/policies.ts'
import { invalid } from '../../errors/errors.ts'
import { builder } from '../../schema/builder.ts'
import type { PatchOf } from '../../schema/changes/change.ts'
import { onTable } from '../../schema/tables/operations.ts'
import { readRunnable } from '../agents/index.ts'
import { area } from './area.ts'
import { agentId, ChannelBrandingInput, installUrl, name, ticketsTab } from './input.ts'
import { CHANNEL, checkAnswers, checkIsSeen } from './queries.ts'
import { CHANGEABLE, transportProblems } from './rules.ts'

// Contract silent: the chat and its people are chosen once; for another workspace there is another channel.
const ChannelPatch = builder.inputType('ChannelPatch', {
  description: 'The fields to change. A field that is left out keeps its value.',
  fields: (t) => ({
    name: t.string(name),
    agent_id: t.int(agentId),
    tickets_tab_enabled: t.boolean(ticketsTab),
    branding: t.field({ type: ChannelBrandingInput, description: 'The look of the app in the chat.' }),
    install_url: t.field(installUrl),
  }),
})

function patchOf(input: typeof ChannelPatch.$inferInput): PatchOf<typeof CHANNEL> {
  const { branding, install_url, tickets_tab_enabled } = input
  return {
    ...(input.name && { name: input.name }),
    ...(input.agent_id && { agent_id: input.agent_id }),
    ...(typeof tickets_tab_enabled === 'boolean' && { tickets_tab_enabled }),
    ...(install_url !== undefined && { install_url }),
    ...(branding?.display_name && { display_name: branding.display_name }),
    ...(branding?.accent_color !== undefined && { accent_color: branding.accent_color }),
    ...(branding?.logo_url !== undefined && { logo_url: branding.logo_url }),
  }
}

onTable(area, CHANNEL).change('update_channel', {
  description:
    'Changes a channel: its name, its look, the agent that answers. One that is UNINSTALLED is refused.',
  rest: { method: 'PATCH', path: '/channels/{channel_id}' },
  access: scope('channels:write'),
  errors: ['channel_not_active', 'agent_not_found', 'agent_not_conversational', 'agent_not_active'],
  input: ChannelPatch,
  async change(ctx, { input, id }) {
    const patch = patchOf(input)
    if (patch.agent_id !== undefined) await checkIsSeen(ctx, id)
    const agent = patch.agent_id === undefined ? null : await readRunnable(ctx, patch.agent_id)
    return {
      verb: 'updated',
      from: CHANGEABLE,
      decide(channel) {
        const problems = transportProblems({ ...channel, ...patch })
        if (problems.length > 0) throw invalid(problems)
        // The agent that is stored is accepted, whatever it has become.
        if (agent && agent.id !== channel.agent_id) checkAnswers(agent)
        return patch
      },
    }
  },
})
