/** The headline: whatever is killed, the work continues and is neither lost nor done twice. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { CliHarness, gone, pidsIn } from './cli-process-harness.ts';

const WORKER = `agents:
  - { id: worker, cli: scripted, args: ['30', '10', 'TROUBLE'] }
`;
const STEPS = Array.from({ length: 30 }, (_, at) => `step ${at + 1}`);

function work(harness: CliHarness): string[] {
  return readFileSync(join(harness.project, 'WORK.md'), 'utf8').split('\n').filter(Boolean);
}

/** The agent waits before step 4 until `release`, so that a slow machine cannot let it finish first. */
function holdAtStep4(harness: CliHarness): { readonly release: () => void } {
  const file = join(harness.project, 'TROUBLE');
  writeFileSync(file, 'hold 4');
  return { release: () => rmSync(file) };
}

describe('an owner that is killed in the middle of a run', { timeout: 300_000 }, () => {
  test('is replaced by the watching command, which continues to the end', async () => {
    await using harness = await CliHarness.create(WORKER);
    const { release } = holdAtStep4(harness);
    const terminal = harness.type(['run', 'thirty steps', '--agent', 'worker']);
    await terminal.shows(/step 3 of 30/);
    await harness.killOwner();
    release();
    const { code, stdout, stderr } = await terminal.ended;
    assert.match(stderr, /^Note: .*\nThe owner died\. A new owner resumes the run\.\n$/);
    assert.equal(code, 0);
    assert.match(stdout, /attempt-1 was interrupted: the owner ended\n.*attempt-2 begins/);
    assert.match(
      stdout,
      /unverified\n(?: {2}.*\n)+No gate has checked the work\.\nAdd gates to \.supervisor\/config\.yaml, or find them with: supervisor init\n$/,
    );
    assert.equal(stdout.match(/submitted for/g)?.length, 1, 'no fact is shown twice');
    assert.deepEqual(work(harness), STEPS);
  });

  test('leaves no agent behind, and resume continues the run', async () => {
    await using harness = await CliHarness.create(WORKER);
    const { release } = holdAtStep4(harness);
    const { stdout } = await harness.run(['run', 'thirty steps', '--agent', 'worker', '--detach']);
    const id = stdout.trim();
    await harness.type(['logs', id, '--follow']).shows(/step 3 of 30/);
    await harness.killOwner();
    release();
    const resumed = await harness.run(['resume', id]);
    assert.equal(resumed.code, 0, resumed.stderr);
    assert.deepEqual(work(harness), STEPS);
    const kinds = (await harness.events(id)).map(({ type }) => type);
    assert.deepEqual(kinds, [
      'run.submitted',
      ...['command.begun', 'command.ended'], // an availability check
      ...['command.begun', 'command.noted', 'command.ended'],
      ...['command.begun', 'command.noted', 'command.noted', 'command.ended'], // its start and its turn
      ...['command.begun', 'command.ended'], // and a finalize
      'run.ended',
    ]);
  });

  test('takes a deaf agent and its tool with it', async () => {
    await using harness = await CliHarness.create();
    const run = ['run', 'x', '--agent', 'scripted:deaf-with-child', '--detach'];
    const id = (await harness.run(run)).stdout.trim();
    const logs = harness.type(['logs', id, '--follow']);
    const [shown] = await logs.shows(/\{"pids":.*\}\n/);
    const pids = pidsIn(shown);
    assert.equal(pids.length, 2);
    await harness.killOwner();
    await gone(pids);
    const killed = await harness.run(['kill', id]);
    assert.deepEqual(killed, { code: 0, stdout: `${id}  killed\n`, stderr: '' });
  });

  test('is given up by a command that sees it die again at the same place', async () => {
    await using harness = await CliHarness.create(WORKER);
    holdAtStep4(harness);
    const id = (await harness.run(['run', 'x', '--agent', 'worker', '-d'])).stdout.trim();
    await harness.killOwner();
    await harness.configure('version: 7\n'); // no other owner can start
    const { code, stdout, stderr } = await harness.run(['resume', id]);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /^error: .*config\.yaml:1:/);
  });
});

describe('status --watch', { timeout: 300_000 }, () => {
  test('continues with a new owner after the owner was killed', async () => {
    await using harness = await CliHarness.create(WORKER);
    const { release } = holdAtStep4(harness);
    const id = (await harness.run(['run', 'x', '--agent', 'worker', '-d'])).stdout.trim();
    const watch = harness.type(['status', '--watch', '--all']);
    await watch.shows(new RegExp(`${id}  running`));
    await harness.killOwner();
    await watch.shows(/Connection to the owner lost, reconnecting/);
    release();
    await watch.shows(new RegExp(`${id}  unverified`));
    watch.child.kill('SIGINT');
    const { code, stderr } = await watch.ended;
    assert.deepEqual([code, stderr], [0, 'Connection to the owner lost, reconnecting …\n']);
  });

  test('starts no owner after a person stopped it, and shows the next one', async () => {
    await using harness = await CliHarness.create();
    const watch = harness.type(['status', '--watch']);
    await watch.shows(/No active runs/);
    assert.equal((await harness.run(['down'])).code, 0);
    await watch.shows(/The owner was stopped\. Waiting for the next one/);
    assert.equal(await harness.ownerPid(), undefined);
    const run = ['run', 'think', '-a', 'scripted:never-speaks', '--detach'];
    const id = (await harness.run(run)).stdout.trim();
    await watch.shows(new RegExp(`${id}  running`));
    watch.child.kill('SIGINT');
    assert.equal((await watch.ended).code, 0);
  });
});

describe('a run that ended badly', { timeout: 300_000 }, () => {
  test('is resumed where it was stopped', async () => {
    await using harness = await CliHarness.create(WORKER);
    const { release } = holdAtStep4(harness);
    const id = (await harness.run(['run', 'x', '--agent', 'worker', '-d'])).stdout.trim();
    await harness.type(['logs', id, '--follow']).shows(/step 2 of 30/);
    assert.equal((await harness.run(['stop', id])).stdout, `${id}  cancelled\n`);
    release();
    const { code, stdout } = await harness.run(['resume', id]);
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`continues run ${id}\n`));
    assert.deepEqual(work(harness), STEPS);
  });

  test('continues even if every allowed interruption is used up', async () => {
    await using harness = await CliHarness.create(`${WORKER}attempt: { interruptions_max: 0 }\n`);
    const { release } = holdAtStep4(harness);
    const id = (await harness.run(['run', 'x', '--agent', 'worker', '-d'])).stdout.trim();
    await harness.type(['logs', id, '--follow']).shows(/step 2 of 30/);
    await harness.killOwner();
    release();
    await eventually('its end', async () => {
      const { stdout } = await harness.run(['status', id]);
      return stdout.includes('interrupted 1 time because the owner ended');
    });
    assert.equal((await harness.run(['resume', id])).code, 0);
    assert.deepEqual(work(harness), STEPS);
  });

  test('is refused when it ended well', async () => {
    await using harness = await CliHarness.create();
    assert.equal((await harness.run(['run', 'x', '--agent', 'scripted'])).code, 0);
    const [view] = await harness.runs('--all');
    assert.deepEqual(await harness.run(['resume', view?.run_id ?? '']), {
      code: 1,
      stdout: '',
      stderr: `error: Run ${view?.run_id} has ended (unverified). There is nothing to resume.\nSubmit the task again with: supervisor run "…"\n`,
    });
  });
});
