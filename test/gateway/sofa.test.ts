/** SOFA decides which REST routes there are. */
import { expect, test } from 'vitest'
import { METHODS } from '../../src/gateway/operation.ts'
import { BASE_PATH } from '../../src/lib/api.ts'
import { openApiDocument } from '../../src/rest/openapi/document.ts'
import { published } from '../setup/api.ts'
import { request } from '../setup/http.ts'

const { operations, routes } = await published()
const sofas = routes.map(({ method, path }) => `${method} ${path}`).sort()

/** A path that only this route matches. */
const sampleOf = (path: string): string => BASE_PATH + path.replace(/:\w+/g, '1')

test('every operation has one route', () => {
  expect(routes.map(({ name }) => name).sort()).toEqual(operations.map(({ name }) => name).sort())
  expect(new Set(sofas).size).toBe(sofas.length)
})

test('the routes that answer are those that SOFA has', async () => {
  const answering: string[] = []
  for (const path of new Set(routes.map((route) => route.path))) {
    for (const method of METHODS) {
      const { status } = await request(sampleOf(path), { method })
      if (status !== 405 && status !== 404) answering.push(`${method} ${path}`)
    }
  }
  expect(answering.sort()).toEqual(sofas)
})

test('OpenAPI describes the routes that SOFA has', () => {
  const described = Object.entries(openApiDocument(operations).paths).flatMap(([path, methods]) =>
    Object.keys(methods as object).map(
      (method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
    ),
  )
  expect(described.sort()).toEqual(sofas.map((route) => route.replace(' ', ` ${BASE_PATH}`)))
})
