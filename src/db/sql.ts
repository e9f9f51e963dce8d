/** Named SQL statements, on the connections that Prisma's adapter is given too. */
import { createHash } from 'node:crypto'
import type { ReadBudget } from './read-budget.ts'

export interface Sql {
  /**
   * The rows of one statement. PostgreSQL prepares it once per connection, under its name. With a budget, rows beyond it
   * are an error, and are not kept.
   */
  rows<Row>(statement: Statement, values: readonly unknown[], budget?: ReadBudget | null): Promise<Row[]>
}

export interface Statement {
  name: string
  text: string
  /** Spans the environments of its tenant: it takes no environment. */
  tenant_wide?: true
  /** Selectivity depends on the values: it is planned for them each time (custom plan), and not prepared. */
  custom_plan?: true
}

/** PostgreSQL truncates longer names, so that statements whose names begin alike would be one. */
const NAME_BYTES = 63
const HASH_CHARACTERS = 16

function shortName(name: string): string {
  if (Buffer.byteLength(name) <= NAME_BYTES) return name
  const hash = createHash('sha256').update(name).digest('base64url').slice(0, HASH_CHARACTERS)
  return `${name.slice(0, NAME_BYTES - HASH_CHARACTERS - 1)} ${hash}`
}

/** The maximum number of known statements: callers can compose any number of them. */
const MAX_KNOWN = 2000

const texts = new Map<string, string>()

/** The texts of the statements so far, by name. */
export const knownStatements = (): ReadonlyMap<string, string> => texts

/** A statement with its name, which is unique in the service. */
export function statement(name: string, text: string): Statement {
  const short = shortName(name)
  if (texts.size < MAX_KNOWN) texts.set(short, text)
  return { name: short, text }
}
