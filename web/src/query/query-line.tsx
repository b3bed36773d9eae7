/** The query line: the same queries as `supervisor status`, with what may come next below it. */
import { useId, useState } from 'react';
import type { ReactNode, Ref } from 'react';
import type { QueryNames } from '../../../src/protocol/complete-query.ts';
import { completeQuery } from '../../../src/protocol/complete-query.ts';
import './query.css';

type QueryProps = {
  readonly query: string;
  readonly problem: string | null;
  readonly names: QueryNames;
  readonly input: Ref<HTMLInputElement>;
  readonly onChange: (query: string) => void;
};

export function QueryLine({ query, problem, names, input, onChange }: QueryProps): ReactNode {
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  const [at, setAt] = useState(-1);
  const found = isOpen ? completeQuery(query, names) : [];
  const chosen = found[at];
  const take = (text: string): void => {
    // A value is whole; after a field comes its value.
    onChange(text.endsWith(':') ? text : `${text} `);
    setAt(-1);
  };
  const press = (event: React.KeyboardEvent<HTMLInputElement>): void => {
    const { key } = event;
    if (key === 'Escape') {
      if (found.length > 0) setIsOpen(false);
      else event.currentTarget.blur();
      return;
    }
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      event.preventDefault();
      setIsOpen(true);
      const by = key === 'ArrowDown' ? 1 : -1;
      setAt(found.length === 0 ? -1 : (at + by + found.length) % found.length);
      return;
    }
    const one = chosen ?? (key === 'Tab' ? found[0] : undefined);
    if ((key === 'Tab' || key === 'Enter') && one !== undefined) {
      event.preventDefault();
      take(one.query);
    } else if (key === 'Enter') event.currentTarget.blur();
  };
  return (
    <form className="query" role="search" onSubmit={(event) => event.preventDefault()}>
      <label className="unseen" htmlFor={id}>
        Query
      </label>
      <input
        id={id}
        ref={input}
        value={query}
        role="combobox"
        aria-expanded={found.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={chosen === undefined ? undefined : `${id}-${at}`}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        placeholder="is:needs-you project:shop failure:limit since:yesterday"
        aria-invalid={problem !== null}
        aria-describedby={`${id}-note`}
        onFocus={() => setIsOpen(true)}
        onBlur={() => {
          setIsOpen(false);
          setAt(-1);
        }}
        onChange={(event) => {
          onChange(event.target.value);
          setIsOpen(true);
          setAt(-1);
        }}
        onKeyDown={press}
      />
      <ul id={`${id}-list`} role="listbox" aria-label="Completions" hidden={found.length === 0}>
        {found.map(({ word, query: text }, index) => (
          <li
            key={word}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            // A press would take the focus from the line first.
            onPointerDown={(event) => {
              event.preventDefault();
              take(text);
            }}
          >
            {word}
          </li>
        ))}
      </ul>
      <span id={`${id}-note`} className={problem === null ? 'note' : 'problem'} role="status">
        {problem ?? (query.trim() === '' ? '' : `$ supervisor status ${query.trim()}`)}
      </span>
    </form>
  );
}
