/** A Prisma generator: the documentation of enumerations and of their values, which Prisma's own datamodel leaves out. */
import { writeFileSync } from 'node:fs'
import generatorHelper from '@prisma/generator-helper'
import { enumsIn } from './enums.ts'

generatorHelper.generatorHandler({
  onManifest: () => ({ prettyName: 'Enumerations', defaultOutput: '../src/db/generated/enums.ts' }),
  async onGenerate({ datamodel, generator }) {
    const { value: file } = generator.output ?? {}
    if (!file) throw new Error('The generator has no output')
    writeFileSync(file, `export const ENUMS = ${JSON.stringify(enumsIn(datamodel), null, 2)} as const\n`)
  },
})
