/** What the accounts have left, what was spent, which agents and roles pay, and whether steering helps. */
import { useEffect } from 'react';
import type { ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import { METRIC_GROUPS } from '../../../src/protocol/metric-groups.ts';
import { setTitle } from '../connection/share-count.ts';
import { useBoard } from '../connection/use-board.ts';
import { useKeys } from '../parts/keys.ts';
import { useNow } from '../parts/use-now.ts';
import { Accounts } from './accounts.tsx';
import { Results } from './results.tsx';
import { Spending } from './spending.tsx';
import { Steering } from './steering.tsx';
import { useSettled } from './use-settled.ts';
import './quota.css';

const PERIODS = { '1d': 'a day', '7d': 'a week', '30d': '30 days', all: 'all' } as const;
type Period = keyof typeof PERIODS;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

export function QuotaScreen(): ReactNode {
  const { accounts, cooling, upTo } = useBoard();
  const now = useNow();
  const [search, setSearch] = useSearchParams();
  const period = (search.get('since') ?? '7d') as Period;
  const by = METRIC_GROUPS.find((one) => one === search.get('by')) ?? 'agent';
  const settled = useSettled(upTo);
  useEffect(() => setTitle('Quota and results · Supervisor'), []);
  const days = period in PERIODS ? Number.parseInt(period, 10) : 7;
  // Whole hours, so that the same question is not asked every second.
  const since = Number.isNaN(days) ? 0 : Math.floor(now / HOUR_MS) * HOUR_MS - days * DAY_MS;
  const choose = (change: Readonly<Record<string, string>>): void =>
    setSearch({ since: period, by, ...change }, { replace: true });
  const nextGroup =
    METRIC_GROUPS[(METRIC_GROUPS.indexOf(by) + 1) % METRIC_GROUPS.length] ?? 'agent';
  const periods = Object.keys(PERIODS) as Period[];
  const nextPeriod = periods[(periods.indexOf(period) + 1) % periods.length] ?? '7d';
  useKeys('Quota and results', [
    { key: 'b', does: `group by ${nextGroup}`, run: () => choose({ by: nextGroup }) },
    { key: 's', does: `show ${PERIODS[nextPeriod]}`, run: () => choose({ since: nextPeriod }) },
  ]);
  return (
    <div className="quota-screen">
      <div className="head">
        <h1>Quota and results</h1>
      </div>
      <Accounts accounts={accounts} cooling={cooling} now={now} />
      <div className="choices" role="group" aria-label="What to show">
        <Choice
          label="Time"
          value={period}
          all={PERIODS}
          onChange={(one) => choose({ since: one })}
        />
        <Choice
          label="By"
          value={by}
          all={Object.fromEntries(METRIC_GROUPS.map((one) => [one, one]))}
          onChange={(one) => choose({ by: one })}
        />
        <code className="note">
          $ supervisor metrics --by {by}
          {since === 0 ? '' : ` --since ${period}`}
        </code>
      </div>
      <Spending since={since} by={by} version={settled} />
      <Results since={since} by={by} version={settled} />
      <Steering version={settled} />
    </div>
  );
}

type ChoiceProps = {
  readonly label: string;
  readonly value: string;
  readonly all: Readonly<Record<string, string>>;
  readonly onChange: (value: string) => void;
};

function Choice({ label, value, all, onChange }: ChoiceProps): ReactNode {
  return (
    <label className="choice">
      {label}
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        {Object.entries(all).map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
