import { describe, expect, it } from 'vitest'
import { type Api, apis, describeApi, outcome } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { addEntries } from '../../setup/audit-log.ts'
import { request } from '../../setup/http.ts'
import { type Msp, world } from '../../setup/world.ts'
import { ago, ids, sharedAgents, sharedCalls } from './calls.ts'

const [graphql] = apis as readonly [Api]

const MINUTES = 60_000
const PATIENT = { timeout: 15_000 }

const urlOf = async (msp: Msp, args: object = {}, caller = msp.owner, api = graphql): Promise<string> => {
  const { data } = await api.call(caller, 'audit_log_export', { ...args })
  return data.download_url
}

async function linesOf(url: string): Promise<Record<string, unknown>[]> {
  const text = await (await request(url)).text()
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
}

const codeOfAny = async (url: string) => {
  const response = await request(url)
  const text = await response.text()
  return [response.status, response.ok ? undefined : JSON.parse(text).error.code]
}

const codeOf = async (url: string) => {
  const response = await request(url)
  return [response.status, (await response.json()).error?.code]
}

describeApi('an export of the audit log', (api) => {
  it('is an address that expires, for five minutes', async () => {
    const msp = await sharedCalls()
    clock.freeze()
    const { status, data } = await api.call(msp.key, 'audit_log_export', { format: 'csv' })
    const seconds = Math.floor(clock.now().getTime() / 1000)
    expect([status, data]).toEqual([
      200,
      {
        download_url: expect.stringMatching(
          /^\/public-api\/downloads\/audit-log\?grant=[\w-]+&expires=\d+&signature=[\w-]+$/,
        ),
        expires_at: new Date((seconds + 300) * 1000).toISOString(),
        format: 'csv',
      },
    ])
  })

  it('is for admins', async () => {
    const msp = await sharedCalls()
    expect(outcome(await api.call(msp.user, 'audit_log_export'))).toEqual([403, 'forbidden'])
    const acting = await msp.newKey({ acting_user_id: msp.user.id })
    expect(outcome(await api.call(acting, 'audit_log_export'))).toEqual([403, 'forbidden'])
  })

  it('takes the filters of the list, and refuses what the list refuses', async () => {
    const msp = await sharedCalls()
    for (const args of [{ agent_id: 2 }, { execution_id: 'exe_3' }, { from: ago(2.5).toISOString() }, {}]) {
      const listed = await api.call(msp.owner, 'audit_log', args)
      const lines = await linesOf(await urlOf(msp, args, msp.owner, api))
      expect(lines, JSON.stringify(args)).toEqual(listed.data)
    }
    const wrong = { from: ago(1).toISOString(), to: ago(2).toISOString() }
    expect(outcome(await api.call(msp.owner, 'audit_log_export', wrong))).toEqual([400, 'invalid_window'])
    const early = await api.call(msp.owner, 'audit_log_export', { from: ago(90).toISOString() })
    expect(early.warnings).toEqual([expect.stringMatching(/^window_retention: /)])
  })
})

describe('a downloaded file', () => {
  it('has every row once and in order, over all of its pages', async () => {
    const msp = await sharedAgents()
    const count = 450
    await addEntries(
      msp,
      Array.from({ length: count }, (_, n) => ({
        id: `aud_${n}`,
        agent_id: 1,
        execution_id: 'exe_1',
        occurred_at: ago(1 + (count - n) / 100),
      })),
    )
    const response = await request(await urlOf(msp))
    expect([
      response.status,
      ...['content-type', 'content-disposition'].map((name) => response.headers.get(name)),
    ]).toEqual([200, 'application/x-ndjson; charset=utf-8', 'attachment; filename="audit-log.ndjson"'])
    expect(response.headers.get('cache-control')).toBe('no-store')
    const lines = (await response.text()).trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).id)).toEqual(
      Array.from({ length: count }, (_, n) => `aud_${count - 1 - n}`),
    )
  })

  it('has the calls up to the request for its address', async () => {
    const msp = await sharedCalls()
    const url = await urlOf(msp)
    clock.advance(2 * MINUTES)
    await addEntries(msp, [{ id: 'late', agent_id: 1, execution_id: 'exe_1', occurred_at: clock.now() }])
    expect((await linesOf(url)).map(({ id }) => id)).toEqual(['d1', 'c1', 'b1', 'a1'])
    expect(ids(await graphql.call(msp.owner, 'audit_log'))).toContain('late')
    clock.reset()
  })

  it('is CSV by RFC 4180, in which no text is a formula', async () => {
    const msp = await sharedAgents()
    await addEntries(msp, [
      {
        id: 'aud_1',
        agent_id: 1,
        execution_id: 'exe_1',
        occurred_at: ago(1),
        agent_name: '=cmd|calc',
        psa_company_name: 'Alder, "Finch"',
        result_summary: 'one\ntwo',
        error_message: null,
        arguments: { a: 1 },
      },
    ])
    const response = await request(await urlOf(msp, { format: 'csv' }))
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
    const text = await response.text()
    const [names = '', ...rest] = text.split('\r\n')
    expect(names.split(',').slice(0, 4)).toEqual(['id', 'occurred_at', 'agent_id', 'agent_name'])
    const row = rest.join('\r\n')
    expect(row).toMatch(/^aud_1,\d{4}-[^,]+Z,1,'=cmd\|calc,exe_1,/)
    for (const cell of [`,"{""a"":1}",`, `,"Alder, ""Finch""",`, ',"one\ntwo",']) expect(row).toContain(cell)
    expect(text.endsWith('\r\n')).toBe(true)
  })

  it('of nothing is empty, or its line of names alone', async () => {
    const msp = await sharedAgents()
    expect(await (await request(await urlOf(msp))).text()).toBe('')
    const csv = await (await request(await urlOf(msp, { format: 'csv' }))).text()
    expect(csv.split('\r\n').map((line) => line.split(',').length)).toEqual([33, 1])
  })

  it('is only of the tenant and the environment that the address was made in', async () => {
    const [msp, other] = [await sharedCalls(), await sharedCalls()]
    await addEntries({ ...other }, [{ id: 'theirs', agent_id: 1, execution_id: 'exe_1' }])
    const shown = (await linesOf(await urlOf(msp))).map(({ id }) => id)
    expect(shown).toEqual(['d1', 'c1', 'b1', 'a1'])
    expect((await linesOf(await urlOf(other))).map(({ id }) => id)).toContain('theirs')
  })
})

describe('a signed address', () => {
  it('is refused once it has expired', async () => {
    const url = await urlOf(await sharedCalls())
    clock.advance(5 * MINUTES + 1)
    try {
      expect(await codeOf(url)).toEqual([401, 'signature_expired'])
    } finally {
      clock.reset()
    }
  })

  it('is refused once its MSP is suspended', async () => {
    const msp = await sharedCalls()
    const url = await urlOf(msp)
    await msp.database.prisma.tenant.update({
      where: { id: msp.tenant_id },
      data: { suspended_at: clock.now() },
    })
    expect(await codeOf(url)).toEqual([403, 'tenant_suspended'])
  })

  it('is refused if anything in it was changed, added or left out', async () => {
    const msp = await sharedCalls()
    const url = await urlOf(msp)
    const [path = '', search = ''] = url.split('?')
    const changed = (change: (query: URLSearchParams) => void) => {
      const query = new URLSearchParams(search)
      change(query)
      return `${path}?${query}`
    }
    const later = String(Math.floor(Date.now() / 1000) + 3600)
    const grant = JSON.parse(
      Buffer.from(new URLSearchParams(search).get('grant') ?? '', 'base64url').toString(),
    )
    const forged = Buffer.from(JSON.stringify({ ...grant, tenant_id: 'ten_other' })).toString('base64url')
    const wrong = [
      path,
      `${path}?grant=x`,
      changed((query) => query.set('expires', later)),
      changed((query) => query.set('grant', forged)),
      changed((query) => query.append('grant', forged)),
      changed((query) => query.set('other', '1')),
      changed((query) => query.delete('signature')),
      changed((query) => query.set('signature', '')),
      changed((query) => query.set('signature', `${query.get('signature')}A`)),
    ]
    for (const address of wrong) expect(await codeOf(address), address).toEqual([401, 'invalid_signature'])
    const mixed = changed((query) => {
      const pairs = [...query].reverse()
      for (const [name] of pairs) query.delete(name)
      for (const [name, value] of pairs) query.set(name, value)
    })
    expect((await request(mixed)).status).toBe(200)
  })

  it('is read by GET alone', async () => {
    const url = await urlOf(await sharedCalls())
    const response = await request(url, { method: 'POST' })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, OPTIONS'])
  })

  it('is refused once its user may not ask for it any more', async () => {
    const msp = await world()
    const { prisma } = msp.database
    const url = await urlOf(msp, {}, msp.admin)
    const where = { tenant_id: msp.tenant_id, id: msp.admin.id }
    expect((await request(url)).status).toBe(200)
    await prisma.tenantUser.updateMany({ where, data: { role: 'USER' } })
    expect(await codeOf(url)).toEqual([403, 'forbidden'])
    await prisma.tenantUser.updateMany({ where, data: { role: 'OWNER' } })
    expect((await request(url)).status).toBe(200)
    await prisma.tenantUser.deleteMany({ where })
    expect(await codeOf(url)).toEqual([403, 'forbidden'])
  })

  it('is refused once its key, or the user that the key acts for, may not ask for it any more', async () => {
    const msp = await world()
    const { prisma } = msp.database
    const acting = await msp.newKey({ acting_user_id: msp.admin.id })
    const [url, by_acting] = [await urlOf(msp, {}, msp.key), await urlOf(msp, {}, acting)]
    const state = (id: string, data: object) =>
      prisma.apiKey.updateMany({ where: { tenant_id: msp.tenant_id, id }, data })
    const codes = async () => [(await codeOfAny(url))[1], (await codeOfAny(by_acting))[1]]
    expect(await codes()).toEqual([undefined, undefined])
    await state(msp.key.id, { scopes: ['agents:read'] })
    const where = { tenant_id: msp.tenant_id, id: msp.admin.id }
    await prisma.tenantUser.updateMany({ where, data: { role: 'VIEWER' } })
    expect(await codes()).toEqual(['insufficient_scope', 'forbidden'])
    await state(msp.key.id, { revoked_at: clock.now() })
    await prisma.tenantUser.deleteMany({ where })
    expect(await codes()).toEqual(['credentials_revoked', 'acting_user_not_allowed'])
  })

  it('works for nothing else', async () => {
    const url = await urlOf(await sharedCalls())
    const { status } = await request(url.replace('/downloads/', '/'))
    expect(status).toBe(401)
  })
})

describe('at the same time,', () => {
  /** Leases of other downloads of the tenant. */
  const hold = (msp: Msp, slots: readonly number[], expires_at: Date) =>
    msp.database.prisma.downloadLease.createMany({
      data: slots.map((slot) => ({
        tenant_id: msp.tenant_id,
        environment: 'elsewhere',
        slot,
        holder: 'another',
        expires_at,
      })),
    })

  it('two files of a tenant are sent, over all of its environments', async () => {
    const msp = await sharedCalls()
    const soon = new Date(Date.now() + MINUTES)
    await hold(msp, [1], soon)
    const url = await urlOf(msp)
    expect(await linesOf(url)).toHaveLength(4)
    await hold(msp, [2], soon)
    const response = await request(url)
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '5'])
    expect((await response.json()).error).toMatchObject({
      code: 'rate_limited',
      details: { name: 'downloads', limit: 2, scope: 'TENANT' },
    })
    const other = await sharedCalls()
    expect((await request(await urlOf(other))).status).toBe(200)
  })

  it('a file whose process died counts for a minute', async () => {
    const msp = await sharedCalls()
    await hold(msp, [1, 2], new Date(Date.now() - MINUTES))
    const response = await request(await urlOf(msp))
    await response.text()
    expect(response.status).toBe(200)
  })

  it('a file that was sent, or that nobody took, no longer counts', async () => {
    const msp = await sharedCalls()
    const url = await urlOf(msp)
    for (let turn = 0; turn < 4; turn++) expect((await linesOf(url)).length).toBe(4)
    for (let turn = 0; turn < 4; turn++) {
      const aborting = new AbortController()
      await request(url, { signal: aborting.signal }).catch(() => {})
      aborting.abort()
    }
    await expect
      .poll(() => msp.database.prisma.downloadLease.count({ where: { tenant_id: msp.tenant_id } }), PATIENT)
      .toBe(0)
  })

  it.runIf(process.env.DATABASE_URL)('of twenty requests each is answered, or told to wait', async () => {
    const msp = await sharedCalls()
    const url = await urlOf(msp)
    const answers = await Promise.all(Array.from({ length: 20 }, () => request(url)))
    const statuses = answers.map(({ status }) => status)
    expect(new Set(statuses).size).toBeLessThanOrEqual(2)
    for (const status of statuses) expect([200, 429]).toContain(status)
    expect(statuses).toContain(200)
    await Promise.all(answers.map((answer) => answer.text()))
    const where = { tenant_id: msp.tenant_id }
    await expect.poll(() => msp.database.prisma.downloadLease.count({ where }), PATIENT).toBe(0)
  })
})
