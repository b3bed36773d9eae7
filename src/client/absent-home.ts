/**
 * Answers for a home that does not exist, so that a command that only reads does not create it: a misspelt
 * `SUPERVISOR_HOME` would become a second home without any run.
 */
import { lstatSync } from 'node:fs';
import type { Clock } from '../base/clock.ts';
import { Refusal } from '../base/errors.ts';
import { errnoCode } from '../host/files/errno.ts';
import type { Home } from '../host/machine/state-home.ts';
import { summarizeAttempts } from '../metrics/summarize-attempts.ts';
import { MetricsQuery } from '../protocol/views/metrics-view.ts';
import { buildReport } from '../reports/runs/runs-report.ts';
import { buildStepsReport } from '../reports/steps/steps-report.ts';
import type { OwnerAnswer, Transport } from './transport.ts';
import { wholeAnswer } from './transport.ts';

/** False also if it can't be told: then the command says why. */
export function isAbsent({ dir }: Home): boolean {
  try {
    lstatSync(dir);
    return false;
  } catch (error) {
    return errnoCode(error) === 'ENOENT';
  }
}

const LISTS = ['runs', 'status', 'inbox', 'cooldowns', 'breakers', 'schedules', 'events', 'agents'];

/** Lists are empty, and `onEmpty` is called once for them. Everything else is refused. */
export function absentTransport(home: Home, clock: Clock, onEmpty: () => void): Transport {
  let isTold = false;
  const empty = (answer: unknown): OwnerAnswer => {
    if (!isTold) onEmpty();
    isTold = true;
    return wholeAnswer(JSON.stringify(answer), 200);
  };
  return async (path, { method }) => {
    const { pathname, searchParams } = new URL(path, 'http://owner');
    const [, , name = '', part = ''] = pathname.split('/');
    if (method !== 'GET') throw absentRefusal(home);
    const since = Number(searchParams.get('since') ?? 0);
    const window = { since, until: clock.now(), leftOut: 0 };
    const all = { ...window, known: [], active: 0 };
    if (name === 'report' && part === 'steps') return empty(buildStepsReport([], new Map(), all));
    if (name === 'metrics') {
      const { by } = MetricsQuery.parse(Object.fromEntries(searchParams));
      return empty(summarizeAttempts([], { ...window, by }));
    }
    if (part !== '') throw absentRefusal(home);
    if (LISTS.includes(name)) return empty([]);
    if (name === 'report') return empty(buildReport([], window));
    if (name === 'tree') return empty({ at: clock.now(), nodes: [] });
    throw absentRefusal(home);
  };
}

export function absentRefusal({ dir }: Home): Refusal {
  return new Refusal({
    code: 'run.not-found',
    message: `The home ${dir} does not exist, so there is no run.`,
    hint: 'Correct SUPERVISOR_HOME if it names the wrong folder. The first run creates the folder: supervisor run "…"',
  });
}
