/** `resume` with what a person changes about a run that failed. */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { inProcessCli } from '../../../../test/support/cli-harness.ts';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { ErrorDocument } from '../../../public-json/error-document.ts';

const FAILS = ['run', 'x', '-a', 'scripted:crashes', '--once', '--json'];

function runIn(json: string): string {
  return (JSON.parse(json) as { run_id: string }).run_id;
}

describe('resume with a change', { timeout: 300_000 }, () => {
  test('after a deadline, `why` and the report say which one it was, and resume gives more', async () => {
    await using cli = await inProcessCli();
    const { say } = cli;
    const late = ['run', 'x', '-a', 'scripted:never-speaks', '--once', '--deadline', '1s'];
    const first = await say([...late, '--json']);
    assert.equal(first.code, 1);
    const id = runIn(first.out);
    for (const command of [['why', id], ['report'], ['status', id]]) {
      const { out } = await say(command);
      assert.match(out, /ran past its deadline of 1s/, command[0]);
    }
    assert.match((await say(['why', id])).out, new RegExp(`resume ${id} --deadline 2s`));
    const changes = ['--deadline', '1h', '--agent', 'scripted', '-m', 'Be quick.', '--json'];
    const again = await say(['resume', id, ...changes]);
    assert.equal(again.code, 0, again.err);
    const events = await say(['events', '--run', runIn(again.out), '--json']);
    assert.match(events.out, /Be quick\./);
    const why = await say(['why', runIn(again.out)]);
    assert.match(why.out, /with scripted \(named by a person who resumed the run\)/);
  });

  test('--all repeats no deadline that a run has passed, and --everywhere takes all projects', async () => {
    await using cli = await inProcessCli();
    const { say } = cli;
    const late = ['run', 'x', '-a', 'scripted:never-speaks', '--once', '--deadline', '1s'];
    const id = runIn((await say([...late, '--json'])).out);
    const refused = await say(['resume', '--all', '--yes']);
    assert.deepEqual([refused.code, refused.out], [2, '']);
    assert.match(refused.err, new RegExp(`^Not resumed, .* would end it again:\\n${id} `));
    assert.match(refused.err, /Give another deadline: supervisor resume --all --deadline 2h\n$/);
    await using other = await tempDir();
    const elsewhere = await say(['resume', '--all', '--yes'], { cwd: other.path });
    assert.match(elsewhere.out, /^No run of this project waits/);
    assert.match(
      elsewhere.err,
      /^1 run of other projects \(.*\) can be resumed too: supervisor resume --all --everywhere\n$/,
    );
    const more = ['--deadline', '1h', '--agent', 'scripted'];
    const all = await say(['resume', '--all', '--everywhere', '--yes', ...more], {
      cwd: other.path,
    });
    assert.equal(all.code, 0, all.err);
    assert.match(
      all.out,
      new RegExp(
        `^1 run to resume\\n${id}  .*\\n {12}it ended .*\\n[0-9a-f]{10}  continues run ${id}\\n$`,
      ),
    );
    assert.equal((await say(['resume', '--everywhere'])).code, 2);
  });

  const refused: [why: string, options: string[], code: number, err: RegExp][] = [
    ['a deadline of nothing', ['--deadline', '0'], 2, /Use a duration from 1s to 30d/],
    ['an empty message', ['-m', ' '], 2, /It is empty/],
    ['an agent that does not exist', ['--agent', 'nope'], 2, /There is no agent "nope" here/],
  ];
  for (const [why, options, code, err] of refused)
    test(`is refused with ${why}`, async () => {
      await using cli = await inProcessCli();
      const id = runIn((await cli.say(FAILS)).out);
      const given = await cli.say(['resume', id, ...options]);
      assert.equal(given.code, code);
      assert.match(given.err, err);
    });

  test('is refused for an active run, whose settings are pinned', async () => {
    await using cli = await inProcessCli();
    const { say } = cli;
    const id = (await say(['run', 'x', '-a', 'scripted:never-speaks', '--detach'])).out.trim();
    const { code, err } = await say(['resume', id, '--deadline', '2h']);
    assert.equal(code, 1);
    assert.match(err, /has not ended, so its task, agents and limits cannot be changed/);
    await say(['kill', id]);
  });

  test('of all runs lists them first, and resumes them with --yes', async () => {
    await using cli = await inProcessCli();
    const { say } = cli;
    const ids = [runIn((await say(FAILS)).out), runIn((await say(FAILS)).out)];
    const listed = await say(['resume', '--all']);
    assert.equal(listed.code, 2);
    for (const id of ids)
      assert.match(listed.out, new RegExp(`^${id}  x\\n {12}it ended as failed`, 'm'));
    assert.match(listed.err, /No run was resumed\.\s+To resume these runs, add --yes\./);
    const asked = JSON.parse((await say(['resume', '--all', '--json'])).out) as unknown;
    const { message } = ErrorDocument.parse(asked).error;
    for (const id of ids) assert.ok(message.includes(id), message);
    const again = await say(['resume', '--all', '--yes', '--agent', 'scripted']);
    assert.equal(again.code, 0, again.err);
    for (const id of ids)
      assert.match(again.out, new RegExp(`^[0-9a-f]{10}  continues run ${id}$`, 'm'));
    for (const [, id = ''] of again.out.matchAll(/^([0-9a-f]{10})  continues/gm))
      assert.equal((await say(['attach', id])).code, 0);
    assert.match((await say(['resume', '--all'])).out, /^No run of this project/);
    assert.equal((await say(['resume', ids[0] ?? '', '--all'])).code, 2);
  });

  test('is refused if the folder of the project is gone, and names it', async () => {
    await using cli = await inProcessCli();
    const id = runIn((await cli.say(FAILS)).out);
    await rm(cli.project, { recursive: true });
    const { code, err } = await cli.say(['resume', id], { cwd: cli.dir });
    assert.equal(code, 2);
    assert.ok(err.replaceAll(/\s+/g, ' ').includes(`project, ${cli.project}, does not exist`), err);
  });
});
