/** The rules of users and of permission groups. */

import type { Role } from '../../access/policies/roles.ts'
import { bodyProblem, type FieldError } from '../../errors/errors.ts'
import type { GroupDefinition } from './permission-group-catalogue.ts'

/** True if the tenant would be left without an OWNER; `users` are at least its OWNERs. */
export const leavesNoOwner = (
  users: readonly { id: string; role: Role }[],
  user_id: string,
  role: Role,
): boolean => role !== 'OWNER' && !users.some((user) => user.role === 'OWNER' && user.id !== user_id)

/** The role that the caller needs to give somebody `role`: only an OWNER gives or takes OWNER. */
export const roleToGive = (role: Role, { role: before }: { role: Role }): Role =>
  role === 'OWNER' || before === 'OWNER' ? 'OWNER' : 'ADMIN'

/** The role that the caller needs to change the technician that a user is: one's own link changes an OWNER alone. */
export const roleToLink = (user_id: string, caller_id: string | null): Role =>
  user_id === caller_id ? 'OWNER' : 'ADMIN'

/** The problem with switching approval off: some groups always need it. */
export const approvalProblems = (
  { can_disable_approval }: Pick<GroupDefinition, 'can_disable_approval'>,
  requires_approval: boolean | undefined,
): FieldError[] =>
  requires_approval === false && !can_disable_approval
    ? [bodyProblem('requires_approval', 'always_required', 'cannot be switched off for this group')]
    : []

/** The problems of approvers who are no technicians of the tenant. */
export const approverProblems = (ids: readonly number[], known: ReadonlySet<number>): FieldError[] =>
  ids.flatMap((id, index) =>
    known.has(id)
      ? []
      : [bodyProblem(`approver_technician_ids.${index}`, 'unknown', 'is not a technician of the tenant')],
  )

const EMAIL = 'email'

/** The features of the tenant, with `email` where the service has a mail server, and nowhere else. */
export const featuresOf = (
  switched_on: readonly string[],
  { sends_mails }: { sends_mails: boolean },
): string[] => [...switched_on.filter((feature) => feature !== EMAIL), ...(sends_mails ? [EMAIL] : [])]
