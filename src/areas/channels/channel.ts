/** A channel and the tenants that installed its app, as they are stored and as callers see them. */
import { scope } from '../../access/policies/policies.ts'
import { etagOf, REVISION } from '../../gateway/entity-tags.ts'
import { builder, enumFrom } from '../../schema/builder.ts'
import { pageType } from '../../schema/lists/page.ts'
import type { Row } from '../../schema/models.ts'
import { loadedBy } from '../../schema/relations.ts'
import { madeOf, rowType } from '../../schema/row-type.ts'
import { rowId } from '../../schema/scalars/entity-id.ts'
import { wantedFields } from '../../schema/selection.ts'
import { agentOf } from '../agents/index.ts'

export type ChannelRow = Row<'Channel'>

export const ChannelTransport = enumFrom('ChannelTransport')
export const ChannelAudience = enumFrom('ChannelAudience')
export const ChannelStatus = enumFrom('ChannelStatus')
const ChannelInstallStatus = enumFrom('ChannelInstallStatus')

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
    id: t.exposeID('id'),
    name: t.exposeString('name'),
    agent_id: t.exposeInt('agent_id'),
    transport: t.expose('transport', { type: ChannelTransport }),
    audience: t.expose('audience', { type: ChannelAudience }),
    status: t.expose('status', { type: ChannelStatus }),
    status_reason: t.exposeString('status_reason', { nullable: true }),
    workspace_id: t.exposeID('workspace_id', { nullable: true }),
    workspace_name: t.exposeString('workspace_name', { nullable: true }),
    tickets_tab_enabled: t.exposeBoolean('tickets_tab_enabled'),
    branding: t.field({
      type: ChannelBranding,
      description: 'The look of the app in the chat.',
      ...from(['display_name', 'accent_color', 'logo_url'], (branding) => branding),
    }),
    install_url: t.expose('install_url', { type: 'URL', nullable: true }),
    last_message_at: t.expose('last_message_at', { type: 'DateTime', nullable: true }),
    created_at: t.expose('created_at', { type: 'DateTime' }),
    updated_at: t.expose('updated_at', { type: 'DateTime' }),
    revision: t.exposeInt('revision', { description: REVISION }),
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

const ChannelInstall = rowType('ChannelInstall', {
  fields: (t) => ({
    id: t.id(rowId<ChannelInstallRow>('id')),
    workplace_tenant_id: t.exposeID('workplace_tenant_id'),
    end_company_id: t.id({
      nullable: true,
      description: 'The company that is mapped to the workplace-suite tenant. null: none is.',
      ...fromInstall(['end_company_id'], ({ end_company_id }) => end_company_id ?? null),
    }),
    installed_at: t.expose('installed_at', { type: 'DateTime' }),
    installer_email: t.exposeString('installer_email', { nullable: true }),
    status: t.expose('status', { type: ChannelInstallStatus }),
  }),
})

export const ChannelInstallPage = pageType<ChannelInstallRow>('ChannelInstall', ChannelInstall)
