/** The places to which the figures of a run go: the terminal, bench/FIGURES.md, and files that a later run reads. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Findings } from './findings.ts'

interface Section {
  title: string
  text: string
}

const markdown = ({ title, text }: Section): string => `## ${title}\n\n${text}\n`

/** Prints every section as it comes, and keeps it. */
export class Report {
  private readonly sections: Section[] = []

  add(title: string, text: string): void {
    this.sections.push({ title, text })
    console.log(`\n${markdown({ title, text })}`)
  }

  /** Writes bench/FIGURES.md, the section added last in front of the others. */
  write(introduction: string): void {
    const [last, ...others] = [...this.sections.slice(-1), ...this.sections.slice(0, -1)]
    const all = last ? [last, ...others] : []
    const text = ['# Figures\n', `${introduction}\n`, ...all.map(markdown)].join('\n')
    writeFileSync(join(import.meta.dirname, 'FIGURES.md'), text)
  }
}

export const save = (file: string, findings: Findings): void =>
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(findings), null, 2)}\n`)

export const saved = (file: string): Findings =>
  new Map(Object.entries(JSON.parse(readFileSync(file, 'utf8'))))
