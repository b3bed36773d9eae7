/**
 * A tree of real agents with every kind of failure that we distinguish: each is handled as
 * declared, and visible.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { gone } from '../e2e/cli-process-harness.ts';
import { namesBelow } from '../names-below.ts';
import type { CliName } from './clis.ts';
import { oomWay } from './oom-way.ts';
import type { Part } from './tree-parts.ts';
import { DONE, leaves, WAITS } from './tree-parts.ts';
import { AT_ONCE, TreeHarness } from './tree-harness.ts';
import { isMissing, shellCall } from './sandboxed-clis.ts';

const TIMEOUT_MS = 900_000;

/** Many small processes, so that the biggest one, which the kernel kills first, is the CLI. */
const EATS = `for one in $(seq 40); do perl -e 'my $x = "a" x 20_000_000; sleep 600' & done; wait`;

/**
 * It does the harmful thing. After a restart it records that, and waits. A message then does not
 * end it.
 */
function hurtBy(cli: CliName, line: string): Part {
  return ({ told, step }) => {
    const does = (word: string, then = 'true'): ReturnType<Part> =>
      step === 0 ? { calls: [shellCall(cli, `echo ${word} >>diary; ${then}`)] } : WAITS;
    if (told.includes('finish it')) return DONE;
    if (told.includes('You were interrupted')) return does('interrupted', 'sleep 600');
    if (told.includes('You have new messages')) return does('heard', 'sleep 600');
    return told.includes('You were restarted') ? does('restarted') : does('begun', line);
  };
}

/** Damage that a person or a broken disk does to the files of a conversation. */
async function damage(stage: TreeHarness, name: string, cli: CliName): Promise<void> {
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
  'crashed, out of memory, without their conversation, killed with their owner: all agents recover',
  { timeout: TIMEOUT_MS },
  async (t) => {
    if (isMissing(t, 'claude', 'codex')) return;
    // Without memory accounting there is no OOM kill: the agent then fails in another way, and the
    // test says so.
    const isCounted = oomWay(t) === 'kernel';
    const clara = { name: 'clara', assignment: 'Go on.', agent: 'claude', restart: AT_ONCE };
    const eats = { agent: 'codex', restart: AT_ONCE, sandbox: { memory: '400MB' } };
    await using stage = await TreeHarness.set(
      [
        { name: 'crew', children: [clara] }, // three failures below one supervisor are a gang
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

    // Its CLI is killed: it is restarted in its own conversation, and its prompt says so.
    await stage.wrote('clara', 'begun');
    await stage.kill('clara');
    if (!isCounted) {
      await stage.wrote('oscar', 'begun');
      await stage.kill('oscar');
    }
    // An agent that may not be restarted asks; meanwhile its conversation is lost.
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
      assert.deepEqual(await stage.diary(name), ['begun', 'restarted']); // its work was saved
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
      /assignment:\nRemember\.\n\nYou were restarted .*a new conversation/s,
    );
    assert.deepEqual(await stage.signals('ruth'), ['live', 'spent', 'answer', 'live']);

    // Two agents work and one waits when the owner is killed.
    for (const name of ['clara', 'oscar']) {
      await stage.say('send', name, 'take your time');
      await stage.wrote(name, 'heard');
    }
    const told = [
      'clara working, life 2 ↻1',
      'oscar working, life 2 ↻1',
      'ruth waiting-wakeup, life 2 ↻0', // a restart by a person does not count
    ];
    assert.deepEqual((await stage.lines()).toSorted(), told);
    const shown = await stage.say('tree');
    assert.match(shown, /clara +working .* mortal [0-9a-f]{10}, life 2, ↻1, killed: /);
    const before = await stage.agents();
    const processes = [...(await stage.processes('clara')), ...(await stage.processes('oscar'))];
    assert.ok(processes.length > 4);
    await stage.desk.killOwner();
    await gone(processes);

    assert.match(await stage.say('up', '--detach'), /Already running: clara, oscar, ruth\.\n/);
    await stage.wrote('clara', 'interrupted');
    await stage.wrote('oscar', 'interrupted');
    assert.deepEqual((await stage.lines()).toSorted(), told);
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
    // The waiting agent has lost nothing, and completes its work.
    await stage.say('send', 'ruth', 'finish it');
    const ruth = await stage.ended('ruth');
    assert.deepEqual([ruth.state, ruth.outcome?.kind, ruth.life], ['done', 'unverified', 2]);
    assert.equal((await stage.sessions('ruth')).length, 2);
  },
);

test(
  'a gang stops together and a person is asked, and an agent that spins restarts from a clean tree',
  { timeout: TIMEOUT_MS },
  async (t) => {
    if (isMissing(t, 'claude', 'codex')) return;
    const member = (name: string, agent: CliName): object => ({
      name,
      agent,
      assignment: 'Be there.',
      restart: { ...AT_ONCE, restarts: 10 },
    });
    const health = { spin_calls: 4, on_spin: 'restart' };
    const works =
      (cli: CliName): Part =>
      () => ({
        calls: [shellCall(cli, 'echo at work >>diary; sleep 600')],
      });
    const spins = { calls: [shellCall('codex', 'cat left; sleep 1')] };
    await using stage = await TreeHarness.set(
      [
        { name: 'sam', assignment: 'Look.', agent: 'codex', health, restart: AT_ONCE },
        {
          name: 'team',
          strategy: 'one_for_all',
          intensity: { restarts: 10, within: '1h' },
          children: [member('gus', 'claude'), member('gil', 'codex'), member('gwen', 'codex')],
        },
      ],
      {
        sam: leaves('codex', spins),
        gus: works('claude'),
        gil: works('codex'),
        gwen: works('codex'),
      },
    );
    await stage.say('up', '--detach');
    const team = ['gus', 'gil', 'gwen'];
    const isAtWork = async (lives: number): Promise<void> => {
      const begun = Array.from({ length: lives }, () => 'at work');
      for (const name of team)
        await stage.until(`${name} is at work`, async () =>
          isDeepStrictEqual(await stage.diary(name), begun),
        );
    };
    const begins = async (life: number): Promise<readonly string[]> => {
      const each = await Promise.all(
        team.map(async (name) => ({ name, id: await stage.begunAt(name, life) })),
      );
      return each.toSorted((a, b) => a.id - b.id).map(({ name }) => name);
    };
    await isAtWork(1);
    await stage.kill('gil');
    await isAtWork(2);
    assert.deepEqual(await begins(2), team);
    assert.deepEqual(await stage.lines(...team), [
      'gus working, life 2 ↻0',
      'gil working, life 2 ↻1',
      'gwen working, life 2 ↻0',
    ]);
    assert.deepEqual(await stage.signals('gwen'), ['live', 'halt', 'live']);
    assert.deepEqual(await stage.ends('gwen'), ['stopped']);
    await stage.kill('gus');
    await isAtWork(3);
    await stage.kill('gwen');

    // The third failure of the gang: a person decides, once for all of them.
    const asker = await Promise.any(team.map(async (name) => (await stage.asked(name))[0]));
    assert.match(asker?.question ?? '', /3 agents of one supervisor failed together/);
    assert.deepEqual(asker?.choices, ['restart-all', 'stop-all']);
    await stage.say('answer', asker.run, 'stop-all');
    for (const name of team) assert.equal((await stage.ended(name)).outcome?.kind, 'cancelled');

    await stage.becomes('sam', 'waiting-wakeup', 2);
    assert.deepEqual(await stage.diary('sam'), ['fresh']);
    assert.deepEqual(await stage.signals('sam'), ['live', 'trigger', 'live']);
    const told = (await stage.turns('sam')).at(-1)?.prompt ?? '';
    assert.match(told, /You were restarted due to: you repeated the same call: .*cat left/);
    assert.match((await stage.lines()).join('\n'), /^sam waiting-wakeup, life 2 ↻1$/m);
  },
);
