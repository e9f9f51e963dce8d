/** The service's own team-chat app, in which technicians chat with the support agent. */
import { scope } from '../../access/policies/policies.ts'
import { db, ownKey } from '../../db/db.ts'
import { builder } from '../../schema/builder.ts'
import type { Row } from '../../schema/models.ts'
import { rowType } from '../../schema/row-type.ts'
import { area } from './area.ts'

const ChatAppWorkspace = rowType('ChatAppWorkspace', {
  fields: (t) => ({
    ...t.columns('installed_at', 'installer_email', 'team_id', 'team_name'),
  }),
})

interface ChatApp {
  available: boolean
  workspace: Row<'ChatAppWorkspace'> | null
}

const ChatAppStatus = builder.objectRef<ChatApp>('ChatAppStatus').implement({
  description:
    'The availability of the service’s team-chat app, and the workspace in which the tenant uses it.',
  fields: (t) => ({
    available: t.exposeBoolean('available', { description: 'True if the service offers the app.' }),
    workspace: t.field({
      type: ChatAppWorkspace,
      nullable: true,
      description: 'null: the app is not installed.',
      resolve: ({ workspace }) => workspace,
    }),
  }),
})

area.query('chat_app_status', (t) =>
  t.field({
    type: ChatAppStatus,
    description:
      'Tells whether the service offers its team-chat app, and which chat workspace uses it. With it ' +
      'connected, technicians chat with the support agent in that app.',
    rest: { method: 'GET', path: '/integrations/chat-app' },
    access: scope('integrations:read'),
    resolve: async (_root, _args, ctx) => {
      const where = { tenant_id_environment: ownKey(ctx, {}) }
      const workspace = await db(ctx).chatAppWorkspace.findUnique({ where })
      // Contract silent: the service offers its app to every tenant.
      return { available: true, workspace }
    },
  }),
)
