import { scope } from '../../../access/policies/policies.ts'
import { ApiError } from '../../../errors/errors.ts'
import type { Context } from '../../../gateway/context.ts'
import { type Window, windowProblem } from '../../../lib/window.ts'
import { builder, described } from '../../../schema/builder.ts'
import { type ZonedWindow, zonedWindow } from '../../../schema/scalars/zoned-window.ts'
import { REGISTRY } from '../../integrations/index.ts'
import { area } from '../area.ts'
import { byDay, type Counts, countedWindow, type GroupBy, retentionWarnings } from '../rules.ts'
import { type Counted, countCalls, MAX_GROUPS } from './counts.ts'

/** A window of 400 days, with the parts of days at its ends. */
const MAX_DAYS = 402

const AuditLogGroupBy = builder.enumType('AuditLogGroupBy', {
  description: 'The property by which tool calls are counted.',
  values: described<GroupBy>({
    TOOL: 'The tool.',
    AGENT: 'The agent.',
    SYSTEM: 'The integration that the tool works on.',
    OUTCOME: 'The outcome.',
    DAY: 'The day in the time zone of the tenant.',
  }),
})

const AuditLogWindow = zonedWindow('AuditLogWindow', 'that was counted', 'days')

interface Group extends Counts {
  key: string | null
  label: string
}

const AuditLogGroup = builder.objectRef<Group>('AuditLogGroup').implement({
  description: 'The tool calls that have one property in common.',
  fields: (t) => ({
    key: t.exposeString('key', {
      nullable: true,
      description:
        'The name of the tool, the id of the agent, the integration, the outcome or the date. null: tools of the ' +
        'service itself, by SYSTEM.',
    }),
    label: t.exposeString('label', { description: 'The name that people know it by.' }),
    total: t.expose('total', { type: 'NonNegativeInt', description: 'All of the calls.' }),
    succeeded: t.expose('succeeded', { type: 'NonNegativeInt', description: 'Those that SUCCEEDED.' }),
    failed: t.expose('failed', { type: 'NonNegativeInt', description: 'Those that FAILED or TIMED_OUT.' }),
    denied: t.expose('denied', { type: 'NonNegativeInt', description: 'Those that were DENIED.' }),
  }),
})

interface Summary {
  window: ZonedWindow
  group_by: GroupBy
  groups: Group[]
}

const AuditLogSummary = builder.objectRef<Summary>('AuditLogSummary').implement({
  description: 'The tool calls of a window, of the agents that the caller sees, by one of their properties.',
  fields: (t) => ({
    window: t.expose('window', { type: AuditLogWindow, description: 'The window that was counted.' }),
    group_by: t.expose('group_by', { type: AuditLogGroupBy, description: 'The property.' }),
    groups: t.field({
      type: [AuditLogGroup],
      max_items: MAX_DAYS,
      description:
        'The groups. By DAY every day of the window, the earliest first; otherwise those that have calls, the ' +
        `largest first, at most ${MAX_GROUPS}.`,
      resolve: ({ groups }) => groups,
    }),
  }),
})

const OUTCOMES: Readonly<Record<string, string>> = {
  SUCCEEDED: 'Succeeded',
  FAILED: 'Failed',
  DENIED: 'Denied',
  PENDING_APPROVAL: 'Pending approval',
  SKIPPED: 'Skipped',
  TIMED_OUT: 'Timed out',
}

const SYSTEMS: ReadonlyMap<string, string> = new Map(REGISTRY.map(({ system, label }) => [system, label]))

const SERVICE = 'The service itself'

function labelOf(group_by: GroupBy, { key, label }: Counted<string | null>): string {
  if (key === null) return SERVICE
  if (group_by === 'SYSTEM') return SYSTEMS.get(key) ?? key
  return label ?? OUTCOMES[key] ?? key
}

async function summaryOf(ctx: Context, window: Window, group_by: GroupBy): Promise<Summary> {
  if (group_by === 'DAY') {
    const { timezone, groups } = await countCalls<Date>(ctx, window, group_by)
    const zone = timezone ?? 'UTC'
    const days = byDay(window, zone, groups).map((day) => ({ ...day, label: day.key }))
    return { window: { ...window, timezone: zone }, group_by, groups: days }
  }
  const { timezone, groups } = await countCalls<string | null>(ctx, window, group_by)
  if (groups.length > MAX_GROUPS)
    ctx.warnings.push(`groups_left_out: only the largest ${MAX_GROUPS} are shown`)
  const largest = groups.slice(0, MAX_GROUPS)
  return {
    window: { ...window, timezone: timezone ?? 'UTC' },
    group_by,
    groups: largest.map((group) => ({ ...group, label: labelOf(group_by, group) })),
  }
}

// Contract silent: days to come have no calls, but callers may ask for them, as for those of a whole month.
const MAX_SECONDS = 400 * 24 * 60 * 60

area.query('audit_log_summary', (t) =>
  t.field({
    type: AuditLogSummary,
    description:
      'Counts the tool calls of the last 30 days, or of a part of them, by tool, agent, integration, outcome or day. ' +
      'Only those of agents that the caller sees are counted.',
    rest: { method: 'GET', path: '/audit-log/summary' },
    access: scope('audit_log:read'),
    errors: ['invalid_window', 'window_too_large'],
    args: {
      from: t.arg({
        type: 'DateTime',
        description:
          'The start. 30 days ago if it is left out. An earlier one is moved forward to then, with a warning.',
      }),
      to: t.arg({
        type: 'DateTime',
        description: 'The end, exclusive, at most 400 days after the start. Now if it is left out.',
      }),
      group_by: t.arg({
        type: AuditLogGroupBy,
        defaultValue: 'TOOL',
        description: 'The property by which calls are counted.',
      }),
    },
    resolve: (_root, { from, to, group_by }, ctx) => {
      const end = to ?? ctx.now
      if (from && from >= end) throw new ApiError('invalid_window', { details: { from, to: end } })
      const window = countedWindow({ from, to }, ctx.now)
      if (windowProblem(window, MAX_SECONDS) === 'window_too_large')
        throw new ApiError('window_too_large', { details: { ...window, max_seconds: MAX_SECONDS } })
      ctx.warnings.push(...retentionWarnings('audit_log', { from, to }, ctx.now))
      return summaryOf(ctx, window, group_by ?? 'TOOL')
    },
  }),
)
