/**
 * The expert floor of ingest: it verifies the signature with a key that it knows, stores the event, its job and its payload
 * by one statement, and answers. It encrypts nothing, counts no limit, reads no connection and writes no log.
 */
import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'

const { DATABASE_URL, QUEUE, SIGNING_KEY = '', SECRET = '', TENANT = '', ENVIRONMENT = '' } = process.env

const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 5 })
const key = createHash('sha256').update(SIGNING_KEY).digest()

const STORE = `with stored as (
    insert into callback (tenant_id, environment, id, psa_type, entity_type, entity_id, status, received_at, event_id, source,
      action, has_job)
    values ($1, $2, $3, 'CONNECTWISE_PSA', 'TICKET', $4, 'QUEUED', now(), $5, 'WEBHOOK', 'UPDATED', true)
    on conflict (tenant_id, environment, event_id) do nothing returning id
  ), kept as (
    insert into callback_payload (tenant_id, environment, id, connection_id, callback_ids, received_at, payload)
    select $1, $2, id, 'con', array[id], now(), $6 from stored
  )
  insert into pgboss.job (name, data, start_after)
  select $7, jsonb_build_object('payload', jsonb_build_object('callback_id', id)), now() + interval '1 day'
  from stored`

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', async () => {
    const raw = Buffer.concat(chunks)
    const { searchParams } = new URL(request.url ?? '', 'http://floor')
    const wanted = createHmac('sha256', key).update(raw).digest()
    const given = Buffer.from(String(request.headers['x-content-signature']), 'base64')
    const is_right = searchParams.get('secret') === SECRET && wanted.length === given.length
    if (!is_right || !timingSafeEqual(wanted, given)) return void response.writeHead(404).end()
    const event = JSON.parse(raw.toString('utf8')) as { ID: number; MessageId: string }
    const payload = raw.toString('utf8')
    const values = [TENANT, ENVIRONMENT, randomUUID(), String(event.ID), event.MessageId, payload, QUEUE]
    await pool.query({ name: 'store', text: STORE, values })
    response.writeHead(202).end()
  })
})
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
