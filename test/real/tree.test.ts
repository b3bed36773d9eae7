/** A tree of real agents, hurt in every way that we have words for: each is handled as declared, and seen. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { probeFacts } from '../../src/sandbox/probe-facts.ts';
import { gone } from '../e2e/desk.ts';
import { namesBelow } from '../names-below.ts';
import type { CliName } from './clis.ts';
import type { Part } from './tree-stage.ts';
import { TreeStage } from './tree-stage.ts';
import { isMissing, shellCall } from './walled-clis.ts';

const TIMEOUT_MS = 900_000;
const AT_ONCE = { backoff_base: '0s', backoff_max: '0s' };
const WAITS = { text: 'I wait.\n{"status":"waiting"}' };
const DONE = { text: 'All of it is there.\nDONE' };

/** Where nobody counts, nobody is killed for memory: the agent is hurt in another way then. */
const isCounted = probeFacts({}).cgroup.kind !== 'none';
/** So many small ones that the biggest process, which the kernel takes first, is the CLI. */
const EATS = `for one in $(seq 40); do perl -e 'my $x = "a" x 20_000_000; sleep 600' & done; wait`;

/** It does what hurts; once restarted it writes that down, and waits. What it hears then it does not end. */
function hurtBy(cli: CliName, line: string): Part {
  return ({ told, step }) => {
    const does = (word: string, then = 'true'): ReturnType<Part> =>
      step === 0 ? { calls: [shellCall(cli, `echo ${word} >>diary; ${then}`)] } : WAITS;
    if (told.includes('finish it')) return DONE;
    if (told.includes('You were interrupted')) return does('interrupted', 'sleep 600');
    if (told.includes('Somebody has written')) return does('heard', 'sleep 600');
    return told.includes('You were restarted') ? does('restarted') : does('begun', line);
  };
}

/** What a person or a broken disk does to the files of a conversation. */
async function damage(stage: TreeStage, name: string, cli: CliName): Promise<void> {
  const { run } = await stage.view(name);
  const [session = 'none'] = await stage.sessions(name);
  const home = join(stage.desk.home.dir, 'homes', run, cli);
  const files = (await namesBelow(home)).filter((file) => file.includes(session));
  assert.ok(
    files.some((file) => file.endsWith('.jsonl')),
    files.join(', '),
  );
  for (const file of files) await writeFile(join(home, file), '{"half of a line": "and no');
}

test(
  'crashed, out of memory, robbed of a conversation, killed with their owner: they are as they were',
  { timeout: TIMEOUT_MS },
  async (t) => {
    if (isMissing(t, 'claude', 'codex')) return;
    const eats = { agent: 'codex', restart: AT_ONCE, sandbox: { memory: '400MB' } };
    await using stage = await TreeStage.set(
      [
        { name: 'clara', assignment: 'Go on.', agent: 'claude', restart: AT_ONCE },
        { name: 'oscar', assignment: 'Eat.', ...eats },
        { name: 'ruth', assignment: 'Remember.', agent: 'codex', restart: { restarts: 0 } },
      ],
      {
        clara: hurtBy('claude', 'sleep 600'),
        oscar: hurtBy('codex', isCounted ? EATS : 'sleep 600'),
        ruth: hurtBy('codex', 'sleep 600'),
      },
    );
    await stage.say('up', '--detach');

    // Its CLI is killed: it is restarted in its own conversation, and told so.
    await stage.wrote('clara', 'begun');
    await stage.kill('clara');
    if (!isCounted) {
      await stage.wrote('oscar', 'begun');
      await stage.kill('oscar');
    }
    // One that may not be restarted asks; meanwhile its conversation is lost.
    await stage.wrote('ruth', 'begun');
    await stage.kill('ruth');
    const [asked] = await stage.asked('ruth');
    assert.deepEqual(asked?.choices, ['restart', 'dismiss']);
    await damage(stage, 'ruth', 'codex');
    await stage.say('answer', asked.run, 'restart');

    for (const name of ['clara', 'oscar', 'ruth']) await stage.becomes(name, 'waiting-wakeup', 2);
    const oom = isCounted ? 'oom' : 'killed';
    assert.deepEqual(await stage.ends('clara'), ['killed', 'completed']);
    assert.deepEqual(await stage.ends('oscar'), [oom, 'completed']);
    assert.deepEqual((await stage.ends('ruth')).length, 3); // the second did not find its conversation
    for (const name of ['clara', 'oscar', 'ruth'])
      assert.deepEqual(await stage.diary(name), ['begun', 'restarted']); // its work was kept
    for (const [name, why] of [
      ['clara', 'killed'],
      ['oscar', oom],
    ] as const) {
      const [first, second] = await stage.turns(name);
      assert.deepEqual([first?.resume, [second?.resume]], [null, await stage.sessions(name)]);
      assert.match(second?.resumePrompt ?? '', new RegExp(`^You were restarted due to: ${why}: `));
    }
    const afresh = (await stage.turns('ruth')).at(-1);
    assert.deepEqual([afresh?.resume, (await stage.sessions('ruth')).length], [null, 2]);
    assert.match(
      afresh?.prompt ?? '',
      /assignment:\nRemember\.\n\nYou were restarted .*begin afresh/s,
    );
    assert.deepEqual(await stage.signals('ruth'), ['live', 'spent', 'answer', 'live']);

    // Two are at work and one waits when the owner is killed.
    for (const name of ['clara', 'oscar']) {
      await stage.say('send', name, 'take your time');
      await stage.wrote(name, 'heard');
    }
    const told = [
      'clara working, life 2 ↻1',
      'oscar working, life 2 ↻1',
      'ruth waiting-wakeup, life 2 ↻0', // that a person wanted it back is not held against it
    ];
    assert.deepEqual(await stage.lines(), told);
    const shown = await stage.say('tree');
    assert.match(shown, /clara +working .* mortal [0-9a-f]{10}, life 2, ↻1, killed: /);
    const before = await stage.agents();
    const processes = [...(await stage.processes('clara')), ...(await stage.processes('oscar'))];
    assert.ok(processes.length > 4);
    await stage.desk.killOwner();
    await gone(processes);

    assert.match(await stage.say('up', '--detach'), /As they were: clara, oscar, ruth\.\n/);
    await stage.wrote('clara', 'interrupted');
    await stage.wrote('oscar', 'interrupted');
    assert.deepEqual(await stage.lines(), told);
    assert.deepEqual(
      (await stage.agents()).map(({ run, turn }) => [run, turn]),
      before.map(({ run, turn, name }) => [run, name === 'ruth' ? turn : turn + 1]),
    );
    for (const name of ['clara', 'oscar']) {
      assert.deepEqual(await stage.signals(name), ['live', 'live', 'message']);
      assert.deepEqual(await stage.diary(name), ['begun', 'restarted', 'heard', 'interrupted']);
      const last = (await stage.turns(name)).at(-1);
      assert.deepEqual([last?.resume], await stage.sessions(name));
      assert.match(last?.resumePrompt ?? '', /^You were interrupted.*take your time/s);
    }
    // The one that waited has lost nothing, and what it has to do comes to its end.
    await stage.say('send', 'ruth', 'finish it');
    await stage.until('the end of ruth', async () => (await stage.view('ruth')).outcome !== null);
    const ruth = await stage.view('ruth');
    assert.deepEqual([ruth.state, ruth.outcome?.kind, ruth.life], ['done', 'unverified', 2]);
    assert.equal((await stage.sessions('ruth')).length, 2);
  },
);

/** It says what is no claim, then what is not so, twice; when it is told so again it mends that. */
const liar: Part = ({ times, step }) => {
  if (times === 1) return { text: 'I see no way.\nABANDONED' };
  if (times === 3) return DONE;
  const answer = times === 2 ? 'wrong' : 'right';
  return step === 0 ? { calls: [shellCall('codex', `echo ${answer} >answer.txt`)] } : DONE;
};

/** It spends until it may not. */
const spender: Part = ({ told }) =>
  told.includes('You may spend more') ? DONE : { calls: [shellCall('codex', 'echo x >>diary')] };

test(
  'one that says done and is not, and one that has spent its budget',
  { timeout: TIMEOUT_MS },
  async (t) => {
    if (isMissing(t, 'claude', 'codex')) return;
    await using stage = await TreeStage.set([], { dora: liar, bob: spender });
    await stage.say('up', '--detach');
    const commit = 'the answer is right=grep -q right answer.txt';
    await stage.say('spawn', 'Answer.', '--name', 'dora', '--agent', 'codex', '--commit', commit);
    const budget = ['--budget-usd', '0.15'];
    await stage.say('spawn', 'Spend.', '--name', 'bob', '--agent', 'codex', ...budget);

    const [asked] = await stage.asked('bob');
    assert.deepEqual(asked?.choices, ['continue', 'stop']);
    assert.equal(asked.over?.limit, 'usd');
    assert.equal((await stage.view('bob')).state, 'waiting-input');
    const calls = stage.calls('bob').length;
    await stage.say('answer', asked.run, 'continue', '--budget-usd', '5');
    await stage.until('the end of bob', async () => (await stage.view('bob')).outcome !== null);
    assert.equal((await stage.view('bob')).outcome?.kind, 'unverified');
    assert.deepEqual(await stage.ends('bob'), ['budget', 'completed']);
    assert.deepEqual(
      (await stage.turns('bob')).map(({ agent }) => agent.id),
      ['codex', 'codex'],
    );
    assert.equal((await stage.sessions('bob')).length, 1);
    assert.ok(calls > 0);

    await stage.until('the end of dora', async () => (await stage.view('dora')).outcome !== null);
    assert.deepEqual((await stage.view('dora')).commitments, [
      { description: 'the answer is right', status: 'passed', failure: null },
    ]);
    console.log(
      await stage
        .facts('dora')
        .then((x) => x.map((f) => [f.type, JSON.stringify(f.payload).slice(0, 200)])),
    );
    console.log(await stage.lines(), await stage.say('tree'));
  },
);
