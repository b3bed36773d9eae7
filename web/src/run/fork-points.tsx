/** The steps of a workflow at which another run can begin, while this one continues. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import type { CheckpointView } from '../../../src/protocol/views/checkpoint-view.ts';
import { shellWord } from '../../../src/base/shell-words.ts';
import { get, post } from '../connection/api.ts';
import { Action } from '../parts/action.tsx';
import { Dialog } from '../parts/dialog.tsx';
import type { Question } from '../parts/dialog.tsx';
import { countOf, moment, visible } from '../parts/words.ts';

export function ForkPoints({
  run,
  seq,
  now,
}: {
  readonly run: string;
  readonly seq: number;
  readonly now: number;
}): ReactNode {
  const [, navigate] = useLocation();
  const [question, setQuestion] = useState<Question | null>(null);
  const { data = [] } = useQuery({
    queryKey: ['checkpoints', run, seq],
    queryFn: ({ signal }) => get<readonly CheckpointView[]>(`/v1/runs/${run}/checkpoints`, signal),
    placeholderData: keepPreviousData,
    enabled: seq > 0,
  });
  const ask = (step: string): void =>
    setQuestion({
      ...{ title: `Fork this run at ${step}? A second run begins there, with the work as it was.` },
      confirm: 'Fork it',
      command: () => `supervisor fork ${run} --at ${shellWord(step)}`,
      does: async () => {
        const { id } = await post<{ id: string }>(`/v1/runs/${run}/fork`, { step });
        navigate(`/runs/${id}`);
      },
    });
  return (
    <div className="forks">
      <h3>Steps to fork at</h3>
      <ul>
        {data.map(({ step, visit, outcome, at, files }) => {
          const name = `${step}#${visit}`;
          return (
            <li key={name}>
              <span>
                <b>{visible(name)}</b>{' '}
                <span className="note">
                  {outcome}, {moment(at, now)}, {countOf(files, 'file')} changed
                </span>
              </span>
              <Action
                label="Fork here…"
                command={`supervisor fork ${run} --at ${shellWord(name)}`}
                onPress={() => ask(name)}
              />
            </li>
          );
        })}
      </ul>
      {question === null ? null : <Dialog question={question} onClose={() => setQuestion(null)} />}
    </div>
  );
}
