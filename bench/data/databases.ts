/** Connections to the server that the databases of the benchmark are on. */
import pg from 'pg'
import { DATABASE_SUFFIX } from '../service.ts'

export const SERVER = process.env.BENCH_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres'

export const databaseName = (scale: number): string =>
  `automation_service_bench${scale === 1 ? '' : `_${scale}x`}${DATABASE_SUFFIX}`

export const urlOf = (name: string): string => Object.assign(new URL(SERVER), { pathname: name }).href

export async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
