/** Finds out whether a connection is a session of PostgreSQL: prepared statements, locks and notifications need one. */

/** The part of a client of `pg` that the check calls. */
export interface SessionClient {
  query(text: string): Promise<{ rows: { pid: number }[] }>
  end(): Promise<void>
}

const REFUSAL =
  'DATABASE_URL leads to a pooler that gives every transaction another session, such as PgBouncer with ' +
  'pool_mode=transaction. Name PostgreSQL itself, or a pool with pool_mode=session.'

const pidOf = async (client: SessionClient): Promise<number | undefined> =>
  (await client.query('select pg_backend_pid() as pid')).rows[0]?.pid

/**
 * Throws if two statements on one connection need not run in one session. A pooler that has nothing else to do would
 * run them in one: so another connection works between them.
 */
export async function requireSessions(connect: () => Promise<SessionClient>): Promise<void> {
  const clients: SessionClient[] = []
  const opened = async (): Promise<SessionClient> => {
    const client = await connect()
    clients.push(client)
    return client
  }
  try {
    const [client, other] = [await opened(), await opened()]
    const pid = await pidOf(client)
    await other.query('begin')
    // The first one has to wait for a pool of one session, which is found before.
    if ((await pidOf(other)) === pid || (await pidOf(client)) !== pid) throw new Error(REFUSAL)
  } finally {
    await Promise.allSettled(clients.map((client) => client.end()))
  }
}
