import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../base/clock.ts';
import { systemClock } from '../host/machine/system-clock.ts';
import { COOLDOWN_STREAM } from '../protocol/event.ts';
import { inProcessCli } from '../../test/support/cli-harness.ts';
import type { InProcessCli } from '../../test/support/cli-harness.ts';

const NOW = systemClock.now();
/** However long the tests before these took, no cooldown ends meanwhile. */
const FROZEN = { ...systemClock, now: () => at(NOW) };

/** An owner before this one has written who rests. */
function resting(): Promise<InProcessCli> {
  const limits = [
    ['main', 'claude::/home/me/.claude::::sonnet', 7_860_000, 'usage limit \u001B[2J reached'],
    ['second', 'codex::::::', 60_500, 'HTTP 429'],
    ['old', 'gemini::::::', -1, 'HTTP 429'],
  ] as const;
  return inProcessCli(
    '',
    limits.map(([agent, identity, inMs, reason]) => ({
      stream: COOLDOWN_STREAM,
      at: NOW - 5,
      event: {
        type: 'cooldown.set',
        payload: { agent, identity, run: 'a', until: NOW + inMs, reason },
      },
    })),
    FROZEN,
  );
}

describe('cooldowns', { timeout: 300_000 }, () => {
  test('shows who rests until when and why, whoever is free first at the top', async () => {
    await using desk = await resting();
    const { code, out } = await desk.say(['cooldowns']);
    assert.equal(code, 0);
    assert.deepEqual(
      out
        .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, '<then>')
        .trimEnd()
        .split('\n'),
      [
        'agent   identity                            until                        reason',
        'second  codex::::::                         <then> (in 1m00s)  HTTP 429',
        'main    claude::/home/me/.claude::::sonnet  <then> (in 2h11m)  usage limit \\x1b[2J reached',
      ],
    );
    const listed = await desk.say(['cooldowns', 'list', '--json']);
    assert.deepEqual(JSON.parse(listed.out)[0], {
      agent: 'second',
      identity: 'codex::::::',
      until: NOW + 60_500,
      reason: 'HTTP 429',
      lastLimitedAt: NOW - 5,
    });
  });

  const wishes: [argv: string[], says: string, left: string[]][] = [
    [['clear', 'main'], 'main may be tried again.\n', ['second']],
    [['clear', 'codex::::::'], 'second may be tried again.\n', ['main']],
    [['clear', '--all'], 'second may be tried again.\nmain may be tried again.\n', []],
  ];
  for (const [argv, says, left] of wishes)
    test(`${argv.join(' ')} lets them be tried again, once`, async () => {
      await using desk = await resting();
      assert.deepEqual(await desk.say(['cooldowns', ...argv]), { code: 0, out: says, err: '' });
      const { out } = await desk.say(['cooldowns', '--json']);
      const names = (JSON.parse(out) as { agent: string }[]).map(({ agent }) => agent);
      assert.deepEqual(names, left);
    });

  const refused: [argv: string[], code: number, says: RegExp][] = [
    [['clear'], 2, /Say which agent .* or --all/],
    [['clear', 'main', '--all'], 2, /Say which agent/],
    [['clear', 'old'], 1, /Agent "old" is not cooling down\.\nUse one of: second, main/],
  ];
  for (const [argv, code, says] of refused)
    test(`${argv.join(' ')} is refused with what to do`, async () => {
      await using desk = await resting();
      const said = await desk.say(['cooldowns', ...argv]);
      assert.equal(said.code, code);
      assert.match(said.err, says);
    });

  test('says so when nobody rests', async () => {
    await using desk = await inProcessCli();
    assert.equal((await desk.say(['cooldowns'])).out, 'No agent rests.\n');
    assert.equal((await desk.say(['cooldowns', 'clear', '--all'])).out, 'No agent rests.\n');
  });
});
