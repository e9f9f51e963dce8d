/** The shared row of a bucket: one statement takes tokens from it, one gives back, one forgets full ones. */
import type { Sql } from '../../db/sql.ts'
import { statement } from '../../db/sql.ts'
import { burstOf, type Level, type Rate, speed } from './rules.ts'

export interface Lease extends Level {
  granted: number
}

export interface ReturnedTokens {
  id: string
  rate: Rate
  tokens: number
}

/** The given time, or the database's, in milliseconds as it is stored: rounding loses no refill. */
const at = (parameter: string, clock: string) =>
  `date_trunc('milliseconds', coalesce(${parameter}::timestamptz, ${clock}()))`

const seconds = (later: string, earlier: string) =>
  `greatest(0, extract(epoch from ${later} - ${earlier}))::float8`

// The clock is read when the row is locked, so that a row from the future means that the clock was set back: it is
// taken as of now, since its bucket would be refilled only when the clock is there again.
/** Leases `want` tokens, or all beyond those to leave if these are at least `need`, or none. */
const LEASE = statement(
  'rate_bucket_lease',
  `insert into rate_bucket as bucket (key, tokens, burst_tokens, granted, refilled_at)
   select $1, $2::float8 - granted, $4::float8 - granted, granted, ${at('$9', 'clock_timestamp')}
   from (
     select least($7::int, floor($2::float8 - $8::float8)::int, floor($4::float8 - $8::float8)::int) as granted
   ) as full_bucket
   on conflict (key) do update set (tokens, burst_tokens, granted, refilled_at) = (
     select tokens - granted, burst_tokens - granted, granted, instant
     from (
       select tokens, burst_tokens, instant,
         case when least(tokens, burst_tokens) - $8::float8 >= $6::int
           then least($7::int, floor(least(tokens, burst_tokens) - $8::float8)::int) else 0 end as granted
       from (
         select least($2::float8, bucket.tokens + elapsed * $3::float8) as tokens,
           least($4::float8, bucket.burst_tokens + elapsed * $5::float8) as burst_tokens,
           instant
         from (
           select instant, ${seconds('instant', 'bucket.refilled_at')} as elapsed
           from (select ${at('$9', 'clock_timestamp')} as instant) as clock
         ) as since
       ) as level
     ) as lease
   )
   returning granted, tokens, burst_tokens`,
)

// Rows are locked in one order, so that processes that return tokens of the same rows do not deadlock.
const RETURN = statement(
  'rate_bucket_return',
  `with mine as (
     select * from unnest($1::text[], $2::float8[], $3::float8[], $4::float8[], $5::float8[], $6::float8[])
       as mine (key, quota, speed, burst_quota, burst_speed, unused)
   ), locked as (
     select key from rate_bucket where key in (select key from mine) order by key for no key update
   )
   update rate_bucket as bucket set
     tokens = least(quota, bucket.tokens + ${seconds(at('$7', 'statement_timestamp'), 'bucket.refilled_at')} * speed + unused),
     burst_tokens = least(burst_quota,
       bucket.burst_tokens + ${seconds(at('$7', 'statement_timestamp'), 'bucket.refilled_at')} * burst_speed + unused),
     refilled_at = greatest(bucket.refilled_at, ${at('$7', 'statement_timestamp')})
   from mine join locked using (key) where bucket.key = mine.key`,
)

const SWEEP = statement(
  'rate_bucket_sweep',
  `delete from rate_bucket where key in (
     select key from rate_bucket
     join unnest($1::text[], $2::float8[]) as swept (start, idle_seconds) on starts_with(key, start)
     where refilled_at < ${at('$3', 'statement_timestamp')} - make_interval(secs => idle_seconds)
     order by key for update of rate_bucket skip locked
   )`,
)

/** Leases between `need` and `want` tokens to this process, or none; `left` tokens stay in the bucket. */
export async function lease(
  sql: Sql,
  id: string,
  rate: Rate,
  { need, want, now, left = 0 }: { need: number; want: number; now: Date | null; left?: number },
): Promise<Lease> {
  const burst = burstOf(rate)
  const values = [id, rate.quota, speed(rate), burst.quota, speed(burst), need, want, left, now]
  const [row] = await sql.rows<Lease>(LEASE, values)
  if (!row) throw new Error('The lease of a rate bucket returned no row')
  return row
}

/** Returns unused tokens to their rows. A bucket never holds more than its quota. */
export async function returnTokens(
  sql: Sql,
  unused: readonly ReturnedTokens[],
  now: Date | null,
): Promise<void> {
  if (unused.length === 0) return
  const column = (value: (one: ReturnedTokens) => unknown) => unused.map(value)
  await sql.rows(RETURN, [
    column(({ id }) => id),
    column(({ rate }) => rate.quota),
    column(({ rate }) => speed(rate)),
    column(({ rate }) => burstOf(rate).quota),
    column(({ rate }) => speed(burstOf(rate))),
    column(({ tokens }) => tokens),
    now,
  ])
}

/** Deletes the buckets that have been idle for so long that they are full: no row means a full bucket. */
export async function deleteFull(
  sql: Sql,
  idle_seconds: ReadonlyMap<string, number>,
  now: Date | null,
): Promise<void> {
  if (idle_seconds.size > 0)
    await sql.rows(SWEEP, [[...idle_seconds.keys()], [...idle_seconds.values()], now])
}
