/** The technician that a user of the dashboard is: without one, the user decides no requests to technicians. */
import { forbidden } from '../../access/policies/authorize.ts'
import { dashboardAdmins } from '../../access/policies/policies.ts'
import { isAtLeast } from '../../access/policies/roles.ts'
import { callerOf, personIdOf, roleOf } from '../../access/viewer.ts'
import { ApiError, bodyProblem, invalid } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import { builder } from '../../schema/builder.ts'
import { change } from '../../schema/changes/change.ts'
import { area } from './area.ts'
import { lockTechnician } from './lock-technician.ts'
import { lockUsers, TENANT_USER } from './queries.ts'
import { roleToLink } from './rules.ts'
import { TenantUser, userEtag } from './user.ts'

/** Checks that the technician can be linked, and locks them. */
async function requireUnlinked(ctx: Context, technician_id: number): Promise<void> {
  const technician = await lockTechnician(ctx, technician_id)
  if (!technician)
    throw invalid([bodyProblem('technician_id', 'unknown', 'is not a technician of the tenant')])
  const { user_id } = technician
  if (user_id !== null) throw new ApiError('technician_already_linked', { details: { user_id } })
}

const TechnicianLink = builder.inputType('TechnicianLink', {
  description: 'The technician that a user is.',
  fields: (t) => ({
    technician_id: t.int({
      min: 1,
      nullable: true,
      must_be_given: true,
      description: 'The `id` of the technician. null: the user is none.',
    }),
  }),
})

area.mutation('link_user_technician', (t) =>
  t.field({
    type: TenantUser,
    description:
      'Links the user to the technician that they are, who may then decide what is asked of that technician. It ' +
      'replaces the link that the user had. Only an OWNER changes their own link.',
    rest: { method: 'PUT', path: '/tenant/users/{user_id}/technician' },
    // Contract silent: who decides is not changed by a key, as roles are not.
    access: dashboardAdmins,
    errors: ['user_not_found', 'technician_already_linked', 'version_conflict'],
    etag: userEtag,
    args: { user_id: t.arg(TENANT_USER.key), input: t.arg({ type: TechnicianLink, required: true }) },
    resolve: async (_root, { user_id, input }, ctx) => {
      const technician_profile_id = input.technician_id ?? null
      const caller = callerOf(ctx)
      const { user } = await lockUsers(ctx, user_id)
      const needed = roleToLink(user_id, personIdOf(caller))
      if (!isAtLeast(roleOf(caller) ?? 'VIEWER', needed)) throw forbidden(needed, caller)
      return await change(ctx, TENANT_USER, user, {
        verb: technician_profile_id === null ? 'unlinked' : 'linked',
        decide: () => ({ technician_profile_id }),
        async beforeWrite() {
          if (technician_profile_id !== null) await requireUnlinked(ctx, technician_profile_id)
        },
      })
    },
  }),
)
