import { defineArea } from '../../schema/builder.ts'

export const area = defineArea({
  name: 'Skills',
  slug: 'skills',
  description:
    'The ways of working that agents follow: bundles of files in the Agent Skills format, whose `SKILL.md` the model reads ' +
    'when it needs it. Every change of the files, the name, the description or the tools makes a version at once; a run keeps ' +
    'the versions with which it began. No file is ever executed, and no skill gives an agent a tool or spares an approval.',
  example: `
query Skills {
  skills(status: [ACTIVE], page_size: 20) {
    items { id slug name description source version agent_ids allowed_tools }
    pagination { next_cursor has_more }
  }
}

# query WholeSkill {
#   skill(skill_id: "skl_built_in_ticket_triage") { name files { path content } }
# }

# mutation Teach {
#   create_skill(input: {
#     name: "Printer moves", description: "How we move printers between sites. Use for tickets that ask for it.",
#     instructions: "# Printer moves\\n\\n1. Read the ticket and the device.\\n", agent_ids: [1]
#   }) { id slug version files { path content } }
# }`,
})
