/** Settings and permission groups of the demo MSP. */
import type { Seeding } from './seeding.ts'

export async function seedSettings({ tx, tenancy, ago }: Seeding): Promise<void> {
  await tx.settings.create({
    data: {
      ...tenancy,
      start_business_hours: 8,
      end_business_hours: 18,
      human_friendly_client_name: 'Harbourline Service Desk',
      sleep_before_callback_processing_seconds: 45,
      timezone: 'Europe/London',
      // Changed three times, as the activity log shows.
      revision: 4,
      updated_at: ago(26),
    },
  })
}

const GROUPS = [
  { name: 'TECHNICIANS', requires_approval: true, approvers: [201, 202] },
  { name: 'DEVICES', requires_approval: true, approvers: [201, 203, 207] },
  { name: 'IDENTITY', requires_approval: true, approvers: [201] },
  { name: 'TIME_ENTRIES', requires_approval: false, approvers: [] },
]

export async function seedPermissionGroups({ tx, tenancy, ago }: Seeding): Promise<void> {
  const technicians = await tx.technicianProfile.findMany({ where: tenancy })
  await tx.permissionGroupSetting.createMany({
    data: GROUPS.map(({ name, requires_approval, approvers }, index) => ({
      ...tenancy,
      name,
      requires_approval,
      approver_technician_ids: technicians
        .filter(({ psa_id }) => approvers.includes(psa_id))
        .map(({ id }) => id),
      updated_at: ago(90 - index * 11),
    })),
  })
}
