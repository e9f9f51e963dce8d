/** Named SQL statements, on the connections that Prisma's adapter is given too. */
import { createHash } from 'node:crypto'

export interface Sql {
  /** The rows of one statement. PostgreSQL prepares it once per connection, under its name. */
  rows<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]>
}

export interface Statement {
  name: string
  text: string
  /** Spans the environments of its tenant: it takes no environment. */
  tenant_wide?: true
  /** Selectivity depends on the values: it is planned for them each time (custom plan), and not prepared. */
  custom_plan?: true
}

/** PostgreSQL cuts off the rest, and takes statements whose names begin alike for one. */
const NAME_BYTES = 63
const HASH_CHARACTERS = 16

function shortened(name: string): string {
  if (Buffer.byteLength(name) <= NAME_BYTES) return name
  const hash = createHash('sha256').update(name).digest('base64url').slice(0, HASH_CHARACTERS)
  return `${name.slice(0, NAME_BYTES - HASH_CHARACTERS - 1)} ${hash}`
}

/** A statement with its name, which is unique in the service. */
export const statement = (name: string, text: string): Statement => ({ name: shortened(name), text })
