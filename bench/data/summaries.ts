/** Answers to R3, stored for the minimum to read. */
import { type Asked, askOnce } from '../ask.ts'
import type { Question } from '../questions.ts'
import { connected } from './databases.ts'
import { ENVIRONMENT } from './tenants.ts'

/** Asks `asked` every question, and stores what it answers. */
export async function storeSummaries(
  url: string,
  asked: Asked,
  questions: readonly Question[],
): Promise<void> {
  await connected(url, async (client) => {
    await client.query(`
      drop table if exists bench_summary;
      create table bench_summary (tenant_id text, environment text, from_at timestamptz, to_at timestamptz,
        answer jsonb, primary key (tenant_id, environment, from_at, to_at))`)
    for (const question of questions) {
      if (question.read !== 'R3') continue
      const { data } = await askOnce(asked, question)
      const key = [question.tenant.id, ENVIRONMENT, question.from, question.to]
      await client.query('insert into bench_summary values ($1, $2, $3, $4, $5)', [
        ...key,
        JSON.stringify(data),
      ])
    }
  })
}
