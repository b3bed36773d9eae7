/**
 * Long-lived agents at the command line: spawned, declared, damaged, dismissed, and resumed by the
 * next owner.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { TreeAgent, TreeNodes } from '../../src/public-json/agent-documents.ts';
import { AgentDocument, TreeDocument } from '../../src/public-json/agent-documents.ts';
import { InboxDocument } from '../../src/public-json/reading-documents.ts';
import { eventually } from '../support/eventually.ts';
import { CliHarness, gone, pidsIn } from './cli-process-harness.ts';

const WITHIN_MS = 240_000;
const ROOM = 'capacity: {runs_max: 20, per_agent_max: 20}\nlimits: {attempts: 20}\n';
const AT_ONCE = 'restart: {backoff_base: 0s, backoff_max: 0s}';
const NEVER = 'scripted:never-speaks';
const SILENT = `agent: '${NEVER}', ${AT_ONCE}`;

function team(strategy: string): string {
  return `${ROOM}
tree:
  children:
    - name: team
      strategy: ${strategy}
      children:
        - {name: db, assignment: keep, ${SILENT}}
        - {name: web, assignment: serve, ${SILENT}}
        - {name: docs, assignment: write, ${SILENT}}
`;
}

async function nodes(harness: CliHarness, args: readonly string[] = ['--all']): Promise<TreeNodes> {
  return (await harness.json(TreeDocument, ['tree', ...args])).nodes;
}

/** Every agent in a line: `db life 1 ↻0 working`. */
async function lines(harness: CliHarness): Promise<readonly string[]> {
  return (await nodes(harness)).flatMap(({ agent }) =>
    agent === null ? [] : [`${agent.name} life ${agent.life} ↻${agent.restarts} ${agent.state}`],
  );
}

async function agent(harness: CliHarness, name: string): Promise<TreeAgent> {
  const found = (await nodes(harness)).find((node) => node.agent?.name === name)?.agent;
  return found ?? assert.fail(`no ${name}`);
}

/** The pids of its turns, oldest first. */
async function pids(harness: CliHarness, name: string): Promise<readonly number[]> {
  const { run_id: run } = await agent(harness, name);
  return (await harness.events(run)).flatMap(({ type, payload }) =>
    type === 'command.noted' && payload.note.kind === 'started' && payload.note.pid !== null
      ? [payload.note.pid]
      : [],
  );
}

async function atWork(harness: CliHarness, name: string, turns = 1): Promise<number> {
  const isSo = async (): Promise<boolean> => (await pids(harness, name)).length >= turns;
  await eventually(`turn ${turns} of ${name}`, isSo, WITHIN_MS);
  return (await pids(harness, name))[turns - 1] ?? assert.fail('no pid');
}

async function signalsTo(harness: CliHarness, name: string): Promise<readonly string[]> {
  const { run_id: run } = await agent(harness, name);
  return (await harness.events(run)).flatMap(({ payload }) =>
    'signal' in payload ? [payload.signal.kind] : [],
  );
}

describe('long-lived agents', { timeout: 5 * WITHIN_MS }, () => {
  test('a gang goes down with one of them; killed with their owner, they recover as they were', async () => {
    await using harness = await CliHarness.create(team('one_for_all'));
    const up = await harness.run(['up', '--detach']);
    assert.match(up.stdout, /Started agent db \([0-9a-f]{10}\)\.\nStarted agent web/);
    const before = [
      await atWork(harness, 'db'),
      await atWork(harness, 'web'),
      await atWork(harness, 'docs'),
    ];
    process.kill(before[1] ?? assert.fail(), 'SIGKILL');
    const second = [
      await atWork(harness, 'db', 2),
      await atWork(harness, 'web', 2),
      await atWork(harness, 'docs', 2),
    ];
    await gone(before);
    const expected = ['db life 2 ↻0 working', 'web life 2 ↻1 working', 'docs life 2 ↻0 working'];
    assert.deepEqual(await lines(harness), expected);
    const runs = await Promise.all(['db', 'web', 'docs'].map((name) => agent(harness, name)));

    await harness.killOwner();
    await gone(second);
    assert.deepEqual(await lines(harness), expected); // a look is enough: they are resumed
    const again = await harness.run(['up', '--detach']);
    assert.match(again.stdout, /Already running: db, web, docs\.\n/);
    await atWork(harness, 'web', 3);
    assert.deepEqual(await lines(harness), expected); // counters included
    const now = await Promise.all(['db', 'web', 'docs'].map((name) => agent(harness, name)));
    assert.deepEqual(
      now.map(({ run_id: run }) => run),
      runs.map(({ run_id: run }) => run),
    );
    assert.deepEqual(await signalsTo(harness, 'db'), ['start-life', 'end-life', 'start-life']);
  });

  test('SIGTERM ends all in order: no process is left, no agent is signalled, and the next owner continues', async () => {
    await using harness = await CliHarness.create(team('rest_for_one'));
    const up = harness.type(['up']);
    await up.shows(/Started agent docs/);
    const first = [
      await atWork(harness, 'db'),
      await atWork(harness, 'web'),
      await atWork(harness, 'docs'),
    ];
    up.child.kill('SIGTERM');
    const { code, stdout } = await up.ended;
    assert.deepEqual([code, stdout.endsWith('Shutting down: a signal.\n')], [0, true]);
    await gone(first);
    await harness.run(['status']); // any command is enough: an owner resumes living agents
    await atWork(harness, 'docs', 2);
    assert.deepEqual(await lines(harness), [
      'db life 1 ↻0 working',
      'web life 1 ↻0 working',
      'docs life 1 ↻0 working',
    ]);
    assert.deepEqual(await signalsTo(harness, 'docs'), ['start-life']);
  });

  test('old bug: orphaned CLI processes', async () => {
    await using harness = await CliHarness.create(`${ROOM}attempt: {grace: 1s}\n`);
    const spawn = ['spawn', 'think', '--agent', 'scripted:deaf-with-child'];
    const { run_id: run } = await harness.json(AgentDocument, [...spawn, '--name', 'deaf']);
    const printed = async (): Promise<string> => (await harness.run(['logs', run, '--raw'])).stdout;
    await eventually('both', async () => pidsIn(await printed()).length === 2, WITHIN_MS);
    const both = pidsIn(await printed());
    const { stdout } = await harness.run(['dismiss', 'deaf']);
    assert.match(stdout, /^[0-9a-f]{10} {2}deaf {2}mortal, dismissed-reaped\n$/);
    await gone(both);
    const isEnded = async (): Promise<boolean> => (await agent(harness, 'deaf')).outcome !== null;
    await eventually('its end', isEnded, WITHIN_MS);
    assert.equal((await agent(harness, 'deaf')).outcome?.state, 'cancelled'); // and its record stays
  });

  test('old bug: a long check blocks every agent', async () => {
    await using harness = await CliHarness.create(ROOM);
    const spawn = ['spawn', 'x', '--agent', 'scripted:lives-in-turns', '--unsafe-no-sandbox'];
    await harness.run([...spawn, '--name', 'slow', '--commitment', 'it holds=sleep 3600']);
    const isChecked = async (): Promise<boolean> =>
      (await agent(harness, 'slow')).state === 'verifying';
    await eventually('the check', isChecked, WITHIN_MS);
    await harness.run([...spawn, '--name', 'quick', '--commitment', 'it holds=true']);
    const isOver = async (name: string): Promise<boolean> =>
      (await agent(harness, name)).outcome !== null;
    await eventually('the end of quick', () => isOver('quick'), WITHIN_MS);
    assert.equal((await agent(harness, 'quick')).outcome?.state, 'succeeded');
    assert.equal((await agent(harness, 'slow')).state, 'verifying');
    await harness.run(['dismiss', 'slow']);
    await eventually('the end of slow', () => isOver('slow'), WITHIN_MS);
    assert.equal((await agent(harness, 'slow')).outcome?.state, 'cancelled');
  });

  test('a project shows its own agents, and idle ones only with --all', async () => {
    await using harness = await CliHarness.create(ROOM);
    const other = join(harness.dir, 'other');
    mkdirSync(other);
    const spawn = ['spawn', 'x', '--agent', 'scripted:never-speaks'];
    await harness.run([...spawn, '--name', 'mine']);
    await harness.run([...spawn, '--name', 'quiet', '--kind', 'drone', '--parent', 'mine']);
    await harness.run([...spawn, '--name', 'theirs'], { cwd: other });
    const named = async (
      args: readonly string[],
      cwd = harness.project,
    ): Promise<readonly string[]> => {
      const { stdout } = await harness.run(['tree', '--json', ...args], { cwd });
      const view = TreeDocument.parse(JSON.parse(stdout));
      return view.nodes.flatMap((node) => (node.agent === null ? [] : [node.name]));
    };
    assert.deepEqual(await named([]), ['mine']);
    assert.deepEqual(await named([], other), ['theirs']);
    assert.deepEqual((await named(['--all'])).toSorted(), ['mine', 'quiet', 'theirs']);
    const { stdout } = await harness.run(['tree', '--all']);
    assert.match(stdout, /quiet +\w+ .* drone [0-9a-f]{10}, of mine/);
    const taken = await harness.run([...spawn, '--name', 'mine']);
    assert.deepEqual(
      [taken.code, /An agent with the name mine exists already/.test(taken.stderr)],
      [1, true],
    );
  });

  test('an agent whose work is rejected restarts, and the record says why', async () => {
    await using harness = await CliHarness.create(ROOM);
    const spawned = ['spawn', 'build', '--name', 'builder', '--agent', 'scripted:never-speaks'];
    assert.equal((await harness.run(spawned)).code, 0);
    await atWork(harness, 'builder');
    const { code, stdout } = await harness.run(['reject', 'builder', 'no tests']);
    assert.deepEqual([code, /builder {2}mortal/.test(stdout)], [0, true]);
    await atWork(harness, 'builder', 2);
    const { run_id: run, life } = await agent(harness, 'builder');
    assert.equal(life, 2);
    const { stdout: shown } = await harness.run(['events', '--run', run]);
    assert.match(shown, /trigger: its work was rejected, no tests/);
    const { stderr } = await harness.run(['reject', 'nobody', 'x']);
    assert.match(stderr, /There is no agent "nobody"/);
  });

  test('an agent without restarts left asks in the inbox, and the answer counts', async () => {
    await using harness = await CliHarness.create(`${ROOM}
tree:
  children:
    - {name: frail, assignment: try, agent: 'scripted:crashes', restart: {restarts: 0}}
`);
    await harness.run(['up', '--detach']);
    const inbox = async () => (await harness.json(InboxDocument, ['inbox'])).questions;
    await eventually('a question', async () => (await inbox()).length === 1, WITHIN_MS);
    const [question] = await inbox();
    assert.deepEqual(question?.choices, ['restart', 'dismiss']);
    const { stdout } = await harness.run(['tree']);
    assert.match(stdout, /frail +failed-reaped .*waiting for you/);
    await harness.run(['answer', question.run_id, 'restart']);
    const isSecond = async (): Promise<boolean> => (await agent(harness, 'frail')).life === 2;
    await eventually('its second life', isSecond, WITHIN_MS);
    await eventually('another question', async () => (await inbox()).length === 1, WITHIN_MS);
    await harness.run(['answer', question.run_id, 'dismiss']);
    const isOver = async (): Promise<boolean> => (await agent(harness, 'frail')).outcome !== null;
    await eventually('its end', isOver, WITHIN_MS);
  });

  test('a wrong command line differs from a request that cannot be met', async () => {
    await using harness = await CliHarness.create(ROOM);
    const spawned = await harness.run(['spawn', 'be', '--name', 'one', '--agent', NEVER]);
    assert.equal(spawned.code, 0, spawned.stderr);
    const long = 'x'.repeat(100_001);
    const cases: [args: readonly string[], code: number, says: RegExp][] = [
      [['spawn', 'be', '--name', 'bad name'], 2, /name: expected a name/],
      [['spawn', 'be', '--kind', 'king'], 2, /kind/],
      [['spawn', 'be', '--agent', 'nobody'], 2, /nobody/],
      [['spawn', 'be', '--agent', NEVER, '--commitment', "it holds='half"], 2, /is not a command/],
      [['spawn', 'be', '--set', 'attempt.grace=red'], 2, /grace/],
      [['spawn', 'be', '--nonsense'], 2, /unknown option/],
      [['send', 'one', '-'], 2, /text/],
      [['send', 'one', ''], 2, /text/],
      [['dismiss', 'one', '--because', 'y'.repeat(2001)], 2, /because/],
      [['reject', 'one', ''], 2, /The text is empty/],
      [['send', 'nobody', 'hello'], 2, /no agent "nobody"/],
      [['dismiss', 'nobody'], 2, /no agent "nobody"/],
      [['spawn', 'be', '--name', 'one', '--agent', NEVER], 1, /the name one exists already/],
      [['answer', (await agent(harness, 'one')).run_id, 'yes'], 1, /no open question/],
    ];
    const got: [string, number | null, boolean | string][] = [];
    for (const [args, , says] of cases) {
      const { code, stderr } = await harness.run(args, args.includes('-') ? { stdin: long } : {});
      got.push([args.join(' ').slice(0, 60), code, says.test(stderr) || stderr]);
    }
    assert.deepEqual(
      got,
      cases.map(([args, code]) => [args.join(' ').slice(0, 60), code, true]),
    );
  });
});
