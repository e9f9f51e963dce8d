/** An application whose schema has operations that wait for approval, and calls of them through both interfaces. */
import { afterAll } from 'vitest'
import { scope } from '../../../src/access/policies/policies.ts'
import { buildSchemas } from '../../../src/composition/schemas.ts'
import { ApiError } from '../../../src/errors/errors.ts'
import { record } from '../../../src/gateway/activity.ts'
import { approvalAlways, approvalUnlessTurnedOff } from '../../../src/schema/approval.ts'
import { allAreas, placeIn } from '../../../src/schema/area.ts'
import { newBuilder } from '../../../src/schema/builder.ts'
import { startApp } from '../../setup/app.ts'
import { testDatabase } from '../../setup/database.ts'
import { json } from '../../setup/http.ts'
import type { Caller, Msp } from '../../setup/world.ts'

function testSchemas() {
  const builder = newBuilder()
  const [area] = allAreas()
  if (!area) throw new Error('There is no area')
  const Input = builder.inputType('TestChange', {
    fields: (t) => ({ text: t.string({ max_length: 5 }), at: t.string() }),
  })
  const approvals = {
    test_always: approvalAlways('TECHNICIANS', {
      describe: async (_ctx, { thing_id }: { thing_id: string }) => ({
        title: `Remove ${thing_id}`,
        summary: 'It goes.',
      }),
    }),
    test_by_group: approvalUnlessTurnedOff('TECHNICIANS'),
  }
  builder.queryField('test_nothing', (t) =>
    t.boolean({
      description: 'Answers.',
      rest: { method: 'GET', path: '/test-nothing' },
      access: scope('settings:read'),
      resolve: () => true,
    }),
  )
  placeIn(area, 'test_nothing')
  for (const [name, approval] of Object.entries(approvals)) {
    placeIn(area, name)
    builder.mutationField(name, (t) =>
      t.boolean({
        description: 'Replaces a thing. It has more to say.',
        rest: { method: name === 'test_always' ? 'DELETE' : 'PUT', path: `/${name}/{thing_id}` },
        access: scope('settings:write'),
        approval,
        args: { thing_id: t.arg.string({ required: true }), input: t.arg({ type: Input }) },
        resolve: async (_root, { thing_id: id }, ctx) => {
          if (id === 'missing') throw new ApiError('agent_not_found', { details: { id } })
          await record(ctx, { action: 'test.ran', targets: [{ type: 'operation', id: name, name }] })
          return true
        },
      }),
    )
  }
  return buildSchemas(builder)
}

export const schemas = testSchemas()
const { app, base } = await startApp(await testDatabase(), {}, undefined, { schemas })
afterAll(() => app.close(0))

export interface Sent {
  name?: 'test_always' | 'test_by_group'
  thing_id?: string
  input?: object
  headers?: Record<string, string>
}

export const INTERFACES = {
  rest: async (caller: Caller, { name = 'test_by_group', thing_id = 'a b', input, headers = {} }: Sent) => {
    const method = name === 'test_always' ? 'DELETE' : 'PUT'
    const url = `${base}/public-api/${name}/${encodeURIComponent(thing_id)}`
    const authorization = `Bearer ${caller.token}`
    const init = input ? json(input, { method }) : { method }
    const response = await fetch(url, {
      ...init,
      headers: { ...(init as { headers?: object }).headers, authorization, ...headers },
    })
    const { data, error } = await response.json()
    return { status: response.status, data, error, headers: response.headers }
  },
  graphql: async (
    caller: Caller,
    { name = 'test_by_group', thing_id = 'a b', input, headers = {} }: Sent,
  ) => {
    const query = `mutation ($thing_id: String!, $input: TestChange) { ${name}(thing_id: $thing_id, input: $input) }`
    const authorization = `Bearer ${caller.token}`
    const init = json({ query, variables: { thing_id, ...(input && { input }) } })
    const response = await fetch(`${base}/graphql`, {
      ...init,
      headers: { ...(init.headers as object), authorization, ...headers },
    })
    const { data, errors } = await response.json()
    const { code, status = 200, details } = errors?.[0]?.extensions ?? {}
    return { status, data: data?.[name], error: code && { code, details }, headers: response.headers }
  },
}

export const requests = (msp: Msp) =>
  msp.database.prisma.tilRequest.findMany({
    where: { tenant_id: msp.tenant_id },
    include: { technicians: { orderBy: { technician_id: 'asc' } } },
  })

export const hasRun = async ({ tenant_id, database }: Msp, name: string): Promise<boolean> => {
  const targets = { array_contains: [{ id: name }] }
  return (
    (await database.prisma.activityEntry.count({ where: { tenant_id, action: 'test.ran', targets } })) > 0
  )
}
