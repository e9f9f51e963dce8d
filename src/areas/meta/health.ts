/** The database's part of the health check. */
import type { Services } from '../../gateway/context.ts'
import { type Check, healthOf } from './rules.ts'

export async function databaseCheck({ database, ping }: Services): Promise<Check> {
  const { answered, latency_ms } = await ping()
  const status = healthOf(answered, latency_ms)
  return { status: status === 'OK' && database.disk.is_full ? 'DEGRADED' : status, latency_ms }
}
