import { approvalAlways } from '../../schema/approval.ts'
import { defineArea } from '../../schema/builder.ts'

export const area = defineArea({
  name: 'Technicians',
  slug: 'technicians',
  description:
    'The technicians of the MSP as the agents know them, and the schedules of their working hours.',
  approval: approvalAlways('TECHNICIANS'),
  example: `
query Technicians {
  technicians(is_ready: true, page_size: 20) {
    items { id name profile profile_status skills open_ticket_count schedule { name timezone } }
    pagination { next_cursor has_more }
  }
}

# query Availability {
#   technician_availability(profile_id: 1) { available until next_available_at timezone }
# }

# query Schedules {
#   technician_schedules { items { id name timezone windows { day start_time end_time } technicians { items { name } } } }
# }

# mutation LongerHours {
#   replace_technician_schedule(schedule_id: 1, input: {
#     name: "Day shift", timezone: "Europe/London", windows: [{ day: "mon", start_time: "8:00", end_time: "18:00" }]
#   }) { id windows { day start_time end_time } updated_by_user }
# }`,
})
