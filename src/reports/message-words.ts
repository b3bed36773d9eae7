/** What became of a message, in words. */
import { plural } from '../base/text.ts';
import type { MessageChannelName } from '../protocol/run-message.ts';
import type { MessageView } from '../protocol/views/message-view.ts';
import { isDone } from '../protocol/views/message-view.ts';

const CHANNELS: Readonly<Record<MessageChannelName, string>> = {
  prompt: 'with the prompt',
  hook: 'through a hook',
  gateway: 'through the gateway',
};

export function describeMessageState(message: MessageView): string {
  const { state, why, channel, attempt, request, times } = message;
  const how = channel === null ? '' : ` ${CHANNELS[channel]}`;
  const where = attempt === null ? '' : ` of attempt ${attempt}`;
  switch (state) {
    case 'queued':
      return 'queued';
    case 'parked':
      return `parked: ${why ?? 'it can not be delivered now'}`;
    case 'sent':
      return why === null ? `sent${how}${where}` : `sent${how}${where}, not seen: ${why}`;
    case 'seen': {
      const often = times === null || times === 1 ? '' : `, ${plural(times, 'time')}`;
      return `seen in model call ${request ?? '?'}${where}${often}, sent${how}`;
    }
  }
}

/** How many wait and how many were read, in one line. Null: there are none. */
export function summarizeMessages(messages: readonly MessageView[]): string | null {
  if (messages.length === 0) return null;
  const open = messages.filter((one) => !isDone(one));
  const parked = open.filter(({ state }) => state === 'parked');
  const seen = messages.filter(({ state }) => state === 'seen').length;
  const parts = [
    plural(messages.length, 'message'),
    ...(seen > 0 ? [`${seen} seen`] : []),
    ...(open.length > parked.length ? [`${open.length - parked.length} waiting`] : []),
    ...(parked.length > 0 ? [`${parked.length} parked: ${parked.at(-1)?.why ?? ''}`] : []),
  ];
  return parts.join(', ');
}
