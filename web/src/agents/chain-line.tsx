/** The agents in the order in which a run tries them, each with whether it could work now. */
import type { ReactNode } from 'react';
import type { AgentTableTest } from '../../../src/protocol/views/agent-table.ts';
import { visible } from '../parts/words.ts';
import type { Draft } from './table-draft.ts';
import { chainOf } from './table-draft.ts';
import { FOUND } from './agent-row.tsx';

export function ChainLine({
  draft,
  found,
}: {
  readonly draft: Draft;
  readonly found: AgentTableTest | null;
}): ReactNode {
  const chain = chainOf(draft);
  if (chain.length === 0) return null;
  return (
    <ol className="chain" aria-label="The chain of a run">
      {chain.map((id) => {
        const one = found?.agents.find((agent) => agent.id === id);
        const [sign, look] = one === undefined ? ['', ''] : FOUND[one.state];
        return (
          <li key={id}>
            {sign === '' ? null : <span className={`state ${look}`}>{sign}</span>} {visible(id)}
          </li>
        );
      })}
    </ol>
  );
}
