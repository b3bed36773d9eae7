import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CooldownsDocument } from '../../../public-json/reading-documents.ts';
import { at } from '../../../base/clock.ts';
import { systemClock } from '../../../host/machine/system-clock.ts';
import { COOLDOWN_STREAM } from '../../../protocol/streams.ts';
import { inProcessCli } from '../../../../test/support/cli-harness.ts';
import type { InProcessCli } from '../../../../test/support/cli-harness.ts';

const NOW = systemClock.now();
/** However long the tests before these took, no cooldown ends meanwhile. */
const FROZEN = { ...systemClock, now: () => at(NOW) };

/** The journal has cooldowns that an earlier owner recorded. */
function withCooldowns(): Promise<InProcessCli> {
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
  test('shows which agents are cooling down, until when and why, the first to be free at the top', async () => {
    await using cli = await withCooldowns();
    const { code, out } = await cli.say(['cooldowns']);
    assert.equal(code, 0);
    assert.deepEqual(
      out
        .replaceAll(/(?:\d{4}-\d\d-\d\d )?\d\d:\d\d/g, '<then>')
        .replaceAll(/ {2,}/g, '  ')
        .trimEnd()
        .split('\n'),
      [
        'agent  identity  until  reason',
        'second  codex::::::  <then> (in 1m00s)  HTTP 429',
        'main  claude::/home/me/.claude::::sonnet  <then> (in 2h11m)  usage limit \\x1b[2J reached',
      ],
    );
    const listed = await cli.say(['cooldowns', 'list', '--json']);
    assert.deepEqual(CooldownsDocument.parse(JSON.parse(listed.out)).cooldowns[0], {
      agent_id: 'second',
      identity: 'codex::::::',
      until: new Date(NOW + 60_500).toISOString(),
      reason: 'HTTP 429',
      last_limited_at: new Date(NOW - 5).toISOString(),
    });
  });

  const cleared: [argv: string[], printed: string, left: string[]][] = [
    [['clear', 'main'], 'main is available again.\n', ['second']],
    [['clear', 'codex::::::'], 'second is available again.\n', ['main']],
    [['clear', '--all'], 'second is available again.\nmain is available again.\n', []],
  ];
  for (const [argv, printed, left] of cleared)
    test(`${argv.join(' ')} ends the cooldown`, async () => {
      await using cli = await withCooldowns();
      assert.deepEqual(await cli.say(['cooldowns', ...argv]), { code: 0, out: printed, err: '' });
      const { out } = await cli.say(['cooldowns', '--json']);
      const { cooldowns } = CooldownsDocument.parse(JSON.parse(out));
      assert.deepEqual(
        cooldowns.map(({ agent_id: agent }) => agent),
        left,
      );
    });

  const refused: [argv: string[], code: number, message: RegExp][] = [
    [['clear'], 2, /Name one agent, or pass --all/],
    [['clear', 'main', '--all'], 2, /Name one agent/],
    [['clear', 'old'], 1, /Agent "old" is not cooling down\.\nUse one of: second, main/],
  ];
  for (const [argv, code, message] of refused)
    test(`${argv.join(' ')} is refused with a hint`, async () => {
      await using cli = await withCooldowns();
      const printed = await cli.say(['cooldowns', ...argv]);
      assert.equal(printed.code, code);
      assert.match(printed.err, message);
    });

  test('says that no agent is cooling down if there is none', async () => {
    await using cli = await inProcessCli();
    assert.equal((await cli.say(['cooldowns'])).out, 'No agent is cooling down.\n');
    assert.equal(
      (await cli.say(['cooldowns', 'clear', '--all'])).out,
      'No agent is cooling down.\n',
    );
  });
});
