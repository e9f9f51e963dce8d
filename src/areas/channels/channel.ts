/** A channel and the tenants that installed its app, as they are stored and as callers see them. */
import { scope } from '../../access/policies/policies.ts'
import { etagOf } from '../../gateway/entity-tags.ts'
import { builder, enumFrom } from '../../schema/builder.ts'
import type { Row } from '../../schema/models.ts'
import { loadedBy } from '../../schema/relations.ts'
import { madeOf, rowType } from '../../schema/row-type.ts'
import { rowId } from '../../schema/scalars/entity-id.ts'
import { wantedFields } from '../../schema/selection.ts'
import { agentOf } from '../agents/index.ts'

export type ChannelRow = Row<'Channel'>

export const ChannelTransport = enumFrom('ChannelTransport')
export const ChannelAudience = enumFrom('ChannelAudience')

/** The tag includes the columns that the chat platform changes without a new revision. */
export const channelEtag = ({ revision, status, status_reason, ...channel }: ChannelRow): string =>
  etagOf(revision, [
    status,
    status_reason,
    channel.workspace_id,
    channel.workspace_name,
    channel.last_message_at?.toISOString() ?? null,
  ])

type Branding = Pick<ChannelRow, 'display_name' | 'accent_color' | 'logo_url'>

const ChannelBranding = builder.objectRef<Branding>('ChannelBranding').implement({
  description: 'The look of a channel’s app in the chat.',
  fields: (t) => ({
    display_name: t.exposeString('display_name', { description: 'The name of the app.' }),
    accent_color: t.exposeString('accent_color', {
      nullable: true,
      description: 'The app’s colour: `#` and six hexadecimal digits. null: the chat’s own.',
    }),
    logo_url: t.expose('logo_url', {
      type: 'URL',
      nullable: true,
      description: 'The address of the app’s logo. null: it has none.',
    }),
  }),
})

const from = madeOf<ChannelRow>()

export const Channel = rowType('Channel', {
  fields: (t) => ({
    ...t.columns('id', 'name', 'agent_id', 'transport', 'audience', 'status', 'status_reason'),
    ...t.columns('workspace_id', 'workspace_name', 'tickets_tab_enabled'),
    branding: t.field({
      type: ChannelBranding,
      description: 'The look of the app in the chat.',
      ...from(['display_name', 'accent_color', 'logo_url'], (branding) => branding),
    }),
    ...t.columns('install_url', 'last_message_at', 'created_at', 'updated_at', 'revision'),
    agent: t.relation('agent', {
      graph_only: true,
      access: scope('agents:read'),
      description: 'The agent that answers.',
      ...loadedBy<ChannelRow>()(['agent_id'], ({ agent_id: id }, ctx, info) =>
        agentOf(ctx, { id, fields: wantedFields(info) }),
      ),
    }),
  }),
})

/** An install with the company that is mapped to its workplace-suite tenant. */
export interface ChannelInstallRow extends Row<'ChannelInstall'> {
  end_company_id?: string | null
}

const fromInstall = madeOf<ChannelInstallRow>()

export const ChannelInstall = rowType('ChannelInstall', {
  fields: (t) => ({
    id: t.id(rowId<ChannelInstallRow>('id')),
    ...t.columns('workplace_tenant_id'),
    end_company_id: t.id({
      nullable: true,
      description: 'The company that is mapped to the workplace-suite tenant. null: none is.',
      ...fromInstall(['end_company_id'], ({ end_company_id }) => end_company_id ?? null),
    }),
    ...t.columns('installed_at'),
    installer_email: t.exposeString('installer_email', { nullable: true }),
    ...t.columns('status'),
  }),
})
