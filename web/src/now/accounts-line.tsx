/** The accounts on one line: the fullest window of each, and which agents cool down. */
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { BoardAccount } from '../../../src/protocol/views/board.ts';
import type { CooldownView } from '../../../src/protocol/views/cooldown-view.ts';
import { moment, visible } from '../parts/words.ts';

type AccountsProps = {
  readonly accounts: readonly BoardAccount[];
  readonly cooling: readonly CooldownView[];
  readonly now: number;
};

export function Accounts({ accounts, cooling, now }: AccountsProps): ReactNode {
  if (accounts.length + cooling.length === 0) return null;
  return (
    <section className="group accounts-line" aria-label="Accounts">
      <h2>
        Accounts <Link href="/quota">Quota and results</Link>
      </h2>
      <ul>
        {accounts.map(({ agent, windows }) => {
          const open = windows.filter(({ resetAt }) => resetAt === null || resetAt > now);
          return (
            <li key={agent}>
              <b>{visible(agent)}</b>
              {open.length === 0 ? <span className="note">nothing used</span> : null}
              {open.map(({ name, usedPercent, resetAt }) => (
                <span key={name} className="window" title={`${name}: ${usedPercent} % used`}>
                  {visible(name)}{' '}
                  <span className={`gauge ${usedPercent >= 90 ? 'low' : ''}`} aria-hidden="true">
                    <i style={{ width: `${Math.min(100, usedPercent)}%` }} />
                  </span>{' '}
                  {Math.round(usedPercent)} %{resetAt === null ? '' : ` → ${moment(resetAt, now)}`}
                </span>
              ))}
            </li>
          );
        })}
        {cooling.map(({ agent, identity, until }) => (
          <li key={identity}>
            <b>{visible(agent)}</b>{' '}
            <span className="state waiting">◌ cools down until {moment(until, now)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
