/** PostGraphile 5 over the same tables, as it runs in production: nothing watched, nothing explained. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { postgraphile } from 'postgraphile'
import { makePgService } from 'postgraphile/adaptors/pg'
import { grafserv } from 'postgraphile/grafserv/node'
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber'

const { DATABASE_URL = '', POOL = '4' } = process.env

const server = createServer()
await postgraphile({
  extends: [PostGraphileAmberPreset],
  // It would leave out orders and conditions that no index begins with, of those that the reads need.
  disablePlugins: ['PgIndexBehaviorsPlugin'],
  pgServices: [
    makePgService({
      connectionString: DATABASE_URL,
      schemas: ['public'],
      poolConfig: { max: Number(POOL), idleTimeoutMillis: 60_000 },
    }),
  ],
  grafserv: { watch: false, graphiql: false },
  grafast: { explain: false },
})
  .createServ(grafserv)
  .addTo(server)

server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
