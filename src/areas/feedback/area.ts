import { defineArea } from '../../schema/builder.ts'

export const area = defineArea({
  name: 'Feedback',
  slug: 'feedback',
  description:
    'End users say whether they are content with the work on their ticket: by a signed link, on a page that needs no account and ' +
    'no script. A program can show the form itself and submit its answer.',
  example: `
query AreCustomersContent {
  feedback_summary(group_by: COMPANY) {
    csat_pct response_rate_pct
    groups { label positive neutral negative csat_pct }
  }
}

# mutation AskForFeedback {
#   create_feedback_link(input: { execution_id: "exe_…" }) { id url expires_at }
# }`,
})
