import { scope } from '../../../access/policies/policies.ts'
import { psaOf } from '../../../connectors/psa.ts'
import { bodyProblem, invalid } from '../../../errors/errors.ts'
import type { Context } from '../../../gateway/context.ts'
import { builder } from '../../../schema/builder.ts'
import { area } from '../area.ts'
import { CANDIDATES } from '../decision.ts'
import { DISPATCH_SETTINGS, DispatchStrategy } from '../settings/dispatch-settings.ts'
import type { Choice } from './choose.ts'
import { countTickets } from './counts.ts'
import { chooseFor, gather } from './facts.ts'

interface Preview extends Choice {
  ticket_id: string
  ticket_number: string | null
  rule_id: number | null
  strategy: 'BEST_FIT' | 'ROUND_ROBIN'
}

const DispatchPreview = builder.objectRef<Preview>('DispatchPreview').implement({
  description: 'The decision that dispatch would make for a ticket now.',
  fields: (t) => ({
    ticket_id: t.exposeID('ticket_id', { description: 'The id of the ticket in the PSA.' }),
    ticket_number: t.exposeString('ticket_number', {
      nullable: true,
      description: 'The number that people know the ticket by. null: the PSA has none.',
    }),
    rule_id: t.exposeInt('rule_id', {
      nullable: true,
      description: 'The rule that gives the pool. null: none does, and all technicians are candidates.',
    }),
    strategy: t.expose('strategy', { type: DispatchStrategy, description: 'The strategy of the settings.' }),
    candidates: t.field({ ...CANDIDATES, resolve: ({ candidates }) => candidates }),
    chosen_technician_id: t.exposeInt('chosen_technician_id', {
      nullable: true,
      description: 'The technician who would be chosen, by the `id`. null: nobody fits.',
    }),
    explanation: t.exposeString('explanation', { description: 'The reason for it, in words.' }),
  }),
})

const DispatchPreviewRequest = builder.inputType('DispatchPreviewRequest', {
  description: 'The ticket to preview.',
  fields: (t) => ({
    ticket_id: t.id({
      required: true,
      min_length: 1,
      max_length: 200,
      description: 'The id of the ticket in the PSA.',
    }),
  }),
})

// Contract silent: a ticket that is closed or has a technician is previewed as if it had none.
async function previewOf(ctx: Context, ticket_id: string): Promise<Preview> {
  const psa = psaOf(ctx)
  const ticket = await psa.ticket(ticket_id)
  if (!ticket) throw invalid([bodyProblem('ticket_id', 'unknown', 'is not in the PSA')])
  const gathered = await gather(ctx, psa, ticket, (psa_ids) => countTickets(psa, psa_ids, ctx.now))
  const settings = await DISPATCH_SETTINGS.read(ctx)
  const choice = await chooseFor(ctx, gathered, settings)
  const { number: ticket_number } = ticket
  return {
    ticket_id,
    ticket_number,
    rule_id: gathered.rule?.id ?? null,
    strategy: settings.strategy,
    ...choice,
  }
}

area.mutation('preview_dispatch', (t) =>
  t.field({
    type: DispatchPreview,
    description:
      'Shows the decision that dispatch would make for a ticket now, also while it is turned off. Nothing is written, and nobody ' +
      'is told.',
    rest: { method: 'POST', path: '/dispatch/preview' },
    access: scope('dispatch:read'),
    errors: ['upstream_unavailable'],
    activity: false,
    args: { input: t.arg({ type: DispatchPreviewRequest, required: true }) },
    resolve: (_root, { input }, ctx) => previewOf(ctx, input.ticket_id),
  }),
)
