/** Calls through the API-request channel, of operations of a schema of its own. */
import { describe, expect, it } from 'vitest'
import { argumentsHash } from '../../../src/lib/arguments-hash.ts'
import { openApiDocument } from '../../../src/rest/openapi/document.ts'
import { ENVIRONMENT, signToken, startApp } from '../../setup/app.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { addTechnicians } from '../../setup/technicians.ts'
import { channelKey, makeTechnician } from '../../setup/til-requests.ts'
import { type Caller, days, world } from '../../setup/world.ts'
import { hasRun, INTERFACES, requests, type Sent, schemas } from './approval-app.ts'

describe.each(Object.entries(INTERFACES))('through the API-request channel (%s)', (_name, send) => {
  it('a call does not run, and leaves a request to technicians behind', async () => {
    const msp = await world()
    const key = await channelKey(msp)
    const { status, error } = await send(key, { input: { text: 'x' }, headers: { 'if-match': '"3"' } })
    const [request, ...others] = await requests(msp)
    expect([status, error.code, error.details.til_request_id]).toEqual([
      409,
      'approval_required',
      request?.id,
    ])
    expect([others, await hasRun(msp, 'test_by_group')]).toEqual([[], false])
    const args = { thing_id: 'a b', input: { text: 'x' } }
    expect(request).toMatchObject({
      kind: 'API_REQUEST',
      status: 'PENDING',
      tool_name: 'test_by_group',
      risk: 'CHANGE',
      title: 'Replaces a thing',
      arguments: args,
      arguments_hash: argumentsHash(args),
      requested_by_type: 'API_KEY',
      requested_by_id: key.id,
      allowed_decisions: ['APPROVE', 'REJECT'],
      call: { operation: 'test_by_group', if_match: ['"3"'], caller: { type: 'API_KEY', id: key.id } },
      execution_id: null,
      agent_id: null,
      closed_at: null,
      revision: 1,
    })
    expect(request?.summary).toContain('PUT /test_by_group/a%20b')
    const lifetime = (request?.expires_at.getTime() ?? 0) - (request?.created_at.getTime() ?? 0)
    expect(lifetime).toBe(days(3))
    expect(await activitiesOf(msp)).toMatchObject([
      { action: 'til_request.created', context: { channel: 'API_REQUEST' }, actor_id: key.id },
    ])
  })

  it('the same call has one open request, and another one once that has expired or is decided', async () => {
    const msp = await world()
    const key = await channelKey(msp)
    const ask = async (sent: Sent = {}) => (await send(key, sent)).error.details.til_request_id
    const first = await ask()
    expect(await ask()).toBe(first)
    expect(await requests(msp)).toHaveLength(1)
    const different = [await ask({ thing_id: 'b' }), await ask({ headers: { 'if-match': '"1"' } })]
    expect(new Set([first, ...different]).size).toBe(3)
    const where = { tenant_id: msp.tenant_id, id: first }
    await msp.database.prisma.tilRequest.updateMany({ where, data: { expires_at: new Date() } })
    const second = await ask()
    expect(second).not.toBe(first)
    await msp.database.prisma.tilRequest.updateMany({
      where: { ...where, id: second },
      data: { status: 'REJECTED', closed_at: new Date() },
    })
    expect(await ask()).not.toBe(second)
  })

  it('asked again with other arguments supersedes what was asked, for the same thing and by the same caller alone', async () => {
    const msp = await world()
    const [key, other] = [await channelKey(msp), await channelKey(msp)]
    const ask = async (caller: Caller, thing_id: string, text: string) =>
      (await send(caller, { thing_id, input: { text } })).error.details.til_request_id
    const first = await ask(key, 'a', 'x')
    const stay = [await ask(key, 'b', 'x'), await ask(other, 'a', 'x')]
    const second = await ask(key, 'a', 'y')
    const statuses = Object.fromEntries((await requests(msp)).map(({ id, status }) => [id, status]))
    expect(statuses).toEqual({
      [first]: 'SUPERSEDED',
      [second]: 'PENDING',
      ...Object.fromEntries(stay.map((id) => [id, 'PENDING'])),
    })
    expect((await requests(msp)).find(({ id }) => id === first)?.closed_at).not.toBeNull()
  })

  it('the approvers are those of the permission group, or else the technicians that OWNERs and ADMINs are', async () => {
    const msp = await world()
    const key = await channelKey(msp)
    await makeTechnician(msp, msp.admin.id, 3)
    await makeTechnician(msp, msp.owner.id, 2)
    await makeTechnician(msp, msp.user.id, 1)
    await addTechnicians(msp, [{ id: 4, psa_id: 4 }])
    await send(key, { thing_id: 'default' })
    const { tenant_id, environment } = msp
    const updated_at = new Date()
    await msp.database.prisma.permissionGroupSetting.create({
      data: {
        tenant_id,
        environment,
        name: 'TECHNICIANS',
        requires_approval: true,
        updated_at,
        approver_technician_ids: [4, 999],
      },
    })
    await send(key, { thing_id: 'chosen' })
    const named = (await requests(msp)).map(({ arguments: args, technicians }) => [
      (args as { thing_id: string }).thing_id,
      technicians.map(({ technician_id }) => technician_id),
    ])
    expect(Object.fromEntries(named)).toEqual({ default: [2, 3], chosen: [4] })
  })

  it('a group that requires no approval turns it off, but not if it is always needed', async () => {
    const msp = await world()
    const key = await channelKey(msp)
    const { tenant_id, environment } = msp
    const updated_at = new Date()
    await msp.database.prisma.permissionGroupSetting.create({
      data: { tenant_id, environment, name: 'TECHNICIANS', requires_approval: false, updated_at },
    })
    expect(await send(key, {})).toMatchObject({ status: 200, data: true })
    expect((await send(key, { name: 'test_always' })).error.code).toBe('approval_required')
    expect([await hasRun(msp, 'test_by_group'), await hasRun(msp, 'test_always')]).toEqual([true, false])
    expect(await requests(msp)).toMatchObject([
      { title: 'Remove a b', summary: 'It goes.', risk: 'DESTRUCTIVE' },
    ])
    const ofRun = (await activitiesOf(msp)).find(({ action }) => action === 'test.ran')
    expect(ofRun?.context).toMatchObject({ channel: 'API_REQUEST' })
  })

  it('is refused before anything is stored if access, input or the thing itself is wrong', async () => {
    const msp = await world()
    const key = await channelKey(msp)
    const weak = await channelKey(msp, { scopes: ['settings:read'] })
    expect((await send(weak, {})).error.code).toBe('insufficient_scope')
    expect((await send(key, { input: { text: 'too long' } })).error.code).toBe('request_validation_failed')
    expect((await send(key, { name: 'test_always', thing_id: 'missing' })).error.code).toBe('agent_not_found')
    expect([await requests(msp), await activitiesOf(msp)]).toEqual([[], []])
  })

  it('with an Idempotency-Key the refusal is kept, and given again', async () => {
    const msp = await world()
    const key = await channelKey(msp)
    const headers = { 'idempotency-key': 'k' }
    const first = await send(key, { headers })
    const where = { tenant_id: msp.tenant_id }
    await msp.database.prisma.tilRequest.updateMany({
      where,
      data: { status: 'REJECTED', closed_at: new Date() },
    })
    const again = await send(key, { headers })
    expect(again.error).toEqual(first.error)
    expect(again.headers.get('idempotency-replayed') ?? 'true').toBe('true')
    expect(await requests(msp)).toHaveLength(1)
  })

  it('a dashboard token with the claim is of the channel, and asks in the name of its user', async () => {
    const msp = await world()
    const claims = { sub: `sub_${msp.admin.id}`, tenant_id: msp.tenant_id, environment: ENVIRONMENT }
    const token = (channel: unknown) => signToken({ ...claims, channel })
    expect((await send({ id: '', token: await token('api_request') }, {})).error.code).toBe(
      'approval_required',
    )
    expect(await requests(msp)).toMatchObject([{ requested_by_type: 'USER', requested_by_id: msp.admin.id }])
    for (const other of ['API_REQUEST', 'dashboard', null, ['api_request']])
      expect((await send({ id: '', token: await token(other) }, {})).status).toBe(200)
  })

  it('a key that acts for a user asks in the name of the user', async () => {
    const msp = await world()
    await send(await channelKey(msp, { acting_user_id: msp.admin.id }), {})
    expect(await requests(msp)).toMatchObject([{ requested_by_type: 'USER', requested_by_id: msp.admin.id }])
  })
})

describe.each(Object.entries(INTERFACES))('outside the channel (%s)', (_name, send) => {
  it('calls run at once, whatever header they carry', async () => {
    const msp = await world()
    const headers = { channel: 'api_request', 'x-channel': 'API_REQUEST' }
    for (const caller of [msp.key, msp.admin])
      expect(await send(caller, { name: 'test_always', headers })).toMatchObject({ status: 200, data: true })
    expect([await requests(msp), await hasRun(msp, 'test_always')]).toEqual([[], true])
    expect(await activitiesOf(msp)).toMatchObject([
      { context: { channel: null } },
      { context: { channel: null } },
    ])
  })
})

describe.runIf(process.env.DATABASE_URL)('20 at once through the channel', () => {
  it('of the same call leave one request behind', async () => {
    const msp = await world()
    const key = await channelKey(msp)
    const answers = await Promise.all(Array.from({ length: 20 }, () => INTERFACES.rest(key, {})))
    expect(new Set(answers.map(({ error }) => error.details.til_request_id)).size).toBe(1)
    expect(await requests(msp)).toHaveLength(1)
    expect(await activitiesOf(msp)).toHaveLength(1)
  })
})

describe('an operation that may need approval', () => {
  it('says so in OpenAPI, and to whoever discovers it', () => {
    const { paths } = openApiDocument(schemas.operations) as unknown as {
      paths: Record<string, Record<string, { description: string; responses: Record<string, unknown> }>>
    }
    const always = paths['/public-api/test_always/{thing_id}']?.delete
    const by_group = paths['/public-api/test_by_group/{thing_id}']?.put
    expect(always?.description).toContain('waits for a technician’s approval: it is answered with 409')
    expect(by_group?.description).toContain('unless the permission group TECHNICIANS does not require it')
    expect(Object.keys(always?.responses ?? {})).toContain('409')
    const approvals = schemas.operations.map(({ name, approval }) => [name, approval?.group ?? null])
    expect(Object.fromEntries(approvals)).toEqual({
      test_nothing: null,
      test_always: 'TECHNICIANS',
      test_by_group: 'TECHNICIANS',
    })
  })
})

describe('the replacement of a key of the channel', () => {
  it('is of the channel too', async () => {
    const msp = await world()
    const key = await channelKey(msp)
    const shared = await startApp(msp.database)
    const rotate = { method: 'POST', headers: { authorization: `Bearer ${msp.admin.token}` } }
    const response = await fetch(`${shared.base}/public-api/api-keys/${key.id}/rotate`, rotate)
    const { data } = await response.json()
    await shared.app.close(0)
    expect((await INTERFACES.rest({ id: data.id, token: data.key }, {})).error.code).toBe('approval_required')
  })
})
