import { globSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ERRORS } from '../../src/errors/errors.ts'

const FOLDER = `${import.meta.dirname}/../../src/errors/codes`

test('the catalogue has the codes of every table, and no two tables have the same code', async () => {
  const files = globSync('*.ts', { cwd: FOLDER })
  const modules = await Promise.all(files.map((file): Promise<object> => import(`${FOLDER}/${file}`)))
  const codes = modules.flatMap((module) => Object.values(module).flatMap(Object.keys))
  expect(codes.sort()).toEqual(Object.keys(ERRORS).sort())
})
