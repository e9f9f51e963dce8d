/** `npm run bench:resolution`: the quality of the resolution ladder on labelled pairs of names, its time and its memory. */
import { setTimeout as sleep } from 'node:timers/promises'
import { resolveAll } from '../src/areas/company-links/resolution/ladder.ts'
import { generatedCompanies, generatedCustomers } from '../test/resolution/generated.ts'
import {
  bestThreshold,
  CERTAIN,
  foundAmong,
  HALVES,
  LISTED,
  ladderScore,
  type Pair,
  qualityOf,
  REPORTED,
  trigramScore,
} from '../test/resolution/measure.ts'
import { type Row, table, two } from './markdown.ts'

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`

const qualityRow = (
  name: string,
  pairs: readonly Pair[],
  score: (pair: Pair) => number,
  least: number,
): Row => {
  const { precision, recall, wrong, missed } = qualityOf(pairs, score, least)
  return [name, two(least), percent(precision), percent(recall), `${wrong}`, `${missed}`]
}

const best = bestThreshold(HALVES.tuned, trigramScore)
for (const [half, pairs] of Object.entries(HALVES)) {
  const same = pairs.filter(({ is_same }) => is_same).length
  console.log(`\n${half}: ${same} pairs of one company, ${pairs.length - same} of two\n`)
  console.log(
    table(
      ['', 'threshold', 'precision', 'recall', 'two taken for one', 'not found'],
      [
        qualityRow('the ladder, without a check', pairs, ladderScore, CERTAIN),
        qualityRow('the ladder, with links to check', pairs, ladderScore, LISTED),
        qualityRow('trigrams, at the threshold that is best on the tuned half', pairs, trigramScore, best),
        qualityRow('trigrams, at 0.95', pairs, trigramScore, CERTAIN),
      ],
    ),
  )
}

const answers = REPORTED.map(({ customer, companies, right }) => ({
  right,
  ...foundAmong(customer, companies),
}))
const withCompany = answers.filter(({ right }) => right !== null)

const reportedRow = (name: string, least: number): Row => {
  const taken = answers.filter(({ confidence }) => confidence >= least)
  const right = taken.filter((answer) => answer.company === answer.right).length
  return [
    name,
    two(least),
    percent(taken.length === 0 ? 1 : right / taken.length),
    percent(right / withCompany.length),
    `${taken.length - right}`,
    `${withCompany.length - right}`,
    `${taken.filter(({ flagged }) => flagged).length}`,
  ]
}

console.log(
  `\nreported: ${withCompany.length} customers with a company, ${answers.length - withCompany.length} with none\n`,
)
console.log(
  table(
    ['', 'threshold', 'precision', 'recall', 'another company', 'not found', 'flagged'],
    [
      reportedRow('the ladder, without a check', CERTAIN),
      reportedRow('the ladder, with links to check', LISTED),
    ],
  ),
)

const heap = (): number => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed / 1e6
}

/** The largest heap that a run adds is read between its customers, whose number does not change the index. */
async function sizeRow(count: number): Promise<Row> {
  const customers = generatedCustomers(count)
  const companies = generatedCompanies(count)
  await sleep(10)
  const before = heap()
  const start = performance.now()
  const found = resolveAll({ customers, companies })
  const seconds = (performance.now() - start) / 1000
  const added = heap() - before
  const peak = process.resourceUsage().maxRSS / 1000
  const certain = found.filter(({ confidence }) => confidence >= CERTAIN)
  const wrong = certain.filter(({ customer_id, company_id }) => customer_id.slice(9) !== company_id?.slice(8))
  return [
    `${count.toLocaleString('en')} × ${count.toLocaleString('en')}`,
    two(seconds),
    added.toFixed(0),
    peak.toFixed(0),
    `${certain.length}`,
    `${wrong.length}`,
  ]
}

const rows: Row[] = []
for (const count of [1_000, 10_000, 20_000]) rows.push(await sizeRow(count))
console.log('\ngenerated customers and companies\n')
console.log(
  table(
    [
      'customers × companies',
      's',
      'MB of answers',
      'MB of the process, at most',
      'without a check',
      'of them wrong',
    ],
    rows,
  ),
)
