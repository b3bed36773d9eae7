/** What was said to the agent, by a person or by the steering, and whether it has read it. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { MessageView } from '../../../src/protocol/views/message-view.ts';
import { get } from '../connection/api.ts';
import { moment, visible } from '../parts/words.ts';

const STATES: Readonly<
  Record<MessageView['state'], readonly [sign: string, look: string, word: string]>
> = {
  queued: ['◌', 'waiting', 'queued'],
  sent: ['○', 'unproven', 'sent'],
  seen: ['✔', 'good', 'seen'],
  parked: ['■', 'stopped', 'parked'],
};

export function Messages({
  run,
  seq,
  now,
}: {
  readonly run: string;
  readonly seq: number;
  readonly now: number;
}): ReactNode {
  const { data = [] } = useQuery({
    queryKey: ['messages', run, seq],
    queryFn: ({ signal }) => get<readonly MessageView[]>(`/v1/runs/${run}/messages`, signal),
    placeholderData: keepPreviousData,
    enabled: seq > 0,
  });
  if (data.length === 0) return null;
  return (
    <section aria-label="Messages">
      <h2>Messages</h2>
      <ol className="causes">
        {data.map((message) => {
          const [sign, look, word] = STATES[message.state];
          return (
            <li key={message.id}>
              <span className={`state ${look}`}>
                {sign} {word}
              </span>{' '}
              <time dateTime={new Date(message.at).toISOString()}>{moment(message.at, now)}</time>{' '}
              <span className="note">
                {message.verb}
                {message.request === null ? '' : `, in model call ${message.request}`}
                {message.why === null ? '' : `, ${visible(message.why)}`}
              </span>
              <br />
              {visible(message.text)}
            </li>
          );
        })}
      </ol>
    </section>
  );
}
