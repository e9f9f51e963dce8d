/** Shared parts of the seeds: tenancy, clock, bulk inserts and pseudo-random numbers. */
import { crc32 } from 'node:zlib'
import { DEMO_TENANT_ID } from '../access/demo.ts'
import type { Prisma } from '../db/generated/client/client.ts'
import type { EncryptionKeys } from '../lib/secret-box.ts'
import type { DemoOptions } from './demo.ts'

export interface Seeding {
  tx: Prisma.TransactionClient
  /** Columns of every row. */
  tenancy: { tenant_id: typeof DEMO_TENANT_ID; environment: string }
  now: Date
  /** The instant that many days and minutes before now. */
  ago(days: number, minutes?: number): Date
  demo_api_key: string
  key_pepper: string
  encryption_keys: EncryptionKeys
}

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

export const seedingOf = (
  tx: Prisma.TransactionClient,
  { environment, ...options }: DemoOptions,
): Seeding => ({
  tx,
  tenancy: { tenant_id: DEMO_TENANT_ID, environment },
  ago: (days, minutes = 0) => new Date(options.now.getTime() - days * DAY_MS - minutes * MINUTE_MS),
  ...options,
})

type Row = Record<string, unknown>

/** Bulk insert of rows with the same columns. Prisma's `createMany` takes seconds for thousands of rows. */
export async function insertMany(
  tx: Prisma.TransactionClient,
  table: string,
  rows: readonly Row[],
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).join(', ')
  await tx.$executeRawUnsafe(
    `insert into ${table} (${columns})
     select ${columns} from jsonb_populate_recordset(null::${table}, $1::jsonb)`,
    JSON.stringify(rows),
  )
}

/**
 * A bulk insert whose rows are made of those that they refer to. Checking each reference again takes longer than
 * the insert, so it is left out if the role may do that, as that of the embedded database may.
 */
export async function insertJoined(
  tx: Prisma.TransactionClient,
  insert: () => Promise<unknown>,
): Promise<void> {
  const checkReferences = (role: 'origin' | 'replica') =>
    tx.$queryRaw`select set_config('session_replication_role', ${role}, true)
      where current_setting('is_superuser') = 'on'`
  await checkReferences('replica')
  await insert()
  await checkReferences('origin')
}

export interface Random {
  /** From 0 up to but not 1. */
  fraction(): number
  /** A whole number, both ends included. */
  int(min: number, max: number): number
  pick<Item>(items: readonly Item[]): Item
  bytes(size: number): Uint8Array
  uuid(): string
}

/** A pseudo-random generator (mulberry32) with the name as its seed. */
export function randomOf(name: string): Random {
  let state = crc32(name)
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const int = (min: number, max: number) => min + Math.floor(fraction() * (max - min + 1))
  const bytes = (size: number) => Uint8Array.from({ length: size }, () => int(0, 255))
  return {
    fraction,
    int,
    bytes,
    pick: <Item>(items: readonly Item[]) => items[int(0, items.length - 1)] as Item,
    uuid: () => {
      const hex = Buffer.from(bytes(16)).toString('hex')
      return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-a$4-$5')
    },
  }
}
