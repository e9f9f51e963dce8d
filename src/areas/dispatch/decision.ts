/** Decisions of dispatch, as they are stored and as callers see them. */
import { etagOf } from '../../gateway/entity-tags.ts'
import { builder } from '../../schema/builder.ts'
import type { Row } from '../../schema/models.ts'
import { madeOf, rowType } from '../../schema/row-type.ts'
import { AGENT_IF_SEEN } from '../agents/index.ts'
import { EXECUTION_IF_SEEN } from '../executions/index.ts'

/** The parts of a score, each 0 to 1. A type alias, since TypeScript takes no interface for JSON. */
export type Parts = {
  skills: number
  load: number
  availability: number
  familiarity: number
}

/** A technician who was considered, as the decision keeps it. */
export type Candidate = {
  technician_id: number
  name: string
  /** 0 to 1. 0: the technician is left out. */
  score: number
  parts: Parts
  available_now: boolean
  open_tickets: number
  reasons: readonly string[]
}

/** The write of the technician to the PSA, as it is stored from its beginning on. */
export type Assignment = {
  technician_id: number
  /** The id of the technician in the PSA. */
  psa_id: number
  /** The idempotency key of the write. */
  key: string
  /** When the write began; absent before that. */
  began_at?: string
  /** A person’s choice of another technician; absent: the suggested one is applied. */
  override?: { by_name: string; comment: string }
}

export interface DecisionRow extends Omit<Row<'DispatchDecision'>, 'candidates' | 'assignment'> {
  candidates: Candidate[]
  assignment: Assignment | null
}

/** The most candidates that a decision keeps, the best of them: a page of decisions has those of each. */
export const MOST_CANDIDATES = 50

/** The most reasons of a candidate. */
const MOST_REASONS = 10

const CandidateParts = builder.objectRef<Parts>('DispatchCandidateParts').implement({
  description: 'The parts of a score, each 0 to 1.',
  fields: (t) => ({
    skills: t.exposeFloat('skills', {
      description: 'The share of the required skills that the technician has; 1 if none is required.',
    }),
    load: t.exposeFloat('load', { description: 'The fewer open tickets, the higher; 1 without any.' }),
    availability: t.exposeFloat('availability', {
      description: '1 at work; the later the technician is at work next, the lower.',
    }),
    familiarity: t.exposeFloat('familiarity', {
      description: '1 if the technician had a ticket of the company in the last 90 days, otherwise 0.',
    }),
  }),
})

const DispatchCandidate = builder.objectRef<Candidate>('DispatchCandidate').implement({
  description: 'A technician who was considered for a ticket.',
  fields: (t) => ({
    technician_id: t.exposeInt('technician_id', { description: 'The `id` of the technician.' }),
    name: t.exposeString('name', { description: 'The name that the technician had then.' }),
    score: t.exposeFloat('score', { description: '0 to 1, made of `parts`. 0: the technician is left out.' }),
    parts: t.expose('parts', { type: CandidateParts, description: 'The parts of the score.' }),
    available_now: t.exposeBoolean('available_now', { description: 'True if the technician was at work.' }),
    open_tickets: t.exposeInt('open_tickets', {
      description:
        'The open tickets, those among them that were suggested or given and that the PSA does not show yet.',
    }),
    reasons: t.stringList({
      max_items: MOST_REASONS,
      description: 'The reasons for the score in words; of a technician who is left out, why.',
      resolve: ({ reasons }) => [...reasons],
    }),
  }),
})

/** The columns that the entity tag is made of beside the revision: the service changes them. */
export const TAGGED = ['status', 'chosen_technician_id'] as const

export const decisionEtag = ({ revision, status, chosen_technician_id }: DecisionRow): string =>
  etagOf(revision, [status, chosen_technician_id])

const from = madeOf<DecisionRow>()

/** The candidates of a decision, and of a preview. */
export const CANDIDATES = {
  type: [DispatchCandidate] as [typeof DispatchCandidate],
  max_items: MOST_CANDIDATES,
  description: `The technicians who were considered, by score, then by open tickets, then by id: at most ${MOST_CANDIDATES}.`,
}

export const DispatchDecision = rowType('DispatchDecision', {
  read_apart: true,
  fields: (t) => ({
    ...t.columns('id', 'ticket_id', 'ticket_number', 'status', 'rule_id', 'strategy'),
    candidates: t.field({ ...CANDIDATES, ...from(['candidates'], ({ candidates }) => candidates) }),
    ...t.columns('chosen_technician_id', 'explanation', 'agent_id', 'execution_id'),
    ...t.columns('overridden_by_name', 'comment', 'created_at', 'applied_at', 'updated_at', 'revision'),
    execution: t.field({
      ...EXECUTION_IF_SEEN,
      description: 'The execution. null: none handed the ticket over, or the caller does not see its agent.',
    }),
    agent: t.relation('agent', {
      ...AGENT_IF_SEEN,
      description: 'The agent. null: none handed the ticket over, or the caller does not see it.',
    }),
  }),
})
