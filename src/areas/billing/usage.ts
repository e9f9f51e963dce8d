/** Credit usage: the buckets of a window, with what the agents that the caller sees used in each. */
import { scope } from '../../access/policies/policies.ts'
import { visibleAgents } from '../../access/policies/visibility.ts'
import { callerOf } from '../../access/viewer.ts'
import { select } from '../../db/query/fragment.ts'
import { ApiError } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import { bucketsOf, type Granularity as GranularityName } from '../../lib/buckets.ts'
import { type Window, windowProblem } from '../../lib/window.ts'
import { builder, described } from '../../schema/builder.ts'
import { Granularity } from '../../schema/scalars/granularity.ts'
import type { ZonedWindow } from '../../schema/scalars/zoned-window.ts'
import { AutonomyType, agentsWith } from '../agents/index.ts'
import {
  askedWindow,
  BUCKET,
  BUCKETS,
  bucketParameters,
  creditEntries,
  PerformanceWindow,
  partsOf,
  retentionWarnings,
  since,
} from '../performance/index.ts'
import { readZone } from '../settings/index.ts'
import { area } from './area.ts'
import {
  type Bucket,
  MAX_GROUPS,
  maxUsageSeconds,
  SERVICE_GROUP,
  sumOfCredits,
  type UsageRow,
  usageByBucket,
} from './rules.ts'

type GroupBy = 'AGENT' | 'AUTONOMY_TYPE'

interface Question {
  agent_id: number | null
  autonomy_type: AutonomyType | null
  group_by: GroupBy | null
}

/** Rows of each agent in a bucket. A chat agent has an entry of credits for each message that it answers. */
// Contract silent: the messages of chats are counted by the entries of their credits.
const used = (and: string): string => `select agent_id, credits_consumed, total_executions, 0 as chat_messages
    from (${partsOf(BUCKET, { and, by_agent: true })}) sums
  union all select agent_id, 0, 0, entries from (${creditEntries(and)}) chats`

/** Questions of the service, which no agent asked. */
const OF_SERVICE = `select credits from model_question
    where tenant_id = $1 and environment = $2 and at >= bucket.starts and at < bucket.ends`

const KEYS: Record<GroupBy, string> = {
  AGENT: 'seen.id::text as key, max(seen.name) as label',
  AUTONOMY_TYPE: 'seen.autonomy_type as key, seen.autonomy_type as label',
}
const GROUPS: Record<GroupBy, string> = { AGENT: 'seen.id', AUTONOMY_TYPE: 'seen.autonomy_type' }

const SUMS = `sum(credits_consumed) as credits_consumed, sum(total_executions) as total_executions,
    sum(chat_messages) as chat_messages`

const OF_ALL = `select bucket.place::int as place, null::text as key, null::text as label, ${SUMS}
  from ${BUCKETS} cross join lateral (${used('')}
    union all select null, credits, 0, 0 from (${OF_SERVICE}) questions
  ) used group by bucket.place`

const GROUP_OF_SERVICE = `
  union all select bucket.place::int, '${SERVICE_GROUP.key}', '${SERVICE_GROUP.label}', sum(credits), 0, 0
  from ${BUCKETS} cross join lateral (${OF_SERVICE}) questions group by bucket.place having sum(credits) > 0`

/** The usage of the agents that meet the condition, by group if there is one. */
function ofAgents(visible: string, group_by: GroupBy | null): string {
  const keys = group_by ? KEYS[group_by] : 'null::text as key, null::text as label'
  const groups = group_by ? `, ${GROUPS[group_by]}` : ''
  return `with seen as materialized (
    ${agentsWith('a.id, a.name, a.autonomy_type::text as autonomy_type')} and ($agent_id::int is null or a.id = $agent_id::int)
      and ($autonomy_type::text is null or a.autonomy_type = $autonomy_type::text::autonomy_type)${visible}
  ) select bucket.place::int as place, ${keys}, ${SUMS}
  from ${BUCKETS} cross join lateral (${used(' and agent_id in (select id from seen)')}) used
    join seen on seen.id = used.agent_id
  group by bucket.place${groups}`
}

// Contract silent: an agent that the caller does not see, or that is not there, has used nothing.
async function readUsage(ctx: Context, windows: readonly Window[], question: Question): Promise<UsageRow[]> {
  const { agent_id, autonomy_type, group_by } = question
  const visible = visibleAgents(callerOf(ctx))
  const is_narrowed = visible !== null || agent_id !== null || autonomy_type !== null || group_by !== null
  const of_service = visible === null && agent_id === null && autonomy_type === null ? GROUP_OF_SERVICE : ''
  const fragment = is_narrowed
    ? { ...visible, text: ofAgents(visible ? ` and ${visible.text}` : '', group_by) + of_service }
    : { text: OF_ALL }
  return await select<UsageRow>(ctx, 'billing.usage', fragment, {
    ...bucketParameters(windows),
    agent_id,
    autonomy_type,
  })
}

interface Usage {
  window: ZonedWindow
  granularity: GranularityName
  total_credits: number
  buckets: Bucket[]
}

const UsageGroupBy = builder.enumType('UsageGroupBy', {
  description: 'The property by which the usage of a bucket is divided.',
  values: described({ AGENT: 'By agent.', AUTONOMY_TYPE: 'By the kind of the agents.' }),
})

const UsageGroup = builder.objectRef<NonNullable<Bucket['groups']>[number]>('BillingUsageGroup').implement({
  description: 'The usage of one group in a bucket.',
  fields: (t) => ({
    key: t.exposeString('key', {
      description:
        'The agent’s id or the kind of agents. SERVICE: questions to the model about customers of integrations, which no ' +
        'agent asks. OTHER: all beyond the fifty that used most in the window.',
    }),
    label: t.exposeString('label', { description: 'The agent’s name or the kind of agents.' }),
    credits: t.expose('credits', { type: 'NonNegativeFloat', description: 'Credits that the group used.' }),
  }),
})

const UsageBucket = builder.objectRef<Bucket>('BillingUsageBucket').implement({
  description: 'The usage of an hour, day, week or month, or of the part of it that lies in the window.',
  fields: (t) => ({
    start: t.expose('start', { type: 'DateTime', description: 'The start, inclusive.' }),
    end: t.expose('end', { type: 'DateTime', description: 'The end, exclusive.' }),
    credits: t.expose('credits', {
      type: 'NonNegativeFloat',
      description:
        'Credits, those of chats among them, and those of the service’s own questions to the model.',
    }),
    executions: t.expose('executions', { type: 'NonNegativeInt', description: 'Executions created in it.' }),
    chat_messages: t.expose('chat_messages', {
      type: 'NonNegativeInt',
      description: 'Messages that chat agents answered in it.',
    }),
    groups: t.expose('groups', {
      type: [UsageGroup],
      max_items: MAX_GROUPS + 1,
      nullable: true,
      description:
        'The groups that used anything in it, those that used most in the window first. null: `group_by` is not given.',
    }),
  }),
})

const BillingUsage = builder.objectRef<Usage>('BillingUsage').implement({
  description:
    'The credits that the agents that the caller sees used in a window, archived agents too. Who sees all agents, and asks ' +
    'for all of them, gets the credits of the service’s own questions to the model too.',
  fields: (t) => ({
    window: t.expose('window', { type: PerformanceWindow, description: 'The window of the figures.' }),
    granularity: t.expose('granularity', { type: Granularity, description: 'The length of the buckets.' }),
    total_credits: t.expose('total_credits', {
      type: 'NonNegativeFloat',
      description:
        'The credits of all buckets: those that `performance_summary` has for the window, and those of the service’s own ' +
        'questions to the model.',
    }),
    buckets: t.expose('buckets', {
      type: [UsageBucket],
      max_items: 450,
      description:
        'Every bucket that the window touches, the earliest first, with zeros if nothing was used.',
    }),
  }),
})

area.query('billing_usage', (t) =>
  t.field({
    type: BillingUsage,
    description:
      'Gets the credits that were used in a window, by hour, day, week or month. Windows have at most 400 days, of hours ' +
      '7 days. Days, weeks and months are those of the tenant’s time zone, and the first and the last bucket end with ' +
      'the window.',
    rest: { method: 'GET', path: '/billing/usage' },
    access: scope('billing:read'),
    errors: ['invalid_window', 'window_too_large'],
    args: {
      from: t.arg({
        type: 'DateTime',
        description: 'The start. The beginning of this month in the tenant’s zone if it is left out.',
      }),
      to: t.arg({ type: 'DateTime', description: 'The end, exclusive. Now if it is left out.' }),
      granularity: t.arg({
        type: Granularity,
        defaultValue: 'DAY',
        description: 'The length of the buckets.',
      }),
      group_by: t.arg({ type: UsageGroupBy, description: 'Divides each bucket into groups.' }),
      agent_id: t.arg({ type: 'Int', min: 1, description: 'Only this agent, by its `id`.' }),
      autonomy_type: t.arg({ type: AutonomyType, description: 'Only agents of this kind.' }),
    },
    resolve: async (_root, args, ctx) => {
      const granularity = args.granularity ?? 'DAY'
      const timezone = await readZone(ctx)
      const { window, kept_from } = askedWindow(ctx, args, timezone)
      const max_seconds = maxUsageSeconds(granularity)
      if (windowProblem(window, max_seconds) === 'window_too_large')
        throw new ApiError('window_too_large', { details: { ...window, max_seconds } })
      ctx.warnings.push(...retentionWarnings(window, kept_from))
      const windows = bucketsOf(window, granularity, timezone)
      const group_by = args.group_by ?? null
      const rows =
        windows.length === 0
          ? []
          : await readUsage(
              ctx,
              windows.map((bucket) => since(bucket, kept_from)),
              { agent_id: args.agent_id ?? null, autonomy_type: args.autonomy_type ?? null, group_by },
            )
      const buckets = usageByBucket(windows, rows, { grouped: group_by !== null })
      return {
        window: { ...window, timezone },
        granularity,
        total_credits: sumOfCredits(buckets.map(({ credits }) => credits)),
        buckets,
      }
    },
  }),
)
