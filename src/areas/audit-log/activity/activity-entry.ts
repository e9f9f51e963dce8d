/** An entry of the activity log as it is read and answered. */
import type { Target } from '../../../gateway/activity.ts'
import { builder, described } from '../../../schema/builder.ts'
import type { Row } from '../../../schema/models.ts'
import { madeOf, rowType } from '../../../schema/row-type.ts'

export type ActivityRow = Row<'ActivityEntry'>

/** The types of actors. The kinds of credentials are among them. */
export const ActorType = builder.enumType('ActorType', {
  description: 'The sort of actor that made a change.',
  values: described({
    USER: 'A dashboard user.',
    API_KEY: 'An API key.',
    AGENT: 'An agent.',
    SYSTEM: 'The service itself, or its operator.',
    END_USER: 'A user of one of the MSP’s customers.',
    FEEDBACK_LINK: 'The holder of a feedback link: the end user who got it.',
  }),
})

export type ActorType = (typeof ActorType)['$inferType']

interface Actor {
  type: ActorType
  id: string
  name: string
}

const ActivityActor = builder.objectRef<Actor>('ActivityActor').implement({
  description: 'The actor of a change.',
  fields: (t) => ({
    type: t.expose('type', { type: ActorType, description: 'The sort of actor.' }),
    id: t.exposeID('id', { description: 'The id of the user, key, agent or feedback.' }),
    name: t.exposeString('name', { description: 'The name at the time of the change.' }),
  }),
})

const ActivityTarget = builder.objectRef<Target>('ActivityTarget').implement({
  description: 'A thing that was changed.',
  fields: (t) => ({
    type: t.exposeString('type', { description: 'The sort of thing, such as `api_key`.' }),
    id: t.exposeID('id', { description: 'Its id.' }),
    name: t.exposeString('name', { description: 'Its name at the time of the change.' }),
  }),
})

interface ActivityRequest {
  ip: string | null
  user_agent: string | null
  request_id: string
  channel: string | null
  acting_user_id: string | null
  acting_user_name: string | null
  til_request_id: string | null
  asked_by_name: string | null
}

const ActivityContext = builder.objectRef<ActivityRequest>('ActivityContext').implement({
  description: 'The request that made a change.',
  fields: (t) => ({
    ip: t.exposeString('ip', { nullable: true, description: 'The address of the client. null: no client.' }),
    user_agent: t.exposeString('user_agent', {
      nullable: true,
      description: 'The program of the client. null: it did not say.',
    }),
    request_id: t.exposeID('request_id', { description: 'The id of the request.' }),
    channel: t.exposeString('channel', {
      nullable: true,
      description: 'The channel of the request, such as `API_REQUEST`. null: a direct call.',
    }),
    acting_user_id: t.exposeID('acting_user_id', {
      nullable: true,
      description: 'The user in whose name an API key called. null: none.',
    }),
    acting_user_name: t.exposeString('acting_user_name', {
      nullable: true,
      description: 'The name of that user at the time of the change.',
    }),
    til_request_id: t.exposeID('til_request_id', {
      nullable: true,
      description:
        'The request to technicians whose approval made the change: the actor approved it. null: the actor called.',
    }),
    asked_by_name: t.exposeString('asked_by_name', {
      nullable: true,
      description: 'The caller who asked for the change that a technician approved. null: the actor called.',
    }),
  }),
})

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** The request of a row. Rows of earlier releases may lack a field. */
function requestOf({ context }: Pick<ActivityRow, 'context'>): ActivityRequest {
  const { ip, user_agent, request_id, channel, acting_user_id, ...rest } = context as Record<string, unknown>
  return {
    ip: textOrNull(ip),
    user_agent: textOrNull(user_agent),
    request_id: textOrNull(request_id) ?? '',
    channel: textOrNull(channel),
    acting_user_id: textOrNull(acting_user_id),
    acting_user_name: textOrNull(rest.acting_user_name),
    til_request_id: textOrNull(rest.til_request_id),
    asked_by_name: textOrNull(rest.asked_by_name),
  }
}

const from = madeOf<Row<'ActivityEntry'>>()

export const ActivityEntry = rowType('ActivityEntry', {
  fields: (t) => ({
    ...t.columns('id', 'occurred_at', 'action'),
    actor: t.field({
      type: ActivityActor,
      description: 'The actor of the change.',
      ...from(['actor_type', 'actor_id', 'actor_name'], (entry) => ({
        type: entry.actor_type as ActorType,
        id: entry.actor_id,
        name: entry.actor_name,
      })),
    }),
    targets: t.field({
      type: [ActivityTarget],
      max_items: 250,
      description: 'The things that were changed.',
      ...from(['targets'], ({ targets }) => targets as Target[]),
    }),
    context: t.field({
      type: ActivityContext,
      description: 'The request that made the change.',
      ...from(['context'], requestOf),
    }),
    ...t.columns('before', 'after'),
  }),
})
