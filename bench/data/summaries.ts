/** Answers to R3 and R5, stored for the minimum to read. */
import { type Asked, askOnce } from '../ask.ts'
import type { Question } from '../questions.ts'
import { connected } from './databases.ts'
import { ENVIRONMENT } from './tenants.ts'

/** The ends of the window that is asked for. */
function windowOf(question: Question): [from: string, to: string] | null {
  if (question.read === 'R3') return [question.from, question.to]
  return question.read === 'R5' ? [question.since, question.until] : null
}

/** Asks the first one every question that is about a window, and stores what it answers. */
export async function storeSummaries(
  url: string,
  [floor]: readonly Asked[],
  questions: readonly Question[],
): Promise<void> {
  if (!floor || !questions.some(windowOf)) return
  await connected(url, async (client) => {
    await client.query(`
      drop table if exists bench_summary;
      create table bench_summary (read text, tenant_id text, environment text, from_at timestamptz, to_at timestamptz,
        answer jsonb, primary key (read, tenant_id, environment, from_at, to_at))`)
    for (const question of questions) {
      const window = windowOf(question)
      if (!window) continue
      const { data } = await askOnce(floor, question)
      const key = [question.read, question.tenant.id, ENVIRONMENT, ...window]
      await client.query('insert into bench_summary values ($1, $2, $3, $4, $5, $6)', [
        ...key,
        JSON.stringify(data),
      ])
    }
  })
}
