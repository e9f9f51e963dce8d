/** The service's own team-chat app, in which technicians chat with the support agent. */
import { scope } from '../../access/policies.ts'
import { scoped, sql } from '../../db/db.ts'
import { builder } from '../../schema/builder.ts'
import { area } from './area.ts'

interface Workspace {
  installed_at: Date
  installer_email: string
  team_id: string
  team_name: string
}

const ChatAppWorkspace = builder.objectRef<Workspace>('ChatAppWorkspace').implement({
  description: 'The chat workspace in which the technicians use the app.',
  fields: (t) => ({
    installed_at: t.expose('installed_at', { type: 'DateTime', description: 'When the app was installed.' }),
    installer_email: t.exposeString('installer_email', {
      description: 'E-mail address of the person who installed it.',
    }),
    team_id: t.exposeString('team_id', { description: 'The chat platform’s id of the workspace.' }),
    team_name: t.exposeString('team_name', { description: 'The workspace’s name.' }),
  }),
})

interface ChatApp {
  available: boolean
  workspace: Workspace | null
}

const ChatAppStatus = builder.objectRef<ChatApp>('ChatAppStatus').implement({
  description: 'Whether the service offers its team-chat app, and where the tenant uses it.',
  fields: (t) => ({
    available: t.exposeBoolean('available', { description: 'Whether the service offers the app.' }),
    workspace: t.field({
      type: ChatAppWorkspace,
      nullable: true,
      description: 'null: the app is not installed.',
      resolve: ({ workspace }) => workspace,
    }),
  }),
})

const WORKSPACE = scoped(
  'integrations.chat_app',
  `select installed_at, installer_email, team_id, team_name
   from chat_app_workspace where tenant_id = $1 and environment = $2`,
)

area.query('chat_app_status', (t) =>
  t.field({
    type: ChatAppStatus,
    description:
      'Tells whether the service offers its team-chat app, and which chat workspace uses it. With it ' +
      'connected, technicians chat with the support agent in that app.',
    rest: { method: 'GET', path: '/integrations/chat-app' },
    access: scope('integrations:read'),
    resolve: async (_root, _args, ctx) => {
      const [workspace = null] = await sql<Workspace>(ctx, WORKSPACE)
      // Contract silent: the service offers its app to every tenant.
      return { available: true, workspace }
    },
  }),
)
