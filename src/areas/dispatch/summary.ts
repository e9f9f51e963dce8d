/** The summary of decisions: how often suggestions were right. */
import { scope } from '../../access/policies/policies.ts'
import type { Context } from '../../gateway/context.ts'
import type { Window } from '../../lib/window.ts'
import { builder } from '../../schema/builder.ts'
import { askedWindow, KEPT_WINDOW_ERRORS, keptWindowArgs } from '../../schema/scalars/kept-window.ts'
import { type ZonedWindow, zonedWindow } from '../../schema/scalars/zoned-window.ts'
import { readZone } from '../settings/index.ts'
import { area } from './area.ts'
import { type Counted, countDecisions, MAX_TECHNICIANS } from './summary-queries.ts'
import { acceptanceRateOf, type Counts, NOTHING } from './summary-rules.ts'

const DispatchWindow = zonedWindow('DispatchWindow', 'that was counted', 'days')

interface Suggested {
  technician_id: number
  name: string
  suggested: number
  applied: number
  overridden: number
}

const DispatchTechnician = builder.objectRef<Suggested>('DispatchTechnicianFigures').implement({
  description: 'The decisions of a window that suggested one technician.',
  fields: (t) => ({
    technician_id: t.exposeInt('technician_id', { description: 'The `id` of the technician.' }),
    name: t.exposeString('name', { description: 'The name of the technician, also of a deleted one.' }),
    suggested: t.expose('suggested', {
      type: 'NonNegativeInt',
      description: 'Decisions that suggested the technician.',
    }),
    applied: t.expose('applied', {
      type: 'NonNegativeInt',
      description: 'Those by which the technician got the ticket.',
    }),
    overridden: t.expose('overridden', {
      type: 'NonNegativeInt',
      description: 'Those after which a person gave the ticket to another technician.',
    }),
  }),
})

interface Summary extends Counts {
  window: ZonedWindow
  by_technician: Suggested[]
}

const DispatchSummary = builder.objectRef<Summary>('DispatchSummary').implement({
  description: 'The decisions of a window, as far as the caller sees them.',
  fields: (t) => ({
    window: t.expose('window', { type: DispatchWindow, description: 'The window that was counted.' }),
    decisions: t.expose('decisions', {
      type: 'NonNegativeInt',
      description: 'Decisions that were made in the window, in whatever status they are now.',
    }),
    applied: t.expose('applied', {
      type: 'NonNegativeInt',
      description: 'Decisions by which the suggested technician got the ticket, those of AUTO among them.',
    }),
    overridden: t.expose('overridden', {
      type: 'NonNegativeInt',
      description: 'Decisions after which a person gave the ticket to another technician.',
    }),
    expired: t.expose('expired', {
      type: 'NonNegativeInt',
      description: 'Decisions whose time was over, or whose ticket somebody was given meanwhile.',
    }),
    none_fits: t.expose('none_fits', {
      type: 'NonNegativeInt',
      description: 'Decisions that no technician fits, and after which nobody was chosen yet.',
    }),
    acceptance_rate_pct: t.field({
      type: 'NonNegativeFloat',
      description:
        'The percentage of suggestions that were applied, of those that a person applied or overrode, to two decimals. Those of ' +
        'AUTO are aside. 0 without any.',
      resolve: acceptanceRateOf,
    }),
    by_technician: t.field({
      type: [DispatchTechnician],
      max_items: MAX_TECHNICIANS,
      description: `The technicians who were suggested, the most suggested first, then by id, at most ${MAX_TECHNICIANS}.`,
      resolve: ({ by_technician }) => by_technician,
    }),
  }),
})

function technicians(ctx: Context, counted: readonly Counted[]): Suggested[] {
  if (counted.length > MAX_TECHNICIANS)
    ctx.warnings.push(`technicians_left_out: only the ${MAX_TECHNICIANS} who were suggested most are shown`)
  return counted
    .slice(0, MAX_TECHNICIANS)
    .flatMap(({ technician_id, name, decisions: suggested, applied, overridden }) =>
      technician_id === null
        ? []
        : [{ technician_id, name: name ?? String(technician_id), suggested, applied, overridden }],
    )
}

async function summaryOf(ctx: Context, window: Window): Promise<Summary> {
  const timezone = await readZone(ctx)
  const [whole = NOTHING, ...counted] = await countDecisions(ctx, window)
  return { ...whole, window: { ...window, timezone }, by_technician: technicians(ctx, counted) }
}

area.query('dispatch_summary', (t) =>
  t.field({
    type: DispatchSummary,
    description:
      'Counts the decisions of the last 30 days, or of another window, and how often suggestions were right. A decision of an ' +
      'agent is counted for callers who see the agent, and any other for everybody.',
    rest: { method: 'GET', path: '/dispatch/summary' },
    access: scope('dispatch:read'),
    errors: [...KEPT_WINDOW_ERRORS],
    args: keptWindowArgs('decisions made'),
    resolve: async (_root, asked, ctx) => await summaryOf(ctx, askedWindow(ctx, asked)),
  }),
)
