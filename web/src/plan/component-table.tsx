/** The components of a feature as a table, phase by phase. */
import type { ReactNode } from 'react';
import type { FeatureView } from '../../../src/protocol/views/feature-view.ts';
import { visible } from '../parts/words.ts';
import { fullName, lookOf } from './component-look.ts';

type TableProps = {
  readonly view: FeatureView;
  readonly selected: string | null;
  readonly onSelect: (id: string) => void;
};

export function ComponentTable({ view, selected, onSelect }: TableProps): ReactNode {
  return (
    <div className="wide" role="region" aria-label="Components" tabIndex={0}>
      <table className="components">
        <thead>
          <tr>
            <th>component</th>
            <th>state</th>
            <th>tries</th>
            <th>files</th>
            <th>why</th>
          </tr>
        </thead>
        {view.phases.map((phase) => (
          <tbody key={phase.id}>
            <tr className="phase">
              <th colSpan={5} scope="rowgroup">
                {visible(phase.title)} <span className="note">{phase.state.replace('_', ' ')}</span>
              </th>
            </tr>
            {phase.components.map((one) => {
              const isHeld = view.held.all || view.held.components.includes(one.id);
              const [sign, look, word] = lookOf(one, isHeld);
              return (
                <tr
                  key={one.id}
                  className={one.id === selected ? 'selected' : ''}
                  onClick={() => onSelect(one.id)}
                >
                  <th scope="row">
                    <button type="button" onClick={() => onSelect(one.id)}>
                      {visible(fullName(one))}
                    </button>
                    <span className="note">{visible(one.title)}</span>
                  </th>
                  <td>
                    <span className={`state ${look}`}>
                      {sign} <span className="word">{word}</span>
                    </span>
                    {isHeld && one.state !== 'complete' ? <span className="held">held</span> : null}
                  </td>
                  <td>{one.tries}</td>
                  <td>
                    {one.files.length}
                    {one.undeclared.length === 0 ? null : (
                      <span className="caveat"> {one.undeclared.length} undeclared</span>
                    )}
                  </td>
                  <td className="note">{visible(one.why)}</td>
                </tr>
              );
            })}
          </tbody>
        ))}
      </table>
    </div>
  );
}
