/** What works here: the keys of this screen. */
import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import { useKeyMap } from './keys.ts';

export function Help({ onClose }: { readonly onClose: () => void }): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const layers = useKeyMap();
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="help-title">
      <h2 id="help-title">Keys that work here</h2>
      {layers.toReversed().map(({ title, keys }) => (
        <section key={title}>
          <h3>{title}</h3>
          <dl className="keys">
            {keys.map(({ key, does, disabled }) => (
              <div key={key} className={disabled === undefined ? '' : 'off'}>
                <dt>
                  <kbd>{NAMES[key] ?? key}</kbd>
                </dt>
                <dd>{disabled === undefined ? does : `${does}: ${disabled}`}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <div className="row end">
        <button type="button" className="action plain" onClick={onClose}>
          Close
        </button>
      </div>
    </dialog>
  );
}

const NAMES: Readonly<Record<string, string>> = {
  ArrowDown: '↓',
  ArrowUp: '↑',
  Escape: 'Esc',
  ' ': 'Space',
};
