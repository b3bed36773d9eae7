/** The owner as a tree: kept up, inspected, damaged in one part, and ended in order. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { TreeNodes } from '../../src/public-json/agent-documents.ts';
import type { TreeView } from '../../src/protocol/views/tree-view.ts';
import { TreeDocument } from '../../src/public-json/agent-documents.ts';
import { DownDocument, OwnerDocument } from '../../src/public-json/machine-documents.ts';
import { eventually } from '../support/eventually.ts';
import { CliHarness, gone } from './cli-process-harness.ts';

const RUN = ['run', 'think', '--agent', 'scripted:never-speaks', '--detach'];

async function part(harness: CliHarness, name: string): Promise<TreeNodes[number]> {
  const { nodes } = await harness.json(TreeDocument, ['tree', '--internals']);
  return nodes.find((node) => node.name === name) ?? assert.fail(`no ${name} in the tree`);
}

/** The pids of a run's agents, one for each attempt. */
async function agents(harness: CliHarness, run: string): Promise<readonly unknown[]> {
  return (await harness.events(run)).flatMap(({ type, payload }) => {
    if (type !== 'command.noted') return [];
    return [payload.note.kind === 'started' ? payload.note.pid : undefined];
  });
}

async function started(harness: CliHarness): Promise<string> {
  const run = (await harness.run(RUN)).stdout.trim();
  await eventually('the agent', async () => (await agents(harness, run)).length === 1);
  return run;
}

function reaperOf(harness: CliHarness): number | undefined {
  const words = `supervisor-reaper\0supervisor:${harness.home.id}/`;
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .find((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(words);
      } catch {
        return false; // it is gone by now
      }
    });
}

describe('the owner as a tree', { timeout: 300_000 }, () => {
  test('is kept up, shows its parts, and is taken down', async () => {
    await using harness = await CliHarness.create('owner: { idle_exit: 1s }\n');
    const looked = await harness.run(['tree', '--internals']); // if none is up, one is started, as by any other command
    assert.deepEqual([looked.code, /^owner +running /.test(looked.stdout)], [0, true]);
    const { code, stdout } = await harness.run(['up', '--detach']);
    assert.deepEqual([code, /^The owner is running \(pid \d+\)\.\n$/.test(stdout)], [0, true]);
    const { nodes } = await harness.json(TreeDocument, ['tree', '--internals']);
    assert.deepEqual(
      nodes.map(({ id, state, health, restarts }) => `${id} ${state} ${health} ${restarts}`),
      [
        'owner',
        'owner/store',
        'owner/guard',
        'owner/guard/reaper',
        'owner/engine',
        'owner/branches',
        'owner/branches/runs',
        'owner/branches/agents',
        'owner/branches/monitors',
        'owner/branches/monitors/hygiene',
        'owner/branches/monitors/health',
        'owner/branches/monitors/budget',
        'owner/branches/monitors/violations',
        'owner/branches/monitors/gang',
        'owner/branches/notifications',
        'owner/branches/notifications/sender',
        'owner/branches/schedules',
        'owner/branches/schedules/clock',
        'owner/branches/server',
        'owner/branches/server/dashboard',
        'owner/branches/server/socket',
      ].map((id) => `${id} running well 0`),
    );
    assert.equal((await harness.json(DownDocument, ['down'])).ended, true);
    assert.equal((await harness.json(DownDocument, ['down'])).ended, false);
  });

  test('an owner that another command has started is kept up', async () => {
    await using harness = await CliHarness.create();
    await harness.run(['status']);
    const before = await harness.ownerPid();
    const { owner } = await harness.json(OwnerDocument, ['up', '--detach']);
    assert.deepEqual([owner?.pid, owner?.stays_when_idle], [before, true]);
    const { code, stderr } = await harness.run(['up', '--detach', '--listen', '127.0.0.1:0']);
    assert.deepEqual([code, /does not listen on a port/.test(stderr)], [1, true]);
  });

  test('its socket is removed: it comes back, and the run continues undisturbed', async () => {
    await using harness = await CliHarness.create();
    const run = await started(harness);
    const before = await agents(harness, run);
    const pid = await harness.ownerPid();
    rmSync(harness.home.socket);
    await eventually('the socket', () => existsSync(harness.home.socket));
    assert.equal((await part(harness, 'socket')).restarts, 1);
    assert.equal((await part(harness, run)).restarts, 0);
    assert.deepEqual([await agents(harness, run), await harness.ownerPid()], [before, pid]);
  });

  test('its reaper is killed: another watches, and the run continues undisturbed', async () => {
    await using harness = await CliHarness.create();
    const run = await started(harness);
    const before = await agents(harness, run);
    const reaper = reaperOf(harness) ?? assert.fail('no reaper');
    process.kill(reaper, 'SIGKILL');
    await eventually('another reaper', () => ![undefined, reaper].includes(reaperOf(harness)));
    await eventually('it in the tree', async () => (await part(harness, 'reaper')).restarts === 1);
    assert.deepEqual(await agents(harness, run), before);
    const agent = Number(before[0]);
    await harness.killOwner();
    await gone([agent]); // the second one does its work
  });

  test('in the foreground it answers over TCP, ends in order on request, and keeps the run', async () => {
    await using harness = await CliHarness.create();
    const up = harness.type(['up', '--listen', '127.0.0.1:0']);
    const [, url = ''] = await up.shows(/API: (http:\S+)/);
    const run = await started(harness);
    const token = readFileSync(harness.home.apiToken, 'utf8').trim();
    assert.equal((statSync(harness.home.apiToken).mode & 0o777).toString(8), '600');
    const answer = await fetch(`${url}/v1/tree`, { headers: { authorization: `Bearer ${token}` } });
    const { nodes } = (await answer.json()) as TreeView;
    assert.ok(nodes.some(({ name }) => name === 'tcp'));
    assert.equal((await fetch(`${url}/v1/tree`)).status, 401);
    up.child.kill('SIGTERM');
    const { code, stdout } = await up.ended;
    assert.deepEqual([code, stdout.endsWith('Shutting down: a signal.\n')], [0, true]);
    assert.equal(existsSync(harness.home.apiToken), false);
    const stopped = (await harness.events()).filter(({ type }) => type === 'owner.stopped').at(-1);
    assert.deepEqual(stopped?.payload, { reason: 'a signal' });
    assert.match((await harness.run(['status'])).stdout, new RegExp(`^${run}  running `));
  });

  test('a follower sees a part restart, one line for each change', async () => {
    await using harness = await CliHarness.create();
    await harness.run(['up', '--detach']);
    const follow = harness.type(['tree', '--internals', '--follow', '--json']);
    await follow.shows(/"name":"socket"/);
    process.kill(reaperOf(harness) ?? assert.fail('no reaper'), 'SIGKILL');
    await follow.shows(/"name":"reaper"[^}]*"state":"running"[^}]*"restarts":1/);
    follow.child.kill('SIGINT');
    assert.equal((await follow.ended).code, 0);
  });

  test('a follower continues with the next owner, and starts none after a stop', async () => {
    await using harness = await CliHarness.create();
    await harness.run(['up', '--detach']);
    const follow = harness.type(['tree', '--internals', '--follow', '--json']);
    await follow.shows(/"name":"socket"/);
    await harness.killOwner();
    await follow.shows(/Connection to the owner lost, reconnecting/);
    await follow.shows(/reconnecting[^]*"name":"socket"/);
    assert.equal((await harness.run(['down'])).code, 0);
    await follow.shows(/The owner was stopped\. Waiting for the next one/);
    assert.equal(await harness.ownerPid(), undefined);
    follow.child.kill('SIGINT');
    assert.equal((await follow.ended).code, 0);
  });
});
