/** What a person can do to a run, each with its command. What can't be done now says why. */
import { useState } from 'react';
import type { ReactNode } from 'react';
import { shellWord } from '../../../src/base/shell-words.ts';
import type { RunView } from '../../../src/protocol/views/run-view.ts';
import { runStatus } from '../../../src/protocol/views/run-status.ts';
import { post } from '../connection/api.ts';
import { Action, useSending } from '../parts/action.tsx';
import { Dialog } from '../parts/dialog.tsx';
import type { Question } from '../parts/dialog.tsx';
import { useKeys } from '../parts/keys.ts';

type Kind = 'stop' | 'kill' | 'pause' | 'unpause' | 'retry-now' | 'next';

/** When the agent reads a message. */
const WHEN = {
  steer: 'It reads this while it works, at its next step.',
  queue: 'It reads this when its turn is over.',
  interrupt: 'Its turn is stopped, and it reads this at once.',
} as const;

export function RunActions({
  view,
  asksApproval,
}: {
  readonly view: RunView;
  readonly asksApproval: boolean;
}): ReactNode {
  const { id, outcome, pausedAt } = view;
  const [question, setQuestion] = useState<Question | null>(null);
  const { problem, send } = useSending();
  const status = runStatus(view);
  const signal = (kind: Kind): Promise<unknown> => post(`/v1/runs/${id}/signals`, { kind });
  const now = (kind: Kind): void => void send(() => signal(kind));
  const over = outcome === null ? undefined : 'the run has ended';
  const waits =
    status === 'cooling' || status === 'retrying'
      ? undefined
      : 'it waits for no retry and no limit';
  const works = status === 'running' ? undefined : 'no agent works on it now';
  const ask = (kind: 'stop' | 'kill', title: string): void =>
    setQuestion({
      ...{ title, confirm: kind === 'stop' ? 'Stop it' : 'Kill it', isDangerous: true },
      command: () => `supervisor ${kind} ${id}`,
      does: () => signal(kind),
    });
  const tell = (verb: keyof typeof WHEN) => (): void =>
    setQuestion({
      ...{ title: 'Send the agent a message', asks: WHEN[verb], confirm: 'Send' },
      command: (text) => `supervisor ${verb} ${id} ${text === '' ? '…' : shellWord(text)}`,
      does: (text) => post(`/v1/runs/${id}/messages`, { verb, text }),
    });
  const pause: Kind = pausedAt === null ? 'pause' : 'unpause';
  const actions = [
    {
      key: 'p',
      label: pausedAt === null ? 'Pause' : 'Unpause',
      command: pause,
      disabled: over,
      run: () => now(pause),
    },
    { key: 's', label: 'Steer…', command: 'steer', disabled: over ?? works, run: tell('steer') },
    { key: 'q', label: 'Queue…', command: 'queue', disabled: over, run: tell('queue') },
    {
      key: 'i',
      label: 'Interrupt…',
      command: 'interrupt',
      disabled: over ?? works,
      run: tell('interrupt'),
    },
    {
      key: 't',
      label: 'Retry now',
      command: 'retry-now',
      disabled: over ?? waits,
      run: () => now('retry-now'),
    },
    { key: 'n', label: 'Next agent', command: 'next', disabled: over, run: () => now('next') },
    {
      key: 'x',
      label: 'Stop…',
      command: 'stop',
      disabled: over,
      run: () => ask('stop', 'Stop this run? Its agent gets time to exit.'),
    },
    {
      key: 'K',
      label: 'Kill…',
      command: 'kill',
      disabled: over,
      run: () => ask('kill', 'Kill this run and all its processes now?'),
    },
  ] as const;
  useKeys(
    'Control',
    actions.map(({ key, label, disabled, run }) => ({
      key,
      does: label.toLowerCase(),
      disabled,
      run,
    })),
  );
  return (
    <div className="row actions" role="group" aria-label="Control this run">
      {actions.map(({ key, label, command, disabled, run }) => (
        <Action
          key={key}
          label={label}
          look={command === 'stop' || command === 'kill' ? 'danger' : 'plain'}
          command={`supervisor ${command} ${id}${command in WHEN ? ' …' : ''}`}
          disabled={disabled}
          onPress={run}
        />
      ))}
      {asksApproval ? <span className="note">It waits for you.</span> : null}
      {problem === null ? null : (
        <span role="alert" className="problem">
          {problem}
        </span>
      )}
      {question === null ? null : <Dialog question={question} onClose={() => setQuestion(null)} />}
    </div>
  );
}
