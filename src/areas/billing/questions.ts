/** Questions to the model that no agent asks: how many a tenant has in a day, and their credits. */
import { type DatabaseContext, scoped, scopedInsert, sql, tenancyOf } from '../../db/db.ts'
import { inTransaction, lockTenant } from '../../db/transaction.ts'
import type { Services } from '../../gateway/context.ts'
import { newId } from '../../lib/ids.ts'
import { type QuestionRefusal, questionRefusal } from './rules.ts'
import { runStop } from './runs.ts'

type QuestionContext = DatabaseContext & { now: Date; services: Pick<Services, 'now'> }

const TAKE_MS = 15_000

// Contract silent: a question costs a credit, as the answer of a chat does.
const CREDITS_PER_QUESTION = 1

const OF_THE_DAY = scoped(
  'billing.questions_of_day',
  `select count(*)::int as asked from model_question
   where tenant_id = $1 and environment = $2
     and at >= date_trunc('day', $3::timestamptz, 'UTC') and at < date_trunc('day', $3::timestamptz, 'UTC') + interval '1 day'`,
)

const TAKE = scopedInsert(
  'billing.take_question',
  'insert into model_question (tenant_id, environment, id, at) values ($1, $2, $3::text, $4::timestamptz)',
)

/** Allows one question, and counts it; or says why none is allowed. Safe to run concurrently. */
export async function takeQuestion(
  ctx: QuestionContext,
): Promise<{ question_id: string } | { refusal: QuestionRefusal }> {
  const own = { ...ctx, now: ctx.services.now() }
  return await inTransaction(own, TAKE_MS, async () => {
    await lockTenant(own, `${tenancyOf(own).environment} model_question`)
    const [row] = await sql<{ asked: number }>(own, OF_THE_DAY, [own.now])
    const refusal = questionRefusal(await runStop(own), row?.asked ?? 0)
    if (refusal) return { refusal }
    const question_id = newId('mqu')
    await sql(own, TAKE, [question_id, own.now])
    return { question_id }
  })
}

const CHARGE = scoped(
  'billing.charge_question',
  `update model_question set credits = ${CREDITS_PER_QUESTION}
   where tenant_id = $1 and environment = $2 and id = $3::text`,
)

/** Charges the question, once however often it is called. To be called in the transaction that stores the answer. */
export async function chargeQuestion(ctx: DatabaseContext, question_id: string): Promise<void> {
  await sql(ctx, CHARGE, [question_id])
}
