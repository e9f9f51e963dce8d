/** Goals beside what was measured. */
import { keeps } from './figures.ts'
import type { Figure, Findings } from './findings.ts'
import type { Goal } from './goals.ts'
import { type Row, table, two } from './markdown.ts'

interface Verdict {
  /** null: nothing of what there are goals for was measured. */
  markdown: string | null
  /** Goals missed, and figures worse than those on record, by more than the noise of this run. */
  missed: string[]
}

const number = (value: number) => (Number.isInteger(value) ? `${value}` : two(value))

/** The figure's verdict, and whether `--check` lets it pass. */
function verdictOf({ bound, on_record }: Goal, { value, noise, added }: Figure): [string, boolean] {
  if (keeps(bound, value)) return ['yes', true]
  const toleranceOf = (limit: number) => (added ? noise / limit : noise)
  if (keeps(bound, value, toleranceOf(bound.value))) return ['within the noise', true]
  if (!on_record) return ['no', false]
  const record = { ...bound, value: on_record.value }
  return keeps(record, value, toleranceOf(record.value))
    ? [`no; on record: ${number(on_record.value)}`, true]
    : [`no; worse than on record: ${number(on_record.value)}`, false]
}

/** What was not measured is not judged. */
export function judge(goals: readonly Goal[], findings: Findings, before: Findings | null): Verdict {
  const missed: string[] = []
  const rows: Row[] = []
  const notes: string[] = []
  for (const goal of goals) {
    const { of, figure, bound, unit = '', on_record } = goal
    const found = findings.get(figure)
    if (!found) continue
    const { value, noise, of_minimum } = found
    const [verdict, passes] = verdictOf(goal, found)
    if (!passes) missed.push(of)
    if (on_record && verdict !== 'yes') notes.push(`- ${of}: ${on_record.profile}`)
    const shown = (one: number | undefined) => (one === undefined ? '' : `${number(one)} ${unit}`.trim())
    rows.push([
      of,
      `${bound.side} ${shown(bound.value)}`,
      ...(before ? [shown(before.get(figure)?.value)] : []),
      shown(value),
      noise === 0 ? '' : `±${two(noise)}`,
      of_minimum === undefined ? '' : two(of_minimum),
      verdict,
    ])
  }
  if (rows.length === 0) return { markdown: null, missed }
  const measured = before ? ['before', 'now'] : ['measured']
  const goalTable = table(['', 'goal', ...measured, 'noise', 'of the minimum', 'reached'], rows)
  const reasons =
    notes.length === 0 ? '' : `\n\nWhat profiles show of those not reached:\n\n${notes.join('\n')}`
  return { markdown: goalTable + reasons, missed }
}
