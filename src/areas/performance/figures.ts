/** The GraphQL fields of the figures that a summary, a bucket of time and an agent have. */
import type { ObjectFieldBuilder } from '@pothos/core'
import type { SchemaTypes } from '../../schema/builder.ts'
import type { Figures } from './rules.ts'

const FIGURES = {
  total_executions: {
    type: 'NonNegativeInt',
    description: 'Executions created in the window, in whatever state they are now.',
  },
  successful_executions: { type: 'NonNegativeInt', description: 'Those that are COMPLETED.' },
  failed_executions: { type: 'NonNegativeInt', description: 'Those that are FAILED or TIMED_OUT.' },
  fully_resolved_executions: { type: 'NonNegativeInt', description: 'Those whose resolution is FULL.' },
  partially_resolved_executions: {
    type: 'NonNegativeInt',
    description: 'Those whose resolution is PARTIAL.',
  },
  total_hours_saved: {
    type: 'NonNegativeFloat',
    description: 'Hours of work that the COMPLETED ones saved.',
  },
  total_seconds_spent: { type: 'NonNegativeFloat', description: 'Seconds that the executions took.' },
  credits_consumed: { type: 'NonNegativeFloat', description: 'Credits, those of chats among them.' },
} as const satisfies Record<keyof Figures, { type: string; description: string }>

/** The fields of the figures, for a type whose rows have them. */
export const figureFields = (t: ObjectFieldBuilder<SchemaTypes, Figures>) => ({
  total_executions: t.expose('total_executions', FIGURES.total_executions),
  successful_executions: t.expose('successful_executions', FIGURES.successful_executions),
  failed_executions: t.expose('failed_executions', FIGURES.failed_executions),
  fully_resolved_executions: t.expose('fully_resolved_executions', FIGURES.fully_resolved_executions),
  partially_resolved_executions: t.expose(
    'partially_resolved_executions',
    FIGURES.partially_resolved_executions,
  ),
  total_hours_saved: t.expose('total_hours_saved', FIGURES.total_hours_saved),
  total_seconds_spent: t.expose('total_seconds_spent', FIGURES.total_seconds_spent),
  credits_consumed: t.expose('credits_consumed', FIGURES.credits_consumed),
})
