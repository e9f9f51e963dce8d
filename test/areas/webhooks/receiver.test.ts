/** The receiver that docs/webhooks.md shows, as its readers run it. */
import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { expect, it, onTestFinished } from 'vitest'
import { newSecret, signatureHeaders } from '../../../src/areas/webhooks/secrets.ts'
import { addEvents } from '../../setup/events.ts'
import { freePort } from '../../setup/free-port.ts'
import { until } from '../../setup/until.ts'
import { deliveriesOf, describeWebhooks, sendWebhooks, subscribeTo } from '../../setup/webhooks.ts'
import { world } from '../../setup/world.ts'

const TYPE = 'dispatch.suggested'

async function program(): Promise<string> {
  const text = await readFile('docs/webhooks.md', 'utf8')
  const [, block = ''] = /^```js\n(.*?)^```$/ms.exec(text) ?? []
  return block
}

const post = async (url: string, headers: Record<string, string>, body: string): Promise<number> =>
  (await fetch(url, { method: 'POST', headers, body })).status

/** The receiver, once it listens, and the lines that it has printed. */
async function receiver(url: string, secret: string) {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', await program()], {
    env: { WEBHOOK_SECRET: secret, PORT: new URL(url).port },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let printed = ''
  child.stdout.on('data', (chunk) => {
    printed += chunk
  })
  await until(() =>
    post(url, {}, '')
      .then(() => true)
      .catch(() => false),
  )
  return { lines: () => printed.split('\n').slice(0, -1) }
}

it('the receiver has ten lines', async () => {
  expect((await program()).trimEnd().split('\n')).toHaveLength(10)
})

describeWebhooks('the ten lines', (api) => {
  it('take the events of the service once, and refuse forged and changed ones', async () => {
    const msp = await world()
    const url = `http://127.0.0.1:${await freePort()}/hook`
    const { data } = await subscribeTo(api, msp.admin, { url })
    const { lines } = await receiver(url, data.secret)
    await addEvents(msp, [{ type: TYPE, data: { n: 1 } }])
    await sendWebhooks(msp)
    const [delivery] = await deliveriesOf(msp)
    expect(delivery).toMatchObject({ status: 'SUCCEEDED', attempts: [{ status_code: 204 }] })
    await until(() => lines().length > 0)
    expect(lines()).toEqual([`${delivery?.event_id} ${TYPE} { n: 1 }`])

    await api.call(msp.admin, 'resend_webhook_delivery', { delivery_id: delivery?.id })
    await sendWebhooks(msp)
    const [again] = await deliveriesOf(msp)
    expect(again).toMatchObject({
      status: 'SUCCEEDED',
      attempts: [{ status_code: 204 }, { status_code: 204 }],
    })

    const [now, body] = [new Date(), JSON.stringify({ id: 'evt_x', type: TYPE, data: {} })]
    const signed = (secret: string) => signatureHeaders([secret], 'evt_x', now, body)
    expect(await post(url, signed(newSecret()), body)).toBe(400)
    expect(await post(url, signed(data.secret), body.replace('evt_x', 'evt_y'))).toBe(400)
    expect(await post(url, { ...signed(data.secret), 'webhook-id': 'evt_y' }, body)).toBe(400)
    expect(await post(url, signed(data.secret), body)).toBe(204)
    await until(() => lines().length > 1)
    expect(lines()).toHaveLength(2)
  })

  it('take both secrets for a day after a rotation', async () => {
    const msp = await world()
    const url = `http://127.0.0.1:${await freePort()}/hook`
    const { data } = await subscribeTo(api, msp.admin, { url })
    await receiver(url, data.secret)
    await api.call(msp.admin, 'rotate_webhook_endpoint_secret', { endpoint_id: data.id })
    await addEvents(msp, [{ type: TYPE }])
    await sendWebhooks(msp)
    expect(await deliveriesOf(msp)).toMatchObject([{ status: 'SUCCEEDED', attempts: [{ status_code: 204 }] }])
  })
})
