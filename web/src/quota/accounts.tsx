/** Each account with its windows, as its provider reported them last, and the agents that cool down. */
import type { ReactNode } from 'react';
import type { BoardAccount } from '../../../src/protocol/views/board.ts';
import type { CooldownView } from '../../../src/protocol/views/cooldown-view.ts';
import { formatDuration } from '../../../src/base/format-duration.ts';
import { moment, shortNumber, visible } from '../parts/words.ts';

/** A colour says the same. */
const LEFT: Readonly<Record<BoardAccount['status'], string>> = {
  ok: '',
  'quota-low': ', little was left',
  'quota-exhausted': ', nothing was left',
};

type AccountsProps = {
  readonly accounts: readonly BoardAccount[];
  readonly cooling: readonly CooldownView[];
  readonly now: number;
};

export function Accounts({ accounts, cooling, now }: AccountsProps): ReactNode {
  return (
    <section className="part" aria-label="Accounts">
      <h2>Accounts</h2>
      {accounts.length === 0 ? (
        <p className="empty">
          No provider has reported a window yet. It appears with the first model call that reports
          one.
        </p>
      ) : (
        <ul className="accounts">
          {accounts.map((account) => (
            <li key={account.agent} className={account.status}>
              <h3>
                {visible(account.agent)} <span className="note">{account.wire}</span>
              </h3>
              {account.windows.map((window) => (
                <Window key={window.name} window={window} now={now} />
              ))}
              <p className="note">
                {account.endedAt === null
                  ? 'reported by a run at work'
                  : `reported ${formatDuration(Math.max(0, now - account.endedAt))} ago`}
                {LEFT[account.status]}
              </p>
            </li>
          ))}
        </ul>
      )}
      {cooling.length === 0 ? null : (
        <ul className="cooling">
          {cooling.map(({ agent, identity, until, reason }) => (
            <li key={identity}>
              <span className="state waiting">◌</span> <b>{visible(agent)}</b> cools down until{' '}
              {moment(until, now)} ({formatDuration(Math.max(0, until - now))} left):{' '}
              {visible(reason)}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

type Shown = BoardAccount['windows'][number];

function Window({ window, now }: { readonly window: Shown; readonly now: number }): ReactNode {
  const { name, usedPercent, remaining, limit, resetAt } = window;
  const isOver = resetAt !== null && resetAt <= now;
  const used = isOver ? 0 : Math.min(100, Math.max(0, usedPercent));
  const look = used >= 100 ? 'empty' : used >= 90 ? 'low' : 'fine';
  const counts =
    remaining === null || limit === null
      ? ''
      : `${shortNumber(remaining)} of ${shortNumber(limit)} left`;
  return (
    <div className="window-line">
      <span className="name">{visible(name)}</span>
      <span
        className={`gauge ${look}`}
        role="meter"
        aria-label={`${name}, used`}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(used)}
      >
        <i style={{ width: `${used}%` }} />
      </span>
      <span className="percent">{Math.round(used)} %</span>
      <span className="note">
        {[counts, resetAt === null ? '' : isOver ? 'free again' : `frees ${moment(resetAt, now)}`]
          .filter(Boolean)
          .join(' · ')}
      </span>
    </div>
  );
}
