/** The fields of a channel that callers give. */
import { builder } from '../../schema/builder.ts'

const WEB_ADDRESS = {
  matches: /^https:\/\/[^\s\\@/?#]+(?:[/?#][^\s\\]*)?$/,
  expected: 'an https address such as `https://msp.example/app`',
}

const address = { type: 'URL', max_length: 2048, pattern: WEB_ADDRESS, nullable: true } as const

export const name = { min_length: 1, max_length: 120, description: 'The name in the dashboard.' } as const

export const agentId = {
  min: 1,
  description: 'The agent that answers, by its `id`: one that is CONVERSATIONAL and ACTIVE.',
} as const

export const ticketsTab = {
  description: 'The app of WHITE_LABEL_TEAMS_APP shows end users their tickets.',
} as const

// Contract silent: the MSP publishes its chat apps itself, so that it knows where they are installed.
export const installUrl = {
  ...address,
  description: 'The address where an administrator installs the app. null: none. WEB_CHAT has none.',
} as const

export const ChannelBrandingInput = builder.inputType('ChannelBrandingInput', {
  description: 'The look of the app in the chat. A field that is left out keeps its value.',
  fields: (t) => ({
    display_name: t.string({
      min_length: 1,
      max_length: 60,
      description: 'The name of the app. That of a new channel is the channel’s name if it is left out.',
    }),
    accent_color: t.string({
      pattern: { matches: /^#[0-9a-fA-F]{6}$/, expected: 'a colour such as `#0b6e99`' },
      nullable: true,
      description: 'The app’s colour. null: the chat’s own.',
    }),
    logo_url: t.field({ ...address, description: 'The address of the app’s logo. null: none.' }),
  }),
})
