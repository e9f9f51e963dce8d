/** Technicians, messages, the run itself, and its skills. */
import {
  choice,
  done,
  flag,
  id,
  instant,
  list,
  object,
  optional,
  results,
  search,
  share,
  text,
  whole,
} from '../json-schema.ts'
import { reads, writes } from '../tool.ts'

const technicians = { works_in: 'PSA', permission_group: 'TECHNICIANS' } as const
const TECHNICIAN = whole('The id of the technician.', 1, 2_147_483_647)
const CHANGED = object({ technician_id: TECHNICIAN })

export const PEOPLE_TOOLS = [
  reads('technician.search', {
    ...technicians,
    title: 'Search technicians',
    description: 'Finds technicians by name or skill, with how many open tickets they have.',
    input: search('the name or a skill'),
    output: results({
      technician_id: TECHNICIAN,
      name: text('The name.'),
      open_tickets: whole('The number of open tickets.', 0, 100_000),
    }),
  }),
  reads('technician.read_schedule', {
    ...technicians,
    title: 'Read working hours',
    description: 'Reads the working hours of a technician, and when they are next at work.',
    input: object({ technician_id: TECHNICIAN }),
    output: object({
      technician_id: TECHNICIAN,
      next_available_at: optional(instant('When they are next at work; null: never.')),
    }),
  }),
  writes('technician.replace_schedule', {
    ...technicians,
    title: 'Replace working hours',
    description: 'Replaces the working hours of every technician on a schedule.',
    requires_approval: true,
    second_person: 'UNLESS_TURNED_OFF',
    destructive: true,
    idempotent: true,
    input: object({
      schedule_id: whole('The schedule.', 1, 2_147_483_647),
      windows: list(
        object({
          day: text('MONDAY to SUNDAY.', 9),
          start_time: text('HH:MM.', 5),
          end_time: text('HH:MM.', 5),
        }),
        50,
      ),
    }),
    output: object({ schedule_id: whole('The schedule.', 1, 2_147_483_647) }),
  }),
  writes('technician.delete', {
    ...technicians,
    title: 'Delete technician',
    description: 'Clears the profile of a technician.',
    requires_approval: true,
    second_person: 'ALWAYS',
    destructive: true,
    idempotent: true,
    input: object({ technician_id: TECHNICIAN }),
    output: CHANGED,
  }),
  writes('message.send', {
    works_in: 'PSA',
    title: 'Send message',
    description: 'Writes an e-mail to a contact through the PSA, so that the ticket keeps it.',
    requires_approval: true,
    input: object({
      contact_id: id('The contact.'),
      subject: text('The subject.'),
      body: text('The text.', 20_000),
    }),
    output: done('message_id', 'The id of the message.'),
  }),
  writes('chat.send', {
    works_in: 'TEAM_CHAT',
    title: 'Send chat message',
    description: 'Writes to a technician in the team chat.',
    input: object({ technician_id: TECHNICIAN, text: text('The text.', 4000) }),
    output: done('message_id', 'The id of the message.'),
  }),
  reads('technician.ask', {
    grant: 'OWN_RULE',
    title: 'Ask a technician',
    description: 'Asks a technician if an instruction leaves a decision open. Supervised agents have it.',
    idempotent: false,
    input: object(
      { question: text('The question.', 4000), options: list(text('An answer to choose.'), 10) },
      ['options'],
    ),
    output: object({ answer: text('The answer.', 4000) }),
  }),
  reads('run.propose_plan', {
    grant: 'OWN_RULE',
    title: 'Propose a plan',
    description: 'Shows the plan of a supervised run before its first change. Supervised agents have it.',
    idempotent: false,
    input: object({ steps: list(text('A step.', 1000), 50) }),
  }),
  writes('escalation.raise', {
    grant: 'OWN_RULE',
    title: 'Raise an escalation',
    description: 'Hands the work to people. Agents with an escalation policy have it.',
    input: object(
      {
        reason: text('The reason.', 1024),
        end_user_asked: flag('True if an end user asked for a person. False if it is left out.'),
      },
      ['end_user_asked'],
    ),
    output: done('event_id', 'The id of the escalation.'),
  }),
  writes('run.finish', {
    grant: 'RUNTIME_ONLY',
    title: 'Finish',
    description: 'Ends the run with a message for the dashboard, and says how far the work came.',
    input: object(
      {
        message: text('The message.', 4000),
        resolution: choice('How much of the work is resolved.', 'NONE', 'PARTIAL', 'FULL'),
        confidence: share('How sure the agent is of that: 1 is certain.'),
      },
      ['confidence'],
    ),
  }),
  writes('run.wait', {
    grant: 'RUNTIME_ONLY',
    title: 'Wait',
    description: 'Pauses the run until an instant.',
    input: object({ until: instant('When it goes on.') }),
  }),
  reads('run.read_result', {
    grant: 'RUNTIME_ONLY',
    title: 'Read a long result',
    description: 'Reads a part of a result that was too long for one answer.',
    input: object({ call_id: id('The tool call.'), offset: whole('The first character.', 0, 2_147_483_647) }),
    output: object({
      call_id: id('The tool call.'),
      characters: whole('The characters of the whole result.', 0, 2_147_483_647),
      text: { type: 'string', maxLength: 20_000, description: 'A part of the result, which is JSON.' },
      next_offset: optional(
        whole('The first character of the next part; null: there is none.', 0, 2_147_483_647),
      ),
    }),
  }),
  reads('skill.read', {
    grant: 'RUNTIME_ONLY',
    title: 'Read skill',
    description: 'Reads a file of a skill of the agent. Runs of agents with skills have it.',
    input: object({ slug: id('The skill.'), path: text('The file; SKILL.md if none is named.', 500) }, [
      'path',
    ]),
    output: object({
      slug: id('The skill.'),
      version: whole('The version of the skill that the run has.', 1, 2_147_483_647),
      path: text('The file.', 500),
      content: { type: 'string', description: 'The whole file, which is text.' },
    }),
  }),
  writes('conversation.reply', {
    grant: 'RUNTIME_ONLY',
    title: 'Reply',
    description: 'Answers in the conversation that the run belongs to.',
    input: object({ text: text('The text.', 4000) }),
  }),
]
