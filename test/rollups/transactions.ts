/** Work that is kept, or undone at its end. */
import type { Database } from '../../src/db/database.ts'

type Prisma = Database['prisma']
export type Connection = Parameters<Parameters<Prisma['$transaction']>[0]>[0]

const undone = new Error('undone')

export async function transact(
  { prisma }: Database,
  kept: boolean,
  work: (tx: Connection) => Promise<void>,
): Promise<void> {
  const whole = prisma.$transaction(async (tx) => {
    await work(tx)
    if (!kept) throw undone
  })
  await whole.catch((error: unknown) => {
    if (error !== undone) throw error
  })
}
