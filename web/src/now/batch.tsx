/** What can be done to several runs at once, with the one command that does the same. */
import { useState } from 'react';
import type { ReactNode } from 'react';
import { Refused, post } from '../connection/api.ts';
import { Action } from '../parts/action.tsx';
import { Dialog } from '../parts/dialog.tsx';
import type { Question } from '../parts/dialog.tsx';
import { useKeys } from '../parts/keys.ts';
import { countOf } from '../parts/words.ts';
import type { Shown } from '../../../src/protocol/views/run-groups.ts';
import type { Instruction } from '../../../src/protocol/views/instructions.ts';
import { takes } from '../../../src/protocol/views/instructions.ts';

const KINDS: readonly {
  readonly kind: Instruction;
  readonly label: string;
  readonly key: string;
}[] = [
  { kind: 'pause', label: 'Pause', key: 'p' },
  { kind: 'unpause', label: 'Unpause', key: 'u' },
  { kind: 'retry-now', label: 'Retry now', key: 't' },
  { kind: 'next', label: 'Next agent', key: 'n' },
  { kind: 'stop', label: 'Stop…', key: 's' },
  { kind: 'kill', label: 'Kill…', key: 'K' },
];

export function Batch({
  runs,
  onClear,
}: {
  readonly runs: readonly Shown[];
  readonly onClear: () => void;
}): ReactNode {
  const [question, setQuestion] = useState<Question | null>(null);
  const [said, setSaid] = useState<string | null>(null);
  const [isSending, setIsSending] = useState(false);
  const fit = (kind: Instruction): readonly string[] =>
    runs.filter((one) => takes(kind, one)).map(({ board }) => board.row.view.id);
  const command = (kind: Instruction): string => `supervisor ${kind} ${fit(kind).join(' ')}`;
  const act = async (kind: Instruction): Promise<void> => {
    const ids = fit(kind);
    setIsSending(true);
    let done = 0;
    const problems: string[] = [];
    for (const id of ids) {
      try {
        await post(`/v1/runs/${id}/signals`, { kind });
        done += 1;
      } catch (error) {
        problems.push(error instanceof Refused ? `${id}: ${error.message}` : `${id}: no answer`);
        // The owner takes no more for now, or this browser may change nothing.
        if (error instanceof Refused && (error.status === 429 || error.status === 403)) break;
      }
    }
    setIsSending(false);
    setSaid(
      [`${kind}: ${done} of ${countOf(ids.length, 'run')}.`, ...problems.slice(0, 3)].join(' '),
    );
  };
  const press = (kind: Instruction): void => {
    if (kind !== 'stop' && kind !== 'kill') return void act(kind);
    setQuestion({
      ...{ title: `${kind === 'stop' ? 'Stop' : 'Kill'} ${countOf(fit(kind).length, 'run')}?` },
      ...{ confirm: kind === 'stop' ? 'Stop them' : 'Kill them', isDangerous: true },
      command: () => command(kind),
      does: () => act(kind),
    });
  };
  const why = (kind: Instruction): string | undefined =>
    isSending
      ? 'instructions are on their way'
      : fit(kind).length === 0
        ? 'it means nothing to these runs'
        : undefined;
  useKeys(`${countOf(runs.length, 'run')} marked`, [
    ...KINDS.map(({ kind, label, key }) => ({
      key,
      does: label.toLowerCase(),
      disabled: why(kind),
      run: () => press(kind),
    })),
    { key: 'Escape', does: 'mark none', run: onClear },
  ]);
  return (
    <div className="batch" role="region" aria-label="Marked runs">
      <b>{countOf(runs.length, 'run')} marked</b>
      {KINDS.map(({ kind, label }) => (
        <Action
          key={kind}
          label={label}
          look={kind === 'stop' || kind === 'kill' ? 'danger' : 'plain'}
          command={command(kind)}
          disabled={why(kind)}
          onPress={() => press(kind)}
        />
      ))}
      <button type="button" className="quiet" onClick={onClear}>
        Mark none
      </button>
      {said === null ? null : (
        <span role="status" className="note">
          {said}
        </span>
      )}
      {question === null ? null : <Dialog question={question} onClose={() => setQuestion(null)} />}
    </div>
  );
}
