/** The database's part of the health check. */
import type { Database } from '../../db/database.ts'
import { recentPing } from '../../db/ping.ts'
import { type Check, healthOf } from './rules.ts'

export async function databaseCheck(database: Database): Promise<Check> {
  const { answered, latency_ms } = await recentPing(database)
  const status = healthOf(answered, latency_ms)
  return { status: status === 'OK' && database.disk.is_full ? 'DEGRADED' : status, latency_ms }
}
