/** What is asked of the service. Every goal names a figure that `findings.ts` makes. */
import type { Bound } from './figures.ts'

export interface Goal {
  /** What is measured, as the table says it. */
  of: string
  figure: string
  bound: Bound
  unit?: string
}

const least = (value: number): Bound => ({ side: 'at least', value })
const most = (value: number): Bound => ({ side: 'at most', value })

export const GOALS: readonly Goal[] = [
  { of: 'R1 over REST, requests/s', figure: 'R1 REST rate', bound: least(1.2) },
  { of: 'R1 over REST, CPU', figure: 'R1 REST cpu', bound: most(1.1) },
  { of: 'R1 over GraphQL, requests/s', figure: 'R1 GraphQL rate', bound: least(0.65) },
  { of: 'R2 over REST, requests/s', figure: 'R2 REST rate', bound: least(0.9) },
  { of: 'R2 over REST, CPU', figure: 'R2 REST cpu', bound: most(1.2) },
  { of: 'R2 over GraphQL, requests/s', figure: 'R2 GraphQL rate', bound: least(0.25) },
  { of: 'R3 over REST, requests/s', figure: 'R3 REST rate', bound: least(1.8) },
  { of: 'R3 over GraphQL, requests/s', figure: 'R3 GraphQL rate', bound: least(1.5) },
  { of: 'R4 over GraphQL, requests/s', figure: 'R4 GraphQL rate', bound: least(0.7) },
  { of: 'R1 over REST, times PostGraphile', figure: 'R1 REST by PostGraphile', bound: least(2.5) },
  { of: 'R2 over REST, times PostGraphile', figure: 'R2 REST by PostGraphile', bound: least(3.5) },
  { of: 'R1 over GraphQL, times PostGraphile', figure: 'R1 GraphQL by PostGraphile', bound: least(1.3) },
  { of: 'R2 over GraphQL, times PostGraphile', figure: 'R2 GraphQL by PostGraphile', bound: least(1.3) },
  { of: 'R4 over GraphQL, times PostGraphile', figure: 'R4 GraphQL by PostGraphile', bound: least(1.5) },
  { of: 'growth of R1, first page', figure: 'growth R1, first page', bound: most(0.1) },
  { of: 'growth of R1, page in the middle', figure: 'growth R1, page in the middle', bound: most(0.1) },
  { of: 'growth of R1, page at 95 %', figure: 'growth R1, page at 95 %', bound: most(0.1) },
  { of: 'growth of R1, rare search', figure: 'growth R1, rare search', bound: most(0.75) },
  { of: 'growth of R2', figure: 'growth R2', bound: most(0.1) },
  { of: 'growth of R3', figure: 'growth R3', bound: most(0.8) },
  { of: 'growth of R4', figure: 'growth R4', bound: most(0.1) },
  { of: 'cold start on PostgreSQL, times the bare process', figure: 'cold start PostgreSQL', bound: most(3) },
  {
    of: 'cold start on an embedded directory, times the bare process',
    figure: 'cold start embedded',
    bound: most(6),
  },
  { of: 'memory at the first answer, on PostgreSQL', figure: 'memory', bound: most(150), unit: 'MB' },
  { of: '1,000 connections over REST, socket errors', figure: 'sockets REST', bound: most(0) },
  { of: '1,000 connections over REST, answers of 5xx', figure: 'failures REST', bound: most(0) },
  { of: '1,000 connections over GraphQL, socket errors', figure: 'sockets GraphQL', bound: most(0) },
  {
    of: '1,000 connections over GraphQL, answers of 5xx or with errors',
    figure: 'failures GraphQL',
    bound: most(0),
  },
]
