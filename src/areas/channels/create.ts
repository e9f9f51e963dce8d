import { scope } from '../../access/policies/policies.ts'
import { invalid } from '../../errors/errors.ts'
import { builder } from '../../schema/builder.ts'
import { onTable } from '../../schema/tables/operations.ts'
import { readRunnable } from '../agents/index.ts'
import { area } from './area.ts'
import { ChannelAudience, ChannelTransport } from './channel.ts'
import { agentId, ChannelBrandingInput, installUrl, name, ticketsTab } from './input.ts'
import { CHANNEL, checkAnswers } from './queries.ts'
import { firstStatus, transportProblems } from './rules.ts'

const ChannelDraft = builder.inputType('ChannelDraft', {
  description: 'The channel to create.',
  fields: (t) => ({
    name: t.string({ ...name, required: true }),
    agent_id: t.int({ ...agentId, required: true }),
    transport: t.field({ type: ChannelTransport, required: true, description: 'The kind of chat.' }),
    audience: t.field({
      type: ChannelAudience,
      required: true,
      description: 'The people who chat. WHITE_LABEL_TEAMS_APP is for END_USERS.',
    }),
    workspace_id: t.id({
      min_length: 1,
      max_length: 255,
      nullable: true,
      description:
        'The chat platform’s id of the workspace, for SLACK and MICROSOFT_TEAMS. null: none is bound yet.',
    }),
    workspace_name: t.string({
      min_length: 1,
      max_length: 255,
      nullable: true,
      description: 'The name of the workspace. null: it is not known.',
    }),
    tickets_tab_enabled: t.boolean({ ...ticketsTab, defaultValue: false }),
    branding: t.field({ type: ChannelBrandingInput, description: 'The look of the app in the chat.' }),
    install_url: t.field(installUrl),
  }),
})

onTable(area, CHANNEL).create('create_channel', {
  description:
    'Binds a CONVERSATIONAL agent to a team chat. The channel waits to be installed; one of WEB_CHAT, for which there ' +
    'is nothing to install, is ACTIVE at once. A workspace is bound to one channel of a transport.',
  rest: { method: 'POST', path: '/channels' },
  access: scope('channels:write'),
  errors: ['agent_not_found', 'agent_not_conversational', 'agent_not_active'],
  input: ChannelDraft,
  async values(ctx, { branding, ...input }) {
    const { transport, audience, agent_id } = input
    const binding = {
      transport,
      audience,
      workspace_id: input.workspace_id ?? null,
      workspace_name: input.workspace_name ?? null,
      tickets_tab_enabled: input.tickets_tab_enabled ?? false,
      install_url: input.install_url ?? null,
    }
    const problems = transportProblems(binding)
    if (problems.length > 0) throw invalid(problems)
    checkAnswers(await readRunnable(ctx, agent_id))
    return {
      ...binding,
      agent_id,
      name: input.name,
      status: firstStatus(transport),
      display_name: branding?.display_name ?? [...input.name].slice(0, 60).join('').trim(),
      accent_color: branding?.accent_color ?? null,
      logo_url: branding?.logo_url ?? null,
    }
  },
})
