/** Runs that have ended, written to the journal of a home before its owner starts: thousands of them take a second. */
import { join } from 'node:path';
import { at } from '../../src/base/clock.ts';
import type { NewRunEvent } from '../../src/protocol/event.ts';
import { runStream } from '../../src/protocol/streams.ts';
import { SqliteJournal } from '../../src/store/sqlite/sqlite-journal.ts';
import { runEvent } from './run-event.ts';
import { attempt, begins, ended, ends, submitted } from './run-history-fixture.ts';

const AT_ONCE = 200;
const DAY_MS = 86_400_000;
const TASKS = ['Fix the login', 'Sort the cart', 'Check the mail', 'Speed up the search'];

/** They ended in the last week, one after the other. `now`: the end of that week. */
export async function writeHistory(home: string, count: number, now: number): Promise<void> {
  const journal = SqliteJournal.open(join(home, 'journal.db'));
  for (let first = 0; first < count; first += AT_ONCE)
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, more) => {
        const nth = first + more;
        const when = now - 7 * DAY_MS + Math.floor(((nth + 1) * 7 * DAY_MS) / (count + 1));
        const id = nth.toString(16).padStart(10, '0');
        return journal.append(runStream(id), 0, facts(nth, when), at(when));
      }),
    );
  await journal.close();
}

function facts(nth: number, when: number): readonly NewRunEvent[] {
  const cli = ['claude', 'codex', 'gemini'][nth % 3] ?? '';
  const isRed = nth % 4 === 0;
  const isLimited = nth % 11 === 0;
  const usage = { inputTokens: 900 + nth, outputTokens: 90, costUsd: 0.02 + (nth % 5) / 50 };
  return [
    submitted(`${TASKS[nth % TASKS.length] ?? ''} ${nth}`, {
      project: '/home/ada/shop',
      settings: { brief: { role: ['implementer', 'tester', 'reviewer'][nth % 3], answer: 'task' } },
    }),
    attempt(1, cli),
    quota(cli, nth, when),
    ...turns(cli),
    isLimited
      ? ends('attempt-1', {
          kind: 'failed',
          reason: 'rate_limited',
          message: 'the 5h limit',
          usage,
        })
      : ends('attempt-1', { kind: 'completed', summary: 'done', usage }),
    ...(isLimited
      ? []
      : [
          begins('gate-1-1', 'gate', { attempt: 1, name: 'test', command: ['npm', 'test'] }),
          ends(
            'gate-1-1',
            isRed
              ? { kind: 'failed', name: 'test', exit: 1, tail: '' }
              : { kind: 'passed', name: 'test' },
          ),
        ]),
    ended(
      isLimited || isRed ? 'failed' : 'succeeded',
      isLimited ? 'claude: rate_limited' : 'gate test',
    ),
  ];
}

/** It edits, sees a test fail, and repairs it. */
function turns(model: string): readonly NewRunEvent[] {
  const run = { tool: 'Bash', signature: 'b', subject: 'npm test' };
  const edit = { tool: 'Edit', signature: 'e', subject: 'src/cart.ts' };
  const failed = { ...run, id: '1', error: 'execution', errorText: 'not ok 3 - keeps the order' };
  const turn = (number: number, text: string, more: object): NewRunEvent => {
    const usual = { conversation: 'main', kind: 'main', model, steps: [], calls: [], stop: null };
    const context = { contextTokens: 40_000 * number, contextTokensMax: 200_000 };
    const note = {
      kind: 'turn',
      turn: { ...usual, ...context, outputTokens: 90, number, text, ...more },
    };
    return runEvent({
      type: 'command.noted',
      payload: { key: 'attempt-1', command: 'attempt', note },
    });
  };
  return [
    turn(1, 'I run the tests first.', { calls: [run] }),
    turn(2, 'One fails. The sort is not stable.', { steps: [failed], calls: [edit] }),
    turn(3, 'The order is kept now.', {}),
  ];
}

/** What the provider reported with one of the calls. */
function quota(cli: string, nth: number, when: number): NewRunEvent {
  const used = { claude: 88, codex: 34, gemini: 12 }[cli] ?? 0;
  const window = (name: string, usedPercent: number, hours: number): object => ({
    ...{ name, usedPercent, limit: null, used: null, remaining: null },
    resetAt: when + hours * 3_600_000,
  });
  const windows = [window('5h', Math.min(100, used + (nth % 3)), 4), window('7d', used / 3, 90)];
  const note = { kind: 'quota', wire: cli, status: used > 80 ? 'quota-low' : 'ok', windows };
  return runEvent({
    type: 'command.noted',
    payload: { key: 'attempt-1', command: 'attempt', note },
  });
}
