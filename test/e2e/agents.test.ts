/**
 * Long-lived agents at the command line: spawned, declared, damaged, dismissed, and resumed by the
 * next owner.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { OpenQuestion } from '../../src/protocol/api.ts';
import type { AgentView } from '../../src/protocol/views/agent-view.ts';
import type { TreeNode, TreeView } from '../../src/protocol/views/tree-view.ts';
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

async function nodes(
  desk: CliHarness,
  args: readonly string[] = ['--all'],
): Promise<readonly TreeNode[]> {
  return ((await desk.json(['tree', ...args])) as TreeView).nodes;
}

/** Every agent in a line: `db life 1 ↻0 working`. */
async function lines(desk: CliHarness): Promise<readonly string[]> {
  return (await nodes(desk)).flatMap(({ agent }) =>
    agent === null ? [] : [`${agent.name} life ${agent.life} ↻${agent.restarts} ${agent.state}`],
  );
}

async function agent(desk: CliHarness, name: string): Promise<AgentView> {
  const found = (await nodes(desk)).find((node) => node.agent?.name === name)?.agent;
  return found ?? assert.fail(`no ${name}`);
}

/** The pids of its turns, oldest first. */
async function pids(desk: CliHarness, name: string): Promise<readonly number[]> {
  const { run } = await agent(desk, name);
  return (await desk.events(run)).flatMap(({ payload }) =>
    'note' in payload && typeof payload.note['pid'] === 'number' ? [payload.note['pid']] : [],
  );
}

async function atWork(desk: CliHarness, name: string, turns = 1): Promise<number> {
  const isSo = async (): Promise<boolean> => (await pids(desk, name)).length >= turns;
  await eventually(`turn ${turns} of ${name}`, isSo, WITHIN_MS);
  return (await pids(desk, name))[turns - 1] ?? assert.fail('no pid');
}

async function signalsTo(desk: CliHarness, name: string): Promise<readonly string[]> {
  const { run } = await agent(desk, name);
  return (await desk.events(run)).flatMap(({ payload }) =>
    'signal' in payload ? [payload.signal.kind] : [],
  );
}

describe('long-lived agents', { timeout: 5 * WITHIN_MS }, () => {
  test('a gang goes down with one of them; killed with their owner, they recover as they were', async () => {
    await using desk = await CliHarness.set(team('one_for_all'));
    const up = await desk.say(['up', '--detach']);
    assert.match(up.stdout, /Started agent db \([0-9a-f]{10}\)\.\nStarted agent web/);
    const before = [
      await atWork(desk, 'db'),
      await atWork(desk, 'web'),
      await atWork(desk, 'docs'),
    ];
    process.kill(before[1] ?? assert.fail(), 'SIGKILL');
    const second = [
      await atWork(desk, 'db', 2),
      await atWork(desk, 'web', 2),
      await atWork(desk, 'docs', 2),
    ];
    await gone(before);
    const told = ['db life 2 ↻0 working', 'web life 2 ↻1 working', 'docs life 2 ↻0 working'];
    assert.deepEqual(await lines(desk), told);
    const runs = await Promise.all(['db', 'web', 'docs'].map((name) => agent(desk, name)));

    await desk.killOwner();
    await gone(second);
    assert.deepEqual(await lines(desk), told); // a look is enough: they are resumed
    const again = await desk.say(['up', '--detach']);
    assert.match(again.stdout, /Already running: db, web, docs\.\n/);
    await atWork(desk, 'web', 3);
    assert.deepEqual(await lines(desk), told); // counters included
    const now = await Promise.all(['db', 'web', 'docs'].map((name) => agent(desk, name)));
    assert.deepEqual(
      now.map(({ run }) => run),
      runs.map(({ run }) => run),
    );
    assert.deepEqual(await signalsTo(desk, 'db'), ['live', 'halt', 'live']);
  });

  test('SIGTERM ends all in order: no process is left, no agent is signalled, and the next owner continues', async () => {
    await using desk = await CliHarness.set(team('rest_for_one'));
    const up = desk.type(['up']);
    await up.shows(/Started agent docs/);
    const first = [await atWork(desk, 'db'), await atWork(desk, 'web'), await atWork(desk, 'docs')];
    up.child.kill('SIGTERM');
    const { code, stdout } = await up.ended;
    assert.deepEqual([code, stdout.endsWith('Shutting down: a signal.\n')], [0, true]);
    await gone(first);
    await desk.say(['status']); // any command is enough: an owner resumes living agents
    await atWork(desk, 'docs', 2);
    assert.deepEqual(await lines(desk), [
      'db life 1 ↻0 working',
      'web life 1 ↻0 working',
      'docs life 1 ↻0 working',
    ]);
    assert.deepEqual(await signalsTo(desk, 'docs'), ['live']);
  });

  test('old bug: orphaned CLI processes', async () => {
    await using desk = await CliHarness.set(`${ROOM}attempt: {grace: 1s}\n`);
    const spawn = ['spawn', 'think', '--agent', 'scripted:deaf-with-child'];
    const { run } = (await desk.json([...spawn, '--name', 'deaf'])) as AgentView;
    const printed = async (): Promise<string> => (await desk.say(['logs', run, '--raw'])).stdout;
    await eventually('both', async () => pidsIn(await printed()).length === 2, WITHIN_MS);
    const both = pidsIn(await printed());
    const { stdout } = await desk.say(['dismiss', 'deaf']);
    assert.match(stdout, /^[0-9a-f]{10} {2}deaf {2}mortal, dismissed-reaped\n$/);
    await gone(both);
    const isEnded = async (): Promise<boolean> => (await agent(desk, 'deaf')).outcome !== null;
    await eventually('its end', isEnded, WITHIN_MS);
    assert.equal((await agent(desk, 'deaf')).outcome?.kind, 'cancelled'); // and its record stays
  });

  test('old bug: a long check blocks every agent', async () => {
    await using desk = await CliHarness.set(ROOM);
    const spawn = ['spawn', 'x', '--agent', 'scripted:lives-in-turns', '--unsafe-no-sandbox'];
    await desk.say([...spawn, '--name', 'slow', '--commit', 'it holds=sleep 3600']);
    const isChecked = async (): Promise<boolean> =>
      (await agent(desk, 'slow')).state === 'verifying';
    await eventually('the check', isChecked, WITHIN_MS);
    await desk.say([...spawn, '--name', 'quick', '--commit', 'it holds=true']);
    const isOver = async (name: string): Promise<boolean> =>
      (await agent(desk, name)).outcome !== null;
    await eventually('the end of quick', () => isOver('quick'), WITHIN_MS);
    assert.equal((await agent(desk, 'quick')).outcome?.kind, 'succeeded');
    assert.equal((await agent(desk, 'slow')).state, 'verifying');
    await desk.say(['dismiss', 'slow']);
    await eventually('the end of slow', () => isOver('slow'), WITHIN_MS);
    assert.equal((await agent(desk, 'slow')).outcome?.kind, 'cancelled');
  });

  test('a project shows its own agents, and idle ones only with --all', async () => {
    await using desk = await CliHarness.set(ROOM);
    const other = join(desk.dir, 'other');
    mkdirSync(other);
    const spawn = ['spawn', 'x', '--agent', 'scripted:never-speaks'];
    await desk.say([...spawn, '--name', 'mine']);
    await desk.say([...spawn, '--name', 'quiet', '--kind', 'drone', '--parent', 'mine']);
    await desk.say([...spawn, '--name', 'theirs'], { cwd: other });
    const named = async (
      args: readonly string[],
      cwd = desk.project,
    ): Promise<readonly string[]> => {
      const { stdout } = await desk.say(['tree', '--json', ...args], { cwd });
      const view = JSON.parse(stdout) as TreeView;
      return view.nodes.flatMap((node) => (node.agent === null ? [] : [node.name]));
    };
    assert.deepEqual(await named([]), ['mine']);
    assert.deepEqual(await named([], other), ['theirs']);
    assert.deepEqual((await named(['--all'])).toSorted(), ['mine', 'quiet', 'theirs']);
    const { stdout } = await desk.say(['tree', '--all']);
    assert.match(stdout, /quiet +\w+ .* drone [0-9a-f]{10}, of mine/);
    const taken = await desk.say([...spawn, '--name', 'mine']);
    assert.deepEqual(
      [taken.code, /An agent with the name mine exists already/.test(taken.stderr)],
      [1, true],
    );
  });

  test('an agent whose work is rejected restarts, and the record says why', async () => {
    await using desk = await CliHarness.set(ROOM);
    const spawned = ['spawn', 'build', '--name', 'builder', '--agent', 'scripted:never-speaks'];
    assert.equal((await desk.say(spawned)).code, 0);
    await atWork(desk, 'builder');
    const { code, stdout } = await desk.say(['reject', 'builder', 'no tests']);
    assert.deepEqual([code, /builder {2}mortal/.test(stdout)], [0, true]);
    await atWork(desk, 'builder', 2);
    const { run, life } = await agent(desk, 'builder');
    assert.equal(life, 2);
    const { stdout: shown } = await desk.say(['events', '--run', run]);
    assert.match(shown, /trigger: its work was rejected, no tests/);
    const { stderr } = await desk.say(['reject', 'nobody', 'x']);
    assert.match(stderr, /There is no agent "nobody"/);
  });

  test('an agent without restarts left asks in the inbox, and the answer counts', async () => {
    await using desk = await CliHarness.set(`${ROOM}
tree:
  children:
    - {name: frail, assignment: try, agent: 'scripted:crashes', restart: {restarts: 0}}
`);
    await desk.say(['up', '--detach']);
    const inbox = async (): Promise<readonly OpenQuestion[]> =>
      (await desk.json(['inbox'])) as readonly OpenQuestion[];
    await eventually('a question', async () => (await inbox()).length === 1, WITHIN_MS);
    const [question] = await inbox();
    assert.deepEqual(question?.choices, ['restart', 'dismiss']);
    const { stdout } = await desk.say(['tree']);
    assert.match(stdout, /frail +failed-reaped .*waiting for you/);
    await desk.say(['answer', question.run, 'restart']);
    const isSecond = async (): Promise<boolean> => (await agent(desk, 'frail')).life === 2;
    await eventually('its second life', isSecond, WITHIN_MS);
    await eventually('another question', async () => (await inbox()).length === 1, WITHIN_MS);
    await desk.say(['answer', question.run, 'dismiss']);
    const isOver = async (): Promise<boolean> => (await agent(desk, 'frail')).outcome !== null;
    await eventually('its end', isOver, WITHIN_MS);
  });

  test('a wrong command line differs from a request that cannot be met', async () => {
    await using desk = await CliHarness.set(ROOM);
    const spawned = await desk.say(['spawn', 'be', '--name', 'one', '--agent', NEVER]);
    assert.equal(spawned.code, 0, spawned.stderr);
    const long = 'x'.repeat(100_001);
    const cases: [args: readonly string[], code: number, says: RegExp][] = [
      [['spawn', 'be', '--name', 'bad name'], 2, /name: expected a name/],
      [['spawn', 'be', '--kind', 'king'], 2, /kind/],
      [['spawn', 'be', '--agent', 'nobody'], 2, /nobody/],
      [['spawn', 'be', '--agent', NEVER, '--commit', "it holds='half"], 2, /is not a command/],
      [['spawn', 'be', '--set', 'attempt.grace=red'], 2, /grace/],
      [['spawn', 'be', '--nonsense'], 2, /unknown option/],
      [['send', 'one', '-'], 2, /text/],
      [['send', 'one', ''], 2, /text/],
      [['dismiss', 'one', '--because', 'y'.repeat(2001)], 2, /because/],
      [['reject', 'one', ''], 2, /feedback/],
      [['send', 'nobody', 'hello'], 1, /no agent "nobody"/],
      [['dismiss', 'nobody'], 1, /no agent "nobody"/],
      [['spawn', 'be', '--name', 'one', '--agent', NEVER], 1, /the name one exists already/],
      [['answer', (await agent(desk, 'one')).run, 'yes'], 1, /no open question/],
    ];
    const got: [string, number | null, boolean | string][] = [];
    for (const [args, , says] of cases) {
      const { code, stderr } = await desk.say(args, args.includes('-') ? { stdin: long } : {});
      got.push([args.join(' ').slice(0, 60), code, says.test(stderr) || stderr]);
    }
    assert.deepEqual(
      got,
      cases.map(([args, code]) => [args.join(' ').slice(0, 60), code, true]),
    );
  });
});
