/** Prints what the files of a run cost: their sum, the forty dearest, and what each pays before its first test. */

import type { Reporter, TestModule } from 'vitest/node'
import type { FileCost } from './measure.ts'

interface Row extends Omit<FileCost, 'needs'> {
  file: string
  /** From the load of the set-up file to the end of the last hook. */
  wall: number
  before: Record<string, number>
}

const DEAREST = 40

const seconds = (ms: number): string => (ms / 1000).toFixed(ms < 100 ? 2 : 1)

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0)

export class CostReporter implements Reporter {
  private rows: Row[] = []
  private started = performance.now()

  onTestRunStart(): void {
    this.started = performance.now()
  }

  onTestModuleEnd(module: TestModule): void {
    const { cost } = module.meta()
    if (!cost) return
    const { needs, ...rest } = cost
    const spent = module.diagnostic()
    this.rows.push({
      ...rest,
      file: module.relativeModuleId,
      wall: spent.setupDuration + spent.collectDuration + spent.duration,
      before: {
        worker: spent.prepareDuration + spent.environmentSetupDuration,
        'set-up files': spent.setupDuration,
        imports: spent.collectDuration,
        ...needs,
      },
    })
  }

  onTestRunEnd(): void {
    const all = this.rows
    const total = (key: 'wall' | 'own' | 'children' | 'database' | 'waiting') =>
      seconds(sum(all.map((row) => row[key])))
    print(`\n${all.length} files in ${seconds(performance.now() - this.started)} s.`)
    print(
      `Processor time ${total('own')} s, and ${total('children')} s of other processes. ` +
        `Of it, or beside it on PostgreSQL, ${total('database')} s in statements. ` +
        `Time of files ${total('wall')} s, of which ${total('waiting')} s waiting. ` +
        `Largest worker ${Math.round(Math.max(...all.map(({ resident }) => resident)) / 1e6)} MB.`,
    )
    printDearest(all)
    printBefore(all)
  }
}

function printDearest(all: Row[]): void {
  const dearest = all.toSorted((a, b) => b.own + b.children - a.own - a.children).slice(0, DEAREST)
  print(`\nThe ${dearest.length} dearest files, by processor time, in seconds:\n`)
  print('  processor  others  database  waiting   clock     MB  file')
  for (const { own, children, database, waiting, wall, resident, file } of dearest) {
    const figures = [
      seconds(own).padStart(11),
      seconds(children).padStart(8),
      seconds(database).padStart(10),
      seconds(waiting).padStart(9),
      seconds(wall).padStart(8),
      String(Math.round(resident / 1e6)).padStart(7),
    ]
    print(`${figures.join('')}  ${file}`)
  }
}

function printBefore(all: Row[]): void {
  print('\nBefore their tests, in seconds:\n')
  print('  files   in all  median  file with most')
  for (const name of new Set(all.flatMap(({ before }) => Object.keys(before)))) {
    const paying = all
      .filter(({ before }) => before[name] !== undefined)
      .toSorted((a, b) => (b.before[name] ?? 0) - (a.before[name] ?? 0))
    const times = paying.map(({ before }) => before[name] ?? 0)
    const figures = [
      String(paying.length).padStart(7),
      seconds(sum(times)).padStart(9),
      seconds(times[Math.floor(times.length / 2)] ?? 0).padStart(8),
    ]
    print(`${figures.join('')}  ${name}: ${seconds(times[0] ?? 0)} s, ${paying[0]?.file}`)
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
