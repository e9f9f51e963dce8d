import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { choose, type PoolMember, type Question } from '../../src/areas/dispatch/deciding/choose.ts'
import { candidateOf, type TechnicianFacts, type Terms } from '../../src/areas/dispatch/deciding/score.ts'
import { MOST_CANDIDATES } from '../../src/areas/dispatch/decision.ts'

const NOW = new Date('2026-11-24T10:00:00Z')
const hoursLater = (hours: number): Date => new Date(NOW.getTime() + hours * 3_600_000)

const PRIYA: TechnicianFacts = {
  technician_id: 1,
  name: 'Priya',
  skills: ['Exchange', 'Azure'],
  is_ready: true,
  available_now: true,
  next_available_at: null,
  open_tickets: 0,
  knows_company: false,
}

const TERMS: Terms = {
  required_skills: [],
  only_ready_technicians: true,
  respect_schedules: true,
  max_open_tickets_per_technician: null,
}

const QUESTION: Question = { ...TERMS, strategy: 'BEST_FIT', fallback: null, rule_name: null }

const member = (technician_id: number, facts: Partial<PoolMember> = {}): PoolMember => ({
  ...PRIYA,
  technician_id,
  name: `Technician ${technician_id}`,
  turn: null,
  ...facts,
})

const away = { available_now: false, next_available_at: hoursLater(12) }

describe('the score of a technician', () => {
  it.each<[string, Partial<TechnicianFacts>, Partial<Terms>, number, string[]]>([
    ['is high without tickets', {}, {}, 0.9, ['No open tickets.', 'At work now.']],
    [
      'is 1 for a technician who knows the company too',
      { knows_company: true },
      {},
      1,
      ['No open tickets.', 'At work now.', 'Had tickets of the company in the last 90 days.'],
    ],
    ['falls with open tickets', { open_tickets: 10 }, {}, 0.75, ['10 open tickets.', 'At work now.']],
    ['names one ticket', { open_tickets: 1 }, {}, 0.8727, ['1 open ticket.', 'At work now.']],
    [
      'has the skills, in any letter case and without the white space around them',
      { skills: [' EXCHANGE '] },
      { required_skills: ['exchange'] },
      0.9,
      ['Has the required skills: exchange.', 'No open tickets.', 'At work now.'],
    ],
    [
      'is 0 without one of the skills',
      {},
      { required_skills: ['azure', 'VMware', 'SQL'] },
      0,
      ['Lacks required skills: VMware, SQL.'],
    ],
    [
      'is 0 for a technician who is not ready',
      { is_ready: false },
      {},
      0,
      [expect.stringContaining('Not ready')],
    ],
    [
      'does not ask for readiness if the settings do not',
      { is_ready: false },
      { only_ready_technicians: false },
      0.9,
      ['No open tickets.', 'At work now.'],
    ],
    ['is 0 for a technician who is not at work', away, {}, 0, ['Not at work now.']],
    [
      'is lower for a technician who is at work later, if schedules are not respected',
      away,
      { respect_schedules: false },
      0.75,
      ['No open tickets.', 'Next at work at 2026-11-24T22:00:00.000Z.'],
    ],
    [
      'has no part of availability for a technician who never is at work',
      { available_now: false },
      { respect_schedules: false },
      0.7,
      ['No open tickets.', 'Never at work.'],
    ],
    [
      'is above 0 below the limit of open tickets',
      { open_tickets: 4 },
      { max_open_tickets_per_technician: 5 },
      0.8143,
      ['4 open tickets.', 'At work now.'],
    ],
    [
      'is 0 at the limit of open tickets',
      { open_tickets: 5 },
      { max_open_tickets_per_technician: 5 },
      0,
      ['At the limit of 5 open tickets.'],
    ],
    [
      'names every reason for which a technician is left out',
      { ...away, is_ready: false, open_tickets: 7 },
      { required_skills: ['SQL'], max_open_tickets_per_technician: 5 },
      0,
      [
        'Lacks required skills: SQL.',
        'Not ready: agents may not work with the technician.',
        'Not at work now.',
        'At the limit of 5 open tickets.',
      ],
    ],
  ])('%s', (_name, facts, terms, score, reasons) => {
    const candidate = candidateOf({ ...PRIYA, ...facts }, { ...TERMS, ...terms }, NOW)
    expect(candidate.score).toBe(score)
    expect(candidate.reasons).toEqual(reasons)
  })

  it('shows the parts of a technician who is left out too', () => {
    const facts = { ...PRIYA, ...away, open_tickets: 10 }
    const { parts } = candidateOf(facts, { ...TERMS, required_skills: ['azure', 'SQL'] }, NOW)
    expect(parts).toEqual({ skills: 0.5, load: 0.5, availability: 0.25, familiarity: 0 })
  })
})

describe('the choice', () => {
  const chosen = (pool: PoolMember[], question: Partial<Question> = {}) =>
    choose(pool, { ...QUESTION, ...question }, NOW)

  it.each<[string, PoolMember[], Partial<Question>, number | null]>([
    ['takes the best', [member(1, { open_tickets: 3 }), member(2)], {}, 2],
    ['takes the lower id of equals', [member(2), member(1)], {}, 1],
    [
      'takes the fewer open tickets of equal scores',
      [member(1, { open_tickets: 4001 }), member(2, { open_tickets: 4000 })],
      {},
      2,
    ],
    ['takes nobody from an empty pool', [], {}, null],
    ['takes nobody who does not fit', [member(1, { is_ready: false })], {}, null],
    [
      'takes the fallback if nobody fits',
      [member(1, { is_ready: false })],
      { fallback: { technician_id: 9, name: 'Lee' } },
      9,
    ],
    [
      'takes the one who fits before the fallback',
      [member(1)],
      { fallback: { technician_id: 9, name: 'Lee' } },
      1,
    ],
    [
      'takes in turn whoever was chosen longest ago',
      [member(1, { turn: 5n }), member(2, { turn: 3n, open_tickets: 8 }), member(3, { turn: 4n })],
      { strategy: 'ROUND_ROBIN' },
      2,
    ],
    [
      'takes in turn who never was chosen first, the best of them',
      [member(1, { turn: 1n }), member(2, { open_tickets: 2 }), member(3, { open_tickets: 1 })],
      { strategy: 'ROUND_ROBIN' },
      3,
    ],
    [
      'leaves out in turn who does not fit',
      [member(1, { is_ready: false }), member(2, { turn: 7n })],
      { strategy: 'ROUND_ROBIN' },
      2,
    ],
  ])('%s', (_name, pool, question, id) => {
    expect(chosen(pool, question).chosen_technician_id).toBe(id)
  })

  it.each<[string, PoolMember[], Partial<Question>, string]>([
    [
      'the best among all',
      [member(1)],
      {},
      'Technician 1 fits best among all technicians: score 0.9. No open tickets. At work now.',
    ],
    [
      'the next in turn of a pool',
      [member(1)],
      { strategy: 'ROUND_ROBIN', rule_name: 'Servers' },
      'Technician 1 was chosen longest ago of those who fit by the rule “Servers”: score 0.9. No open tickets. At work now.',
    ],
    ['an empty pool', [], {}, 'There is no technician among all technicians.'],
    [
      'the fallback',
      [member(1, { is_ready: false })],
      { fallback: { technician_id: 9, name: 'Lee' }, rule_name: 'Servers' },
      'Nobody of 1 fits by the rule “Servers”. Lee is the fallback.',
    ],
  ])('explains %s', (_name, pool, question, explanation) => {
    expect(chosen(pool, question).explanation).toBe(explanation)
  })

  it('keeps the best of many candidates, and the chosen one in any case', () => {
    const many = Array.from({ length: MOST_CANDIDATES + 50 }, (_, index) =>
      member(index + 1, { open_tickets: index, turn: BigInt(1000 - index) }),
    )
    const { candidates, chosen_technician_id } = chosen(many, { strategy: 'ROUND_ROBIN' })
    expect(candidates).toHaveLength(MOST_CANDIDATES)
    expect(chosen_technician_id).toBe(MOST_CANDIDATES + 50)
    expect(candidates.at(-1)?.technician_id).toBe(MOST_CANDIDATES + 50)
    expect(candidates[0]?.technician_id).toBe(1)
  })
})

const someone = fc.record({
  skills: fc.subarray(['exchange', 'AZURE', 'sql', 'vmware']),
  is_ready: fc.boolean(),
  available_now: fc.boolean(),
  next_available_at: fc.option(fc.integer({ min: 0, max: 100 }).map(hoursLater)),
  open_tickets: fc.nat(600),
  knows_company: fc.boolean(),
  turn: fc.option(fc.bigInt({ min: 1n, max: 50n })),
})
const pools = fc
  .array(someone, { maxLength: 30 })
  .map((all) => all.map((facts, index) => member(index + 1, facts)))
const questions = fc.record({
  required_skills: fc.subarray(['Exchange', 'azure', 'SQL', 'VMware']),
  only_ready_technicians: fc.boolean(),
  respect_schedules: fc.boolean(),
  max_open_tickets_per_technician: fc.option(fc.integer({ min: 1, max: 500 })),
  strategy: fc.constantFrom<Question['strategy']>('BEST_FIT', 'ROUND_ROBIN'),
  fallback: fc.constant(null),
  rule_name: fc.constant(null),
})

describe('any choice', () => {
  it('has scores and parts from 0 to 1, and a score above 0 for exactly those who fit', () => {
    fc.assert(
      fc.property(pools, questions, (pool, question) => {
        for (const { score, parts } of choose(pool, question, NOW).candidates)
          for (const value of [score, ...Object.values(parts)]) {
            expect(value).toBeGreaterThanOrEqual(0)
            expect(value).toBeLessThanOrEqual(1)
          }
        const fits = (one: PoolMember) =>
          (!question.only_ready_technicians || one.is_ready) &&
          (!question.respect_schedules || one.available_now) &&
          one.open_tickets < (question.max_open_tickets_per_technician ?? Number.POSITIVE_INFINITY) &&
          question.required_skills.every((skill) =>
            one.skills.some((known) => known.toLowerCase() === skill.toLowerCase()),
          )
        const { candidates, chosen_technician_id } = choose(pool, question, NOW)
        const positive = candidates.filter(({ score }) => score > 0).map(({ technician_id }) => technician_id)
        const fitting = pool.filter(fits).map(({ technician_id }) => technician_id)
        expect(positive.toSorted()).toEqual(fitting.toSorted())
        expect(chosen_technician_id !== null).toBe(fitting.length > 0)
      }),
    )
  })

  it('ranks the others as before if a candidate is left out', () => {
    fc.assert(
      fc.property(pools, questions, fc.nat(30), (pool, question, out) => {
        const ids = (from: readonly PoolMember[]) =>
          choose(from, question, NOW).candidates.map(({ technician_id }) => technician_id)
        expect(ids(pool.filter(({ technician_id }) => technician_id !== out))).toEqual(
          ids(pool).filter((technician_id) => technician_id !== out),
        )
      }),
    )
  })

  it('is the same for the same facts in any order', () => {
    const shuffled = pools.chain((pool) =>
      fc.tuple(fc.constant(pool), fc.shuffledSubarray(pool, { minLength: pool.length })),
    )
    fc.assert(
      fc.property(shuffled, questions, ([pool, other], question) => {
        expect(choose(other, question, NOW)).toEqual(choose(pool, question, NOW))
      }),
    )
  })
})
