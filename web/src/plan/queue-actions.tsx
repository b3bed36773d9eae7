/** Holds, releases and skips: of one component, or of the whole queue. */
import { useState } from 'react';
import type { ReactNode } from 'react';
import type { FeatureView } from '../../../src/protocol/views/feature-view.ts';
import { post } from '../connection/api.ts';
import { Action, useSending } from '../parts/action.tsx';
import { Dialog } from '../parts/dialog.tsx';
import type { Question } from '../parts/dialog.tsx';
import { useKeys } from '../parts/keys.ts';
import type { FeatureComponent } from './component-look.ts';

type Act = 'hold' | 'release' | 'skip';

export function QueueActions({
  view,
  component,
}: {
  readonly view: FeatureView;
  /** Absent: the whole queue. */
  readonly component?: FeatureComponent;
}): ReactNode {
  const [question, setQuestion] = useState<Question | null>(null);
  const { isSending, problem, send } = useSending();
  const { run, held, outcome } = view;
  const name = component?.name;
  const command = (act: Act): string =>
    ['supervisor merges', act, run, ...(name === undefined ? [] : [name])].join(' ');
  const signal = (action: Act): Promise<unknown> =>
    post(`/v1/runs/${run}/signals`, {
      ...{ kind: 'merge-queue', action, component: component?.id ?? null },
    });
  const isHeld = component === undefined ? held.all : held.components.includes(component.id);
  const over =
    outcome !== null
      ? 'the feature has ended'
      : component?.state === 'complete'
        ? 'its work has landed'
        : isSending
          ? 'an instruction is on its way'
          : undefined;
  const toggle: Act = isHeld ? 'release' : 'hold';
  const skip = (): void =>
    setQuestion({
      ...{
        title: `Build the feature without ${name ?? ''}?`,
        confirm: 'Skip it',
        isDangerous: true,
      },
      command: () => command('skip'),
      does: () => signal('skip'),
    });
  const press = (): void => void send(() => signal(toggle));
  useKeys(component === undefined ? 'Merge queue' : 'Component', [
    {
      key: component === undefined ? 'H' : 'h',
      does: `${toggle} ${component === undefined ? 'the merge queue' : 'it in the merge queue'}`,
      disabled: over,
      run: press,
    },
    ...(component === undefined
      ? []
      : [{ key: 'x', does: 'skip it', disabled: over, run: skip } as const]),
  ]);
  return (
    <div className="row actions">
      <Action
        label={isHeld ? 'Release' : component === undefined ? 'Hold the queue' : 'Hold'}
        command={command(toggle)}
        disabled={over}
        onPress={press}
      />
      {component === undefined ? null : (
        <Action
          label="Skip…"
          look="danger"
          command={command('skip')}
          disabled={over}
          onPress={skip}
        />
      )}
      {problem === null ? null : (
        <span role="alert" className="problem">
          {problem}
        </span>
      )}
      {question === null ? null : <Dialog question={question} onClose={() => setQuestion(null)} />}
    </div>
  );
}
