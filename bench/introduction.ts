/** What the figures are of, for whoever reads them without the programs. */
import { cpus } from 'node:os'
import { connected, SERVER } from './data/databases.ts'
import type { Effort } from './options.ts'
import { amount } from './questions.ts'

export async function introduction(scale: number, effort: Effort): Promise<string> {
  const version = await connected(
    SERVER,
    async (client) => (await client.query('show server_version')).rows[0],
  )
  return `\`npm run bench\` measures the service in one run beside an expert floor, which is hand-written on Fastify and pg
and does the same work for a caller; beside PostGraphile 5 on the same tables; and beside the minimum, which is
\`node:http\`, one prepared statement and \`JSON.stringify\`. Before anything is measured their answers are compared, and
the rows that writes leave behind.

- The expert floor judges the key, its scopes, its limits and what its user may see; it checks its input, reads by
  statements that are planned once, signs cursors, and answers in the same envelope with the same headers. Counts and
  sums it reads from the rows. It writes no log, while the service logs every request and counts it for \`/metrics\` and
  the key's usage.
- PostGraphile judges no key, counts no limit, looks at no visibility, records no activity and has no envelope.
- The minimum judges nothing, counts nothing and answers the rows alone; its R3 and R5 were computed beforehand. "Of the minimum"
  is the service's part of its requests a second: what is missing to 1 is all that could still be gained.

${amount(scale)}; PostgreSQL ${version.server_version}, Node ${process.versions.node}; ${cpus().length} cores, shared with
the load generator and the database; 8 connections, pools of 4. Contenders alternate, in reversed order every other
round. Figures are ratios to the expert floor, medians of ${effort.rounds} rounds of ${effort.seconds} s; "again" is a second
process of the same floor, and what differs there is noise. Requests a second: more is better; everything else: less is
better.

Runs of agents have nobody beside them. Workers and the process that answers calls are processes of the service as it is
configured without a word, the PSA is the local one in the same database, and the model is a program that answers after
a time drawn at random. Two workers are compared with one of the same minutes, and what comes after 100,000 finished executions
with what comes after 1,000: an exponent of 0 is no growth. Webhooks go to receivers on the loopback interface, in a process of
their own; workers that send them are configured for development, since production sends nothing there.`
}
