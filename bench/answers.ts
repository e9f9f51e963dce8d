/** Whether everybody gives the same answers, and leaves the same rows behind. Nothing is measured. */
import { agreed } from './compare.ts'
import { startAll, stopAll } from './contenders.ts'
import { onNewData } from './data/prepare.ts'
import { storeSummaries } from './data/summaries.ts'
import { watchWrites } from './data/writes.ts'
import { questionsOf, type Read } from './questions.ts'

/** Throws if anybody does other work than the expert floor. */
export async function compareAnswers(reads: readonly Read[]): Promise<void> {
  await onNewData(async (url) => {
    const writes = await watchWrites(url)
    try {
      const questions = await questionsOf(url, 1)
      const everybody = await startAll(url)
      await storeSummaries(
        url,
        everybody,
        reads.flatMap((read) => questions[read]),
      )
      for (const read of reads) {
        const able = await agreed(read, questions[read], everybody, writes)
        console.log(`${read}: the same from ${able.map(({ label }) => label).join(', ')}`)
      }
      await stopAll(everybody)
    } finally {
      await writes.close()
    }
  })
}
