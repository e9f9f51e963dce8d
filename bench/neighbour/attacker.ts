/**
 * Plays an attack in a process of its own, with the double of the PSA. `ATTACK` is its number. It tells of the address
 * of the double, attacks when it is told where the service is, until the next message, and tells of what came of it.
 */
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { startHalo } from '../../test/doubles/halo/server.ts'
import { ATTACKS, type Attack } from './attacks.ts'

// What the attacker and the double do takes no processor from the service.
setPriority(19)

const attack = ATTACKS[Number(process.env.ATTACK)] as Attack
const double = await startHalo({ now: () => new Date() })
double.add('/Client', [{ id: 2, name: 'Acme', inactive: false, toplevel_id: 0 }])
double.add('/Tickets', [
  {
    id: 1,
    summary: 'Printer',
    details: '',
    status_id: 1,
    sla_id: 1,
    priority_id: 3,
    tickettype_id: 3,
    team: 'Service desk',
    client_id: 2,
    user_id: 0,
    agent_id: 1,
    dateoccurred: double.stamp(),
    dateclosed: '1900-01-01T00:00:00',
    last_update: double.stamp(),
  },
])
process.send?.(double.url)
const [service] = await once(process, 'message')
const ended = new AbortController()
const attacked = attack.run({ ...service, double }, ended.signal)
await once(process, 'message')
ended.abort()
process.send?.(await attacked, () => process.exit(0))
