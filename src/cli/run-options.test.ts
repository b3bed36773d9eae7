import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OutputChunk } from '../protocol/api.ts';
import { Preflight } from '../protocol/views/preflight-view.ts';
import { inProcessCli } from '../../test/support/cli-harness.ts';
import { wholeLines } from './show-output.ts';

describe('run --preflight-only', { timeout: 300_000 }, () => {
  test('prints what was looked at with its remedies, and makes no run', async () => {
    await using desk = await inProcessCli();
    const good = await desk.say(['run', 'do it', '--agent', 'scripted', '--preflight-only']);
    assert.deepEqual([good.code, good.err], [0, '']);
    assert.match(good.out, /^✓ task +5 characters\n✓ settings +read\n✓ agents +scripted\n/);
    assert.match(good.out, /\nA run could begin\. None was made\.\n$/);

    const asked = ['run', 'do it', '--agent', 'nobody', '--unsafe-no-sandbox', '--preflight-only'];
    const bad = await desk.say(asked);
    assert.equal(bad.code, 2);
    assert.match(
      bad.out,
      /\n✗ agents +There is no agent "nobody" here\.\n +Use one of: scripted, /,
    );
    assert.match(bad.out, /\nA run could not begin\. None was made\.\n$/);

    const { code, out } = await desk.say([...asked, '--json']);
    assert.equal(code, 2);
    assert.deepEqual(
      Preflight.parse(JSON.parse(out)).checks.flatMap(({ id, state, code: why }) =>
        state === 'failed' ? [[id, why]] : [],
      ),
      [['agents', 'agent.unknown']],
    );
    assert.equal((await desk.say(['status', '--all', '--json'])).out, '[]\n');
  });

  test('ends with 1 where the machine lacks something', async () => {
    await using desk = await inProcessCli(
      'agents: [{ id: mine, cli: custom, command: [no-such-cli] }]\n',
    );
    const asked = ['run', 'do it', '--unsafe-no-sandbox', '--preflight-only'];
    const { code, out } = await desk.say(asked);
    assert.equal(code, 1, out);
  });
});

describe('run --follow', { timeout: 300_000 }, () => {
  test('shows all that the agent prints, beside what happens to the run', async () => {
    await using desk = await inProcessCli();
    const asked = ['run', 'do it', '--agent', 'scripted'];
    const words = await desk.say(asked);
    const all = await desk.say([...asked, '--follow']);
    assert.deepEqual([words.code, all.code, all.err], [0, 0, '']);
    assert.doesNotMatch(words.out, /"type"/);
    assert.match(all.out, /\n {10}\{"type":/);
    assert.match(all.out, /attempt-1 completed/);
  });

  test('keeps what a program reads free of it', async () => {
    await using desk = await inProcessCli();
    const asked = ['run', 'do it', '--agent', 'scripted', '--follow', '--json'];
    const { code, out, err } = await desk.say(asked);
    assert.deepEqual([code, JSON.parse(out).state], [0, 'unverified']);
    assert.match(err, /^\{"type":/);
  });

  test('can not be had by who leaves at once', async () => {
    await using desk = await inProcessCli();
    const { code, err } = await desk.say(['run', 'do it', '--detach', '--follow']);
    assert.equal(code, 2);
    assert.match(err, /--detach and --follow exclude each other/);
    assert.equal((await desk.say(['status', '--all', '--json'])).out, '[]\n');
  });
});

test('two streams in pieces are never mixed within a line, and the loop speaks for itself', async () => {
  async function* pieces(): AsyncGenerator<OutputChunk, void> {
    const piece = (key: string, stream: OutputChunk['stream'], text: string): OutputChunk => ({
      key,
      stream,
      text,
    });
    yield piece('attempt-1', 'stdout', 'one\ntw');
    yield piece('supervisor', 'stderr', '[supervisor] retry 1/2\n');
    yield piece('attempt-1', 'stderr', 'oh');
    yield piece('attempt-1', 'stdout', 'o\nthree');
    yield piece('attempt-2', 'stdout', 'four\n');
    yield piece('attempt-2', 'stdout', 'x'.repeat(70_000));
  }
  const lines: string[] = [];
  for await (const { stream, text } of wholeLines(pieces()))
    lines.push(`${stream} ${text.length > 1000 ? text.length : text}`);
  assert.deepEqual(lines, [
    'stdout one\n',
    'stdout two\n',
    'stdout three\n',
    'stderr oh\n',
    'stdout four\n',
    'stdout 70000',
  ]);
});
