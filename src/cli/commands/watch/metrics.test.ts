import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../../base/clock.ts';
import { systemClock } from '../../../host/machine/system-clock.ts';
import { runStream } from '../../../protocol/streams.ts';
import { MetricsDocument } from '../../../public-json/metrics-document.ts';
import type { InProcessCli } from '../../../../test/support/cli-harness.ts';
import { inProcessCli } from '../../../../test/support/cli-harness.ts';
import {
  attempt,
  begins,
  ended,
  ends,
  limited,
  submitted,
} from '../../../../test/support/run-history-fixture.ts';

const NOW = systemClock.now();
const FROZEN = { ...systemClock, now: () => at(NOW) };
const DAY = 86_400_000;

/** Two runs of yesterday and one of 50 days ago, in the journal of an earlier owner. */
function withAttempts(): Promise<InProcessCli> {
  const used = { inputTokens: 900, outputTokens: 100, costUsd: 0.5 };
  const run = (nth: number, cli: string, back: number, end: object, gate?: object) => {
    const brief = { role: '=cmd()', answer: 'implementation' };
    const events = [
      submitted('t', { settings: { brief } }),
      attempt(1, cli),
      ends('attempt-1', { ...end }),
      ...(gate === undefined
        ? []
        : [
            begins('gate-1-1', 'gate', { attempt: 1, name: 'test' }),
            ends('gate-1-1', { name: 'test', ...gate }),
          ]),
      ended('succeeded', 'done'),
    ];
    const stream = runStream(String(nth).padStart(10, '0'));
    return events.map((event) => ({ stream, at: NOW - back, event }));
  };
  const done = { kind: 'completed', summary: 'done', usage: used };
  return inProcessCli(
    '',
    [
      ...run(1, 'claude', 50 * DAY, done, { kind: 'passed' }),
      ...run(2, 'claude', DAY, done, { kind: 'passed' }),
      ...run(3, 'codex', DAY, limited('slow down')),
    ],
    FROZEN,
  );
}

describe('metrics', { timeout: 300_000 }, () => {
  test('compares what was asked for, with the number of cases beside each share', async () => {
    await using cli = await withAttempts();
    const { out } = await cli.say(['metrics', '--by', 'cli']);
    const lines = out.split('\n').map((line) => line.replaceAll(/ {2,}/g, '  ').trim());
    assert.deepEqual(lines.slice(0, 4), [
      'cli  attempts  completed  verified  retries  median  tokens  cost  per verified',
      'claude  1  1 of 1 (21-100 %)  1 of 1 (21-100 %)  0  0s  1.0k  $0.50  $0.50',
      'codex  1  0 of 1 (0-79 %)  -  0  0s  -  -  -',
      'all  2  1 of 2 (9-91 %)  1 of 1 (21-100 %)  0  0s  1.0k  $0.50  $0.50',
    ]);
    assert.match(out, /rate_limited 1: /);
  });

  test('looks as far back as it is told, and prints JSON and CSV', async () => {
    await using cli = await withAttempts();
    const said = await cli.say(['metrics', '--last', '90d', '--by', 'cli', '--json']);
    const { groups, total } = MetricsDocument.parse(JSON.parse(said.out));
    assert.deepEqual(
      groups.map(({ name, attempts, verified }) => [name, attempts, verified]),
      [
        ['claude', 2, 2],
        ['codex', 1, 0],
      ],
    );
    assert.deepEqual([total.cost_usd, total.cost_per_verified_usd], [1, 0.5]);
    const csv = (await cli.say(['metrics', '--csv'])).out.split('\n');
    assert.match(csv[0] ?? '', /^name,attempts,runs,/);
    assert.match(csv[1] ?? '', /^'=cmd\(\),2,2,/, 'a spreadsheet would run the name as a formula');
    assert.equal((await cli.say(['metrics', '--csv', '--json'])).code, 2);
    assert.equal((await cli.say(['metrics', '--by', 'mood'])).code, 2);
  });

  test('says so if nothing has ended', async () => {
    await using cli = await withAttempts();
    const { code, out } = await cli.say(['metrics', '--last', '1h']);
    assert.deepEqual(
      [code, out],
      [0, 'No attempt has ended in this time. Look further back with --last 90d.\n'],
    );
  });
});
