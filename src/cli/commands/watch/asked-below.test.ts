import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { systemClock } from '../../../host/machine/system-clock.ts';
import { InboxDocument } from '../../../public-json/reading-documents.ts';
import { StatusDocument } from '../../../public-json/status-document.ts';
import type { InProcessCli } from '../../../../test/support/cli-harness.ts';
import { inProcessCli } from '../../../../test/support/cli-harness.ts';

const WORKFLOW = `name: ask
steps:
  plan: { role: planner }
`;

/** A workflow whose step asks: its run, and the run of the step. */
async function begin(cli: InProcessCli): Promise<{ readonly top: string; readonly asker: string }> {
  const folder = join(cli.dir, 'workflows');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'ask.yaml'), WORKFLOW);
  const run = ['run', 'x', '--workflow', 'ask', '-a', 'scripted:asks-a-question', '--detach'];
  const top = (await cli.say(run)).out.trim();
  const waited = await cli.say(['wait', top, '--until-asked', '--json']);
  const { error, runs } = StatusDocument.parse(JSON.parse(waited.out));
  const asker = runs[0]?.questions[0]?.run_id ?? assert.fail('nothing is asked');
  assert.deepEqual(
    [waited.code, error?.code, error?.message, error?.remedy],
    [
      ...[3, 'wait.asked'],
      `Run ${top} (step plan, run ${asker}) asks you something. It continues when you answer.`,
      `Answer the question with: supervisor answer ${asker} "…"`,
    ],
  );
  return { top, asker };
}

describe('a question of a step', { timeout: 300_000 }, () => {
  test('is a question of the run that a person started', async () => {
    await using cli = await inProcessCli('', [], systemClock, { scriptedInProject: false });
    const { top, asker } = await begin(cli);
    const advice = `Answer the question with: supervisor answer ${asker} "…"`;
    const screens: [argv: string[], shows: RegExp][] = [
      [['status', 'is:needs-you'], /awaiting_input[^]*step plan, run \w+: .*Which config file\?/],
      [['status', top], /question +step plan, run \w+: .*Which config file\?/],
      [['why', top], /step plan, run \w+, has asked for \w+: .*Which config file\?/],
      [['report'], /Needs you\n[^]*step plan, run \w+: .*Which config file\?/],
      [['inbox'], new RegExp(`step plan of run ${top}`)],
    ];
    for (const [argv, shows] of screens) {
      const { out } = await cli.say(argv);
      assert.match(out, shows);
      assert.ok(out.includes(advice), `${argv.join(' ')} says what to type:\n${out}`);
    }
    const { err } = await cli.say(['wait', top, '--timeout', '50ms']);
    const asks = `Run ${top} (step plan, run ${asker}) asks: `;
    assert.ok(err.startsWith(asks), err);
    const { questions } = InboxDocument.parse(JSON.parse((await cli.say(['inbox', '--json'])).out));
    assert.deepEqual(
      questions.map((one) => [one.run_id, one.parent_run_id, one.root_run_id]),
      [[asker, top, top]],
    );
    assert.equal((await cli.say(['kill', top])).code, 0);
  });

  test('is shown by the commands that watch that run', async () => {
    await using cli = await inProcessCli('', [], systemClock, { scriptedInProject: false });
    const { top, asker } = await begin(cli);
    for (const more of [[], ['--json']]) {
      const asked = Promise.withResolvers<string>();
      let seen = '';
      const look = (text: string): void => {
        seen += text;
        if (seen.includes(`supervisor answer ${asker}`)) asked.resolve(seen);
      };
      const attached = cli.say(['attach', top, ...more], {
        ...{ out: look, err: look },
        onInterrupt: (listener) => {
          void asked.promise.then(() => listener('SIGINT'));
          return () => {};
        },
      });
      assert.match(await asked.promise, /step plan, run \w+.*Which config file\?/);
      assert.equal((await attached).code, 130);
    }
    assert.equal((await cli.say(['kill', top])).code, 0);
  });

  test('is answered by the name of the run that a person started', async () => {
    await using cli = await inProcessCli('', [], systemClock, { scriptedInProject: false });
    const { top, asker } = await begin(cli);
    const missing = await cli.say(['answer', top]);
    assert.deepEqual([missing.code, /Which config file\?/.test(missing.err)], [2, true]);
    assert.equal((await cli.say(['answer', top, 'the first'])).code, 0);
    const { out } = await cli.say(['events', '--run', asker, '--json']);
    assert.match(out, /"the first"/);
    assert.equal((await cli.say(['kill', top])).code, 0);
  });
});
