import type { ObjectFieldBuilder } from '@pothos/core'
import { scope } from '../../access/policies/policies.ts'
import type { Context } from '../../gateway/context.ts'
import { bucketsOf } from '../../lib/buckets.ts'
import { localDate } from '../../lib/timezone.ts'
import type { Window } from '../../lib/window.ts'
import { builder, described, type SchemaTypes } from '../../schema/builder.ts'
import { askedWindow, KEPT_WINDOW_ERRORS, keptWindowArgs } from '../../schema/scalars/kept-window.ts'
import { type ZonedWindow, zonedWindow } from '../../schema/scalars/zoned-window.ts'
import { readZone } from '../settings/index.ts'
import { area } from './area.ts'
import { type Counted, countFeedback, MAX_GROUPS } from './summary-queries.ts'
import {
  type Counts,
  csatOf,
  type GroupBy,
  LABELS_WITHOUT,
  NOTHING,
  responseRateOf,
  responsesOf,
} from './summary-rules.ts'

/** A window of 400 days, with the parts of days at its ends. */
const MAX_DAYS = 402

const FeedbackGroupBy = builder.enumType('FeedbackGroupBy', {
  description: 'The property by which feedback is counted.',
  values: described<GroupBy>({
    AGENT: 'The agent.',
    COMPANY: 'The end company.',
    DAY: 'The day in the time zone of the tenant.',
  }),
})

const FeedbackWindow = zonedWindow('FeedbackWindow', 'that was counted', 'days')

interface Group extends Counts {
  key: string
  label: string
}

/** The fields of the figures, for a type whose rows have them. */
const figureFields = (t: ObjectFieldBuilder<SchemaTypes, Counts>) => ({
  positive: t.expose('positive', {
    type: 'NonNegativeInt',
    description: 'Links by which POSITIVE was given.',
  }),
  neutral: t.expose('neutral', { type: 'NonNegativeInt', description: 'Links by which NEUTRAL was given.' }),
  negative: t.expose('negative', {
    type: 'NonNegativeInt',
    description: 'Links by which NEGATIVE was given.',
  }),
  response_count: t.field({
    type: 'NonNegativeInt',
    description: 'Links that were answered, those that were revoked later among them.',
    resolve: responsesOf,
  }),
  sent_count: t.expose('sent_count', {
    type: 'NonNegativeInt',
    description: 'Links that were made in the window, in whatever status they are now.',
  }),
  response_rate_pct: t.field({
    type: 'NonNegativeFloat',
    description: 'The percentage of links that were answered, to two decimals. 0 without links.',
    resolve: responseRateOf,
  }),
  csat_pct: t.field({
    type: 'NonNegativeFloat',
    description: 'The percentage of answers that are POSITIVE, to two decimals. 0 without answers.',
    resolve: csatOf,
  }),
})

const FeedbackGroup = builder.objectRef<Group>('FeedbackGroup').implement({
  description: 'The feedback that has one property in common.',
  fields: (t) => ({
    key: t.exposeString('key', {
      description:
        'The id of the agent or of the end company, or the date. Empty: links without an agent or a company.',
    }),
    label: t.exposeString('label', { description: 'The name that people know it by.' }),
    ...figureFields(t),
  }),
})

interface Summary extends Counts {
  window: ZonedWindow
  group_by: GroupBy | null
  groups: Group[]
}

const FeedbackSummary = builder.objectRef<Summary>('FeedbackSummary').implement({
  description:
    'The links of a window with the ratings that end users gave by them, as far as the caller sees them.',
  fields: (t) => ({
    window: t.expose('window', { type: FeedbackWindow, description: 'The window that was counted.' }),
    group_by: t.expose('group_by', {
      type: FeedbackGroupBy,
      nullable: true,
      description: 'The property of the groups. null: groups were not asked for.',
    }),
    ...figureFields(t),
    groups: t.field({
      type: [FeedbackGroup],
      max_items: MAX_DAYS,
      description:
        'The groups; none without `group_by`. By DAY every day of the window, the earliest first; otherwise those that ' +
        `have links, the largest \`sent_count\` first, then by key, at most ${MAX_GROUPS}.`,
      resolve: ({ groups }) => groups,
    }),
  }),
})

const daysOf = (days: readonly Window[], zone: string, counted: readonly Counted[]): Group[] => {
  const by_number = new Map(counted.map((group) => [group.key, group]))
  return days.map(({ from }, index) => {
    const date = localDate(from, zone)
    return { ...(by_number.get(String(index + 1)) ?? NOTHING), key: date, label: date }
  })
}

function largestOf(ctx: Context, group_by: Exclude<GroupBy, 'DAY'>, counted: readonly Counted[]): Group[] {
  if (counted.length > MAX_GROUPS)
    ctx.warnings.push(`groups_left_out: only the largest ${MAX_GROUPS} are shown`)
  return counted.slice(0, MAX_GROUPS).map((group) => {
    const { label } = group
    const key = group.key ?? ''
    return { ...group, key, label: key === '' ? LABELS_WITHOUT[group_by] : (label ?? key) }
  })
}

async function summaryOf(
  ctx: Context,
  window: Window,
  agent_id: number | null,
  group_by: GroupBy | null,
): Promise<Summary> {
  const timezone = await readZone(ctx)
  const days = group_by === 'DAY' ? bucketsOf(window, 'DAY', timezone) : []
  const starts = days.map(({ from }) => from)
  const [whole = NOTHING, ...counted] = await countFeedback(ctx, { window, agent_id, group_by, starts })
  const groupsOf = () => {
    if (group_by === null) return []
    return group_by === 'DAY' ? daysOf(days, timezone, counted) : largestOf(ctx, group_by, counted)
  }
  return { ...whole, window: { ...window, timezone }, group_by, groups: groupsOf() }
}

// Contract silent: all figures are of the links that were made in the window, whenever they were answered.
// Contract silent: a link without an answer counts as sent when it was revoked, or its time is over.
area.query('feedback_summary', (t) =>
  t.field({
    type: FeedbackSummary,
    description:
      'Counts the links of the last 30 days, or of another window, and the ratings given by them. Feedback about an ' +
      'agent is counted for callers who see the agent, and about no agent for everybody.',
    rest: { method: 'GET', path: '/feedback/summary' },
    access: scope('feedback:read'),
    errors: [...KEPT_WINDOW_ERRORS],
    args: {
      ...keptWindowArgs('links made'),
      agent_id: t.arg.int({ min: 1, description: 'Only feedback about this agent, by its `id`.' }),
      group_by: t.arg({
        type: FeedbackGroupBy,
        description: 'Divides the figures into groups. Without it there are none.',
      }),
    },
    resolve: (_root, { from, to, agent_id, group_by }, ctx) =>
      summaryOf(ctx, askedWindow(ctx, { from, to }), agent_id ?? null, group_by ?? null),
  }),
)
