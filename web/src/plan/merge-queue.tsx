/** What has landed, what is merged now, and what waits. */
import type { ReactNode } from 'react';
import type { FeatureView } from '../../../src/protocol/views/feature-view.ts';
import { moment, visible } from '../parts/words.ts';
import { componentsOf, fullName, mergedNow } from './component-look.ts';
import { QueueActions } from './queue-actions.tsx';

export function MergeQueue({
  view,
  now,
}: {
  readonly view: FeatureView;
  readonly now: number;
}): ReactNode {
  const { landed, queue, held, run } = view;
  const names = new Map(componentsOf(view).map((one) => [one.id, fullName(one)]));
  const first = mergedNow(view);
  const nameOf = (id: string): string => visible(names.get(id) ?? id);
  const waiting = queue.filter((id) => !held.components.includes(id));
  return (
    <section className="part queue" aria-label="Merge queue">
      <h2>
        Merge queue
        {held.all ? <span className="held">held</span> : null}
        <code className="note">$ supervisor merges {run}</code>
      </h2>
      <QueueActions view={view} />
      {landed.length + queue.length + held.components.length === 0 ? (
        <p className="empty">No component has finished work yet.</p>
      ) : (
        <ol className="merges">
          {landed.map(({ id, commit, at }) => (
            <li key={id}>
              <span className="state good">✔</span> {nameOf(id)}{' '}
              <span className="note">
                landed {moment(at, now)} as <code>{commit.slice(0, 8)}</code>
              </span>
            </li>
          ))}
          {waiting.map((id) => (
            <li key={id}>
              <span className={`state ${first.has(id) && !held.all ? 'working' : 'waiting'}`}>
                {first.has(id) && !held.all ? '⇥' : '◌'}
              </span>{' '}
              {nameOf(id)}{' '}
              <span className="note">
                {held.all ? 'waits: the queue is held' : first.has(id) ? 'is merged' : 'waits'}
              </span>
            </li>
          ))}
          {held.components.map((id) => (
            <li key={`held ${id}`}>
              <span className="state needs">◆</span> {nameOf(id)}{' '}
              <span className="note">held; others pass it</span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
