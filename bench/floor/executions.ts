import type { FastifyInstance } from 'fastify'
import { Refusal } from './call.ts'
import { rows } from './database.ts'
import { route } from './route.ts'
import { visibleTo } from './visible.ts'

// Two statements: whoever sees every agent pays for no look at visibility.
const one = (name: string, and: string) => ({
  name,
  text: `select e.execution_id, e.agent_id, a.name as agent_name, e.status, e.resolution, e.trigger, e.supervised,
           e.entity_id, e.entity_number, e.processed_sub_entity_ids, e.seconds_spent, e.hours_saved, e.credits_consumed,
           e.run_count, e.error, e.failure_kind,
           substring(e.error from '^([a-z][a-z0-9_]*): ') as error_code, e.message_for_dashboard, e.additional_custom_instructions,
           e.retry_of_execution_id, e.callback_id, e.created_at, e.updated_at, e.started_at, e.finished_at,
           (select count(*)::int from til_request r
            where r.tenant_id = e.tenant_id and r.environment = e.environment and r.execution_id = e.execution_id
              and r.status = 'PENDING') as pending_til_request_count
         from execution e
         join agent a on a.tenant_id = e.tenant_id and a.environment = e.environment and a.id = e.agent_id
         where e.tenant_id = $1 and e.environment = $2 and e.execution_id = $3 ${and}`,
})
const ANY = one('execution', '')
const VISIBLE = one('execution_visible', `and ${visibleTo('$4')}`)

const params = {
  type: 'object',
  properties: { execution_id: { type: 'string', minLength: 1, maxLength: 200 } },
}

export function executions(app: FastifyInstance): void {
  app.get<{ Params: { execution_id: string } }>(
    '/public-api/executions/:execution_id',
    { schema: { params } },
    route('executions:read', async (call, request) => {
      const { execution_id } = request.params as { execution_id: string }
      const { tenant_id, environment, restricted_to } = call.caller
      const values = [tenant_id, environment, execution_id]
      const [data] = restricted_to
        ? await rows(call, VISIBLE, [...values, restricted_to])
        : await rows(call, ANY, values)
      if (!data) throw new Refusal(404, 'execution_not_found')
      return { data }
    }),
  )
}
