/** Finds a test by its title, and reads off its source by which interfaces it asks. */
import { existsSync, readFileSync } from 'node:fs'
import type { Proof } from './row.ts'

const BOTH = /\b(describeApi|apis|INTERFACES)\b|through both interfaces/
const NOT_RUN = /\.(skip|todo|fails|only|skipIf|runIf)\b/
const CALL = /^\s*(describe|describeApi|it|test)\b/

const depth = (line: string): number => line.search(/\S|$/)
const closes = (line: string): boolean => /^\s*[\])}]/.test(line)

/** The test whose title is in the line, and the blocks around it: the innermost first. Indentation shows them. */
function around(lines: readonly string[], title: number): string[] {
  const outer: string[] = []
  let within = depth(lines[title] ?? '') + 1
  for (let at = title; at >= 0; at--) {
    const line = lines[at] ?? ''
    if (line.trim() === '' || depth(line) >= within) continue
    if (CALL.test(line)) outer.push(line)
    // A line that closes what a test is called with has the line that opens it at its own depth.
    within = closes(line) ? depth(line) + 1 : depth(line)
  }
  return outer
}

function bodyOf(lines: readonly string[], title: number): string {
  const end = lines.findIndex(
    (line, at) => at > title && line !== '' && depth(line) <= depth(lines[title] ?? ''),
  )
  return lines.slice(title, end === -1 ? undefined : end).join('\n')
}

/** The problem with a proof; nothing if it is one. */
export function problemOf([file, title, only]: Proof): string | undefined {
  const url = new URL(`../${file}`, import.meta.url)
  if (!existsSync(url)) return `test/${file} is not there`
  const lines = readFileSync(url, 'utf8').split('\n')
  const quoted = [`'${title}'`, `\`${title}\``]
  const at = lines.findIndex((line) => quoted.some((text) => line.includes(text)))
  const blocks = around(lines, at)
  if (at === -1 || blocks.length === 0) return `test/${file} has no test “${title}”`
  if (blocks.some((line) => NOT_RUN.test(line))) return `“${title}” of test/${file} does not always run`
  if (!only && !BOTH.test([...blocks, bodyOf(lines, at)].join('\n')))
    return `“${title}” of test/${file} is not asked through both interfaces`
  return undefined
}

/** The interfaces that the proofs ask through. */
export const interfacesOf = (proofs: readonly Proof[]): Set<string> =>
  new Set(proofs.flatMap(([, , only]) => only ?? ['rest', 'graphql']))
