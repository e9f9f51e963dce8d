/** The rules of channels. */
import { bodyProblem, type FieldError } from '../../errors/errors.ts'

type Transport = 'SLACK' | 'MICROSOFT_TEAMS' | 'WHITE_LABEL_TEAMS_APP' | 'WEB_CHAT'

interface Answering {
  state: string
  autonomy_type: string
}

/** The reason why the agent cannot answer in a chat; null: it can. */
export function agentProblem({
  state,
  autonomy_type,
}: Answering): 'agent_not_conversational' | 'agent_not_active' | null {
  if (autonomy_type !== 'CONVERSATIONAL') return 'agent_not_conversational'
  return state === 'ACTIVE' ? null : 'agent_not_active'
}

export interface Binding {
  transport: Transport
  audience: 'TECHNICIANS' | 'END_USERS'
  workspace_id: string | null
  workspace_name: string | null
  tickets_tab_enabled: boolean
  install_url: string | null
}

/** The problems of fields that a channel of this transport does not take. */
export function transportProblems(channel: Binding): FieldError[] {
  const { transport, audience, workspace_id, workspace_name, tickets_tab_enabled, install_url } = channel
  const problems: FieldError[] = []
  const refuse = (field: string, when: boolean, message: string): void => {
    if (when) problems.push(bodyProblem(field, 'transport', message))
  }
  const has_workspace = transport === 'SLACK' || transport === 'MICROSOFT_TEAMS'
  const is_app = transport === 'WHITE_LABEL_TEAMS_APP'
  refuse('audience', is_app && audience !== 'END_USERS', 'must be END_USERS for a white-label app')
  refuse('workspace_id', workspace_id !== null && !has_workspace, `is not for ${transport}`)
  const is_named_alone = workspace_name !== null && workspace_id === null
  refuse('workspace_name', is_named_alone, 'must come with workspace_id')
  refuse('tickets_tab_enabled', tickets_tab_enabled && !is_app, `is not for ${transport}`)
  refuse('install_url', install_url !== null && transport === 'WEB_CHAT', `is not for ${transport}`)
  return problems
}

/** The status of a new channel: a chat on a web page needs no installation. */
export const firstStatus = (transport: Transport): 'ACTIVE' | 'PENDING_INSTALL' =>
  transport === 'WEB_CHAT' ? 'ACTIVE' : 'PENDING_INSTALL'

/** The statuses in which an app is installed, so that archiving its agent pauses the channel. */
export const PAUSED_BY_ARCHIVING = ['ACTIVE', 'ERROR'] as const

/** The statuses in which a channel can be changed. */
export const CHANGEABLE = ['PENDING_INSTALL', 'ACTIVE', 'PAUSED', 'ERROR'] as const

export const STATUSES = [...CHANGEABLE, 'UNINSTALLED'] as const

/** The statuses in which a channel can be tested. */
export const TESTABLE = ['ACTIVE', 'ERROR'] as const

export const isTestable = ({ status }: { status: string }): boolean =>
  (TESTABLE as readonly string[]).includes(status)

/** The answers in a row after which a channel is in ERROR. */
export const FAILED_SENDS = 3

/** The reason of a channel in ERROR whose chat takes no messages of it. */
export const REFUSED = 'The chat takes no messages of the channel.'

/** The columns that a test of a channel sets. */
// Contract silent: a test that fails is enough for ERROR, so that its answer shows what came of it.
export const tested = (is_open: boolean) =>
  is_open
    ? { status: 'ACTIVE' as const, status_reason: null, failed_sends: 0 }
    : { status: 'ERROR' as const, status_reason: REFUSED }

interface Sender {
  workplace_user_id: string | null
  end_user_id: string | null
}

/** The problems of a sender who is named in no way or in two, or whom the channel is not for. */
export function senderProblems(audience: Binding['audience'], sender: Sender): FieldError[] {
  const named = [sender.workplace_user_id, sender.end_user_id].filter((id) => id !== null)
  if (named.length !== 1)
    return [bodyProblem('sender', 'one_of', 'must have workplace_user_id or end_user_id, and not both')]
  if (audience === 'TECHNICIANS' && sender.end_user_id !== null)
    return [bodyProblem('sender.end_user_id', 'audience', 'is not for a channel of TECHNICIANS')]
  return []
}
