/** The places of requests that are made to vendors at once, leased in the database. */
import { randomUUID } from 'node:crypto'
import { type Sql, statement } from '../../db/sql.ts'
import { withTimeout } from '../../lib/timeout.ts'

/** Longer than a process keeps a place with the longest request that it makes in it. */
const LEASE_SECONDS = 20

const TAKE = statement(
  'request_places.take',
  `insert into request_place (key, place, holder, expires_at)
   select $1, n.place, $2, clock_timestamp() + interval '${LEASE_SECONDS} seconds'
   from generate_series(1, $3::int) as n (place)
   where not exists (
     select from request_place p where p.key = $1 and p.place = n.place and p.expires_at > clock_timestamp()
   )
   order by n.place limit $4::int
   on conflict (key, place) do update set holder = excluded.holder, expires_at = excluded.expires_at
     where request_place.expires_at <= clock_timestamp()
   returning place`,
)

const GIVE = statement(
  'request_places.give',
  'delete from request_place where key = $1 and place = $2::int and holder = $3',
)

const DELETE_EXPIRED = statement(
  'request_places.delete_expired',
  "delete from request_place where expires_at < clock_timestamp() - interval '1 minute'",
)

/** Deletes the places of processes that were lost. */
export const deleteExpiredPlaces = (sql: Sql): Promise<unknown> => sql.rows(DELETE_EXPIRED, [])

const ASK_MS = 500

/** The places of a process among others. */
export function sharedLeases(sql: Sql) {
  const holder = randomUUID()
  const give = async (key: string, place: number): Promise<void> => {
    await sql.rows(GIVE, [key, place, holder])
  }
  return {
    async take(key: string, most: number, wanted: number): Promise<number[]> {
      const asked = sql.rows<{ place: number }>(TAKE, [key, holder, most, wanted])
      const late = () => {
        // Places that come too late are given back.
        asked.then((places) => Promise.all(places.map(({ place }) => give(key, place)))).catch(() => {})
        return new Error('The places did not answer')
      }
      return (await withTimeout(ASK_MS, asked, late)).map(({ place }) => place)
    },
    give,
  }
}
