/** What every area says to the generated suites, in `test/areas/<area>/suites.ts`. */
import { globSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import type { AreaSuites } from './area.ts'
import type { ListSampler } from './sampler.ts'

const fileOf = (folder: string): string => `test/areas/${folder}/suites.ts`

const read = async (file: string) => [basename(dirname(file)), (await import(resolve(file))).SUITES]

/** The suites of each area, by its folder. */
export const AREAS: Readonly<Record<string, AreaSuites>> = Object.fromEntries(
  await Promise.all(globSync(fileOf('*')).sort().map(read)),
)

/** What all areas say of something by name, which no two of them do of the same name. */
export function together<Said>(
  said: (suites: AreaSuites) => Readonly<Record<string, Said>> | undefined,
): Readonly<Record<string, Said>> {
  const all = new Map<string, Said>()
  for (const [folder, suites] of Object.entries(AREAS))
    for (const [name, value] of Object.entries(said(suites) ?? {})) {
      if (all.has(name)) throw new Error(`${fileOf(folder)} says of ${name} what another area says`)
      all.set(name, value)
    }
  return Object.fromEntries(all)
}

/** Lines that the files of areas lack, by the name of their area in the API, as a failing test shows them. */
export function linesToAdd(field: string, lines: readonly { area: string; line: string }[]): string {
  const byArea = Map.groupBy(lines, ({ area }) => area.toLowerCase().replaceAll(' ', '-'))
  const texts = Array.from(byArea, ([folder, missing]) => {
    const shown = missing.map(({ line }) => `\n  ${line}`)
    return `${fileOf(folder)} lacks in ${field}:${shown.join('')}`
  })
  return texts.join('\n')
}

/** The sampler of every list, by the name of its operation. */
export const SAMPLERS = together(({ lists }) => lists) as Readonly<
  Record<string, ListSampler<Record<string, unknown>>>
>
