import { scope } from '../../access/policies/policies.ts'
import { visibleAgents } from '../../access/policies/visibility.ts'
import { callerOf } from '../../access/viewer.ts'
import { ascending, descending } from '../../db/query/keyset.ts'
import { projectionOf } from '../../db/query/projection.ts'
import { builder } from '../../schema/builder.ts'
import { defineList } from '../../schema/lists/list.ts'
import { pageOf } from '../../schema/lists/page.ts'
import { entityId } from '../../schema/scalars/entity-id.ts'
import { wantedFields } from '../../schema/selection.ts'
import { AutonomyType, agentsWith, LAST_RUN_AT } from '../agents/index.ts'
import { readZone } from '../settings/index.ts'
import { area } from './area.ts'
import { figureFields } from './figures.ts'
import { BOUNDS, boundsOf, COLUMNS, partsOf, SUMS } from './queries.ts'
import { type Figures, retentionWarnings } from './rules.ts'
import { askedWindow, windowArgs } from './window.ts'

interface AgentFigures extends Figures {
  /** The agent and the window. */
  figures_of: string
  agent_id: number
  agent_name: string
  autonomy_type: AutonomyType
  unique_tickets: number
  last_run_at: Date | null
}

const AgentPerformance = builder.objectRef<AgentFigures>('AgentPerformance').implement({
  description: 'The figures of one agent in a window.',
  fields: (t) => ({
    id: t.id(entityId(({ figures_of }) => figures_of)),
    agent_id: t.exposeInt('agent_id', { description: 'The `id` of the agent.' }),
    agent_name: t.exposeString('agent_name', { description: 'The agent’s name.' }),
    autonomy_type: t.expose('autonomy_type', { type: AutonomyType, description: 'The kind of the agent.' }),
    ...figureFields(t),
    unique_tickets: t.expose('unique_tickets', {
      type: 'NonNegativeInt',
      description: 'Tickets that the executions were for, each once; time entries are none.',
    }),
    last_run_at: t.expose('last_run_at', {
      type: 'DateTime',
      nullable: true,
      description:
        'The start of the agent’s latest execution, or its latest chat, at whatever time. null: none.',
    }),
  }),
})

// A ticket has one execution by the agent in the window that none by the same agent precedes there.
const UNIQUE_TICKETS = `a.ticket_executions - (
    select count(*) from ticket_repeat r where r.tenant_id = a.tenant_id and r.environment = a.environment
      and r.agent_id = a.id and r.agent_previous_at >= $from::timestamptz
      and r.agent_previous_at < $to::timestamptz and r.created_at < $to::timestamptz)`

const sumsOfAgent = COLUMNS.map((column) => `coalesce(sums.${column}, 0) as ${column}`).join(', ')

const by = (column: keyof Figures, description: string) => ({
  description,
  keys: [descending(column, 'numeric'), ascending('id', 'int')],
})

// Contract silent: every agent that the caller sees has a row, even if it did nothing in the window.
const AGENTS_BY_FIGURES = defineList<AgentFigures>()({
  name: 'performance_by_agent',
  from: `(select a.tenant_id, a.environment, a.id, a.name, a.sort_name, a.autonomy_type, a.created_by_user_id, ${sumsOfAgent}
    from (${agentsWith('a.*')}) a left join (
      select agent_id, ${SUMS} from (${partsOf(BOUNDS, { by_agent: true })}) parts group by agent_id
    ) sums on sums.agent_id = a.id) a`,
  columns: projectionOf(
    {
      id: 'a.id',
      sort_name: 'a.sort_name',
      agent_id: 'a.id',
      agent_name: 'a.name',
      autonomy_type: 'a.autonomy_type::text',
      ...Object.fromEntries(COLUMNS.map((column) => [column, `a.${column}`])),
      figures_of: `concat_ws('/', a.id, extract(epoch from $from::timestamptz), extract(epoch from $to::timestamptz))`,
      unique_tickets: UNIQUE_TICKETS,
      last_run_at: LAST_RUN_AT,
    },
    ['figures_of'],
  ),
  visible: (ctx) => visibleAgents(callerOf(ctx)),
  // Contract silent: the agents that did most come first.
  order: {
    type: 'AgentPerformanceSort',
    by: {
      total_executions: by('total_executions', 'The agents with most executions first, then by `agent_id`.'),
      total_hours_saved: by(
        'total_hours_saved',
        'The agents that saved most hours first, then by `agent_id`.',
      ),
      credits_consumed: by(
        'credits_consumed',
        'The agents that consumed most credits first, then by `agent_id`.',
      ),
      name: {
        description: 'By name in any letter case, then by `agent_id`.',
        keys: [ascending('sort_name', 'text'), ascending('id', 'int')],
      },
    },
  },
  filters: {
    autonomy_type: {
      type: AutonomyType,
      description: 'Only agents of this kind. Those that are CONVERSATIONAL have credits alone.',
      where: 'a.autonomy_type = ?::text::autonomy_type',
    },
  },
})

const { from, to } = windowArgs

area.query('performance_by_agent', (t) =>
  t.field({
    type: pageOf(AgentPerformance),
    description:
      'Lists the agents that the caller sees, archived ones too, with what each did in a window. The figures of all ' +
      'agents add up to those of the summary of the window. Without `to` the window ends now, on every page anew.',
    rest: { method: 'GET', path: '/performance/agents' },
    access: scope('performance:read'),
    errors: ['invalid_window'],
    args: { from, to, ...AGENTS_BY_FIGURES.args },
    resolve: async (_root, args, ctx, info) => {
      const zone = args.from ? 'UTC' : await readZone(ctx)
      const { window, kept, kept_from } = askedWindow(ctx, args, zone)
      ctx.warnings.push(...retentionWarnings(window, kept_from))
      return await AGENTS_BY_FIGURES.page(ctx, args, wantedFields(info, 'items'), {
        parameters: boundsOf(kept),
      })
    },
  }),
)
