import { scope } from '../../../access/policies/policies.ts'
import { invalid } from '../../../errors/errors.ts'
import { refuseSecrets } from '../../../gateway/refuse-secrets.ts'
import { builder } from '../../../schema/builder.ts'
import { wantedFields } from '../../../schema/selection.ts'
import { area } from '../area.ts'
import { type Option, TilRequest, tilRequestEtag, tilRequestId } from '../til-request.ts'
import { decide } from './decide.ts'
import { DECISION_ERRORS, OF_CALLER } from './input.ts'
import { answerOf } from './rules/deciding.ts'

const AnswerToTilRequest = builder.inputType('AnswerToTilRequest', {
  description: 'The answer to a question: in words, or one of its options.',
  fields: (t) => ({
    answer: t.string({ min_length: 1, max_length: 4000, description: 'The answer in words.' }),
    option_id: t.id({ min_length: 1, max_length: 200, description: 'The `id` of the chosen option.' }),
  }),
})

area.mutation('answer_til_request', (t) =>
  t.prismaField({
    type: TilRequest,
    description:
      'Answers the question of an agent, in the name of one of the technicians who may decide it. The work goes on ' +
      `with the answer. ${OF_CALLER}`,
    rest: { method: 'POST', path: '/til-requests/{til_request_id}/answer' },
    access: scope('til_requests:decide'),
    errors: DECISION_ERRORS,
    etag: tilRequestEtag,
    args: {
      til_request_id: t.arg(tilRequestId),
      input: t.arg({ type: AnswerToTilRequest, required: true }),
    },
    resolve: (query, _root, { til_request_id, input }, ctx, info) => {
      refuseSecrets({ answer: input.answer })
      return decide(
        ctx,
        til_request_id,
        {
          decision: 'ANSWER',
          comment: null,
          columns({ options }) {
            const answer = answerOf(options as unknown as Option[] | null, input)
            if (Array.isArray(answer)) throw invalid(answer)
            return answer
          },
        },
        wantedFields(info),
        query,
      )
    },
  }),
)
