import { scope } from '../../../access/policies/policies.ts'
import { refuseSecrets } from '../../../gateway/refuse-secrets.ts'
import { builder } from '../../../schema/builder.ts'
import { wantedFields } from '../../../schema/selection.ts'
import { area } from '../area.ts'
import { TilReasonCode, TilRequest, tilRequestEtag, tilRequestId } from '../til-request.ts'
import { decide } from './decide.ts'
import { comment, DECISION_ERRORS, OF_CALLER } from './input.ts'

const RejectionOfTilRequest = builder.inputType('RejectionOfTilRequest', {
  description: 'The rejection of a request to technicians.',
  fields: (t) => ({
    comment: t.string({ ...comment, required: true, description: 'The reason in words, for who asked.' }),
    reason_code: t.field({ type: TilReasonCode, description: 'The sort of reason.' }),
  }),
})

area.mutation('reject_til_request', (t) =>
  t.prismaField({
    type: TilRequest,
    description:
      'Rejects a request to technicians, in the name of one of the technicians who may decide it. The write or the ' +
      `call that waited is not made. ${OF_CALLER}`,
    rest: { method: 'POST', path: '/til-requests/{til_request_id}/reject' },
    access: scope('til_requests:decide'),
    errors: DECISION_ERRORS,
    etag: tilRequestEtag,
    args: {
      til_request_id: t.arg(tilRequestId),
      input: t.arg({ type: RejectionOfTilRequest, required: true }),
    },
    resolve: (query, _root, { til_request_id, input: { comment, reason_code = null } }, ctx, info) => {
      refuseSecrets({ comment })
      const columns = () => ({ reason_code })
      return decide(ctx, til_request_id, { decision: 'REJECT', comment, columns }, wantedFields(info), query)
    },
  }),
)
