/** One component of a feature: what it waits for, what it changes, and what a person can do about it. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { FeatureView } from '../../../src/protocol/views/feature-view.ts';
import { visible } from '../parts/words.ts';
import type { FeatureComponent } from './component-look.ts';
import { componentsOf, fullName, lookOf } from './component-look.ts';
import { QueueActions } from './queue-actions.tsx';

export function ComponentPanel({
  view,
  component,
}: {
  readonly view: FeatureView;
  readonly component: FeatureComponent;
}): ReactNode {
  const isHeld = view.held.all || view.held.components.includes(component.id);
  const [sign, look, word] = lookOf(component, isHeld);
  const names = new Map(componentsOf(view).map(({ id, name }) => [id, name]));
  const { undeclared, unchanged } = component;
  return (
    <aside className="panel about" aria-label="Selected component">
      <h2>
        {visible(fullName(component))} <span className="note">{component.id}</span>
      </h2>
      <p>{visible(component.title)}</p>
      <p className={`state ${look}`}>
        {sign} {word}
        {component.why === '' ? '' : `: ${visible(component.why)}`}
      </p>
      <QueueActions view={view} component={component} />
      <dl className="facts-list">
        {component.waitsFor.length === 0 ? null : (
          <div>
            <dt>Waits for</dt>
            <dd>{component.waitsFor.map((id) => visible(names.get(id) ?? id)).join(', ')}</dd>
          </div>
        )}
        <div>
          <dt>May change</dt>
          <dd>
            <Paths paths={component.declared} />
          </dd>
        </div>
        {component.files.length === 0 ? null : (
          <div>
            <dt>Changed</dt>
            <dd>
              <Paths paths={component.files} marked={undeclared} />
            </dd>
          </div>
        )}
        {unchanged.length === 0 ? null : (
          <div>
            <dt>Unused</dt>
            <dd>
              <Paths paths={unchanged} />
            </dd>
          </div>
        )}
        {component.commit === null ? null : (
          <div>
            <dt>Commit</dt>
            <dd>
              <code>{component.commit.slice(0, 12)}</code>
            </dd>
          </div>
        )}
      </dl>
      {component.run === null ? null : (
        <p>
          <Link href={`/runs/${component.run}`}>
            Its run{component.tries > 1 ? `, try ${component.tries}` : ''}
          </Link>
        </p>
      )}
    </aside>
  );
}

const PATHS_SHOWN = 8;

function Paths({
  paths,
  marked = [],
}: {
  readonly paths: readonly string[];
  readonly marked?: readonly string[];
}): ReactNode {
  return (
    <ul className="paths">
      {paths.slice(0, PATHS_SHOWN).map((path) => (
        <li key={path} className={marked.includes(path) ? 'caveat' : ''}>
          <code>{visible(path)}</code>
          {marked.includes(path) ? ' undeclared' : ''}
        </li>
      ))}
      {paths.length > PATHS_SHOWN ? (
        <li className="note">and {paths.length - PATHS_SHOWN} more</li>
      ) : null}
    </ul>
  );
}
