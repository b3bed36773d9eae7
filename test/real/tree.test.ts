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
  return ({ prompt, step }) => {
    const does = (word: string, then = 'true'): ReturnType<Part> =>
      step === 0 ? { calls: [shellCall(cli, `echo ${word} >>diary; ${then}`)] } : WAITS;
    if (prompt.includes('finish it')) return DONE;
    if (prompt.includes('You were interrupted')) return does('interrupted', 'sleep 600');
    if (prompt.includes('You have new messages')) return does('heard', 'sleep 600');
    return prompt.includes('You were restarted') ? does('restarted') : does('begun', line);
  };
}

/** Damage that a person or a broken disk does to the files of a conversation. */
async function damage(harness: TreeHarness, name: string, cli: CliName): Promise<void> {
  const { run } = await harness.view(name);
  const [session = 'none'] = await harness.sessions(name);
  const home = join(harness.cli.home.dir, 'homes', run, cli);
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
    await using harness = await TreeHarness.create(
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
    await harness.run('up', '--detach');

    // Its CLI is killed: it is restarted in its own conversation, and its prompt says so.
    await harness.wrote('clara', 'begun');
    await harness.kill('clara');
    if (!isCounted) {
      await harness.wrote('oscar', 'begun');
      await harness.kill('oscar');
    }
    // An agent that may not be restarted asks; meanwhile its conversation is lost.
    await harness.wrote('ruth', 'begun');
    await harness.kill('ruth');
    const [asked] = await harness.asked('ruth');
    assert.deepEqual(asked?.choices, ['restart', 'dismiss']);
    await damage(harness, 'ruth', 'codex');
    await harness.run('answer', asked.run, 'restart');

    for (const name of ['clara', 'oscar', 'ruth']) await harness.becomes(name, 'waiting-wakeup', 2);
    const oom = isCounted ? 'oom' : 'killed';
    assert.deepEqual(await harness.ends('clara'), ['killed', 'completed']);
    assert.deepEqual(await harness.ends('oscar'), [oom, 'completed']);
    assert.deepEqual((await harness.ends('ruth')).length, 3); // the second did not find its conversation
    for (const name of ['clara', 'oscar', 'ruth'])
      assert.deepEqual(await harness.diary(name), ['begun', 'restarted']); // its work was saved
    for (const [name, why] of [
      ['clara', 'killed'],
      ['oscar', oom],
    ] as const) {
      const [first, second] = await harness.turns(name);
      assert.deepEqual([first?.resume, [second?.resume]], [null, await harness.sessions(name)]);
      assert.match(second?.resumePrompt ?? '', new RegExp(`^You were restarted due to: ${why}: `));
    }
    const afresh = (await harness.turns('ruth')).at(-1);
    assert.deepEqual([afresh?.resume, (await harness.sessions('ruth')).length], [null, 2]);
    assert.match(
      afresh?.prompt ?? '',
      /assignment:\nRemember\.\n\nYou were restarted .*a new conversation/s,
    );
    assert.deepEqual(await harness.signals('ruth'), [
      'start-life',
      'restarts-exhausted',
      'answer',
      'start-life',
    ]);

    // Two agents work and one waits when the owner is killed.
    for (const name of ['clara', 'oscar']) {
      await harness.run('send', name, 'take your time');
      await harness.wrote(name, 'heard');
    }
    const prompt = [
      'clara working, life 2 ↻1',
      'oscar working, life 2 ↻1',
      'ruth waiting_wakeup, life 2 ↻0', // a restart by a person does not count
    ];
    assert.deepEqual((await harness.lines()).toSorted(), prompt);
    const shown = await harness.run('tree');
    assert.match(shown, /clara +working .* mortal [0-9a-f]{10}, life 2, ↻1, killed: /);
    const before = await harness.agents();
    const processes = [
      ...(await harness.processes('clara')),
      ...(await harness.processes('oscar')),
    ];
    assert.ok(processes.length > 4);
    await harness.cli.killOwner();
    await gone(processes);

    assert.match(await harness.run('up', '--detach'), /Already running: clara, oscar, ruth\.\n/);
    await harness.wrote('clara', 'interrupted');
    await harness.wrote('oscar', 'interrupted');
    assert.deepEqual((await harness.lines()).toSorted(), prompt);
    assert.deepEqual(
      (await harness.agents()).map(({ run_id: run, turn }) => [run, turn]),
      before.map(({ run_id: run, turn, name }) => [run, name === 'ruth' ? turn : turn + 1]),
    );
    for (const name of ['clara', 'oscar']) {
      assert.deepEqual(await harness.signals(name), ['start-life', 'start-life', 'message']);
      assert.deepEqual(await harness.diary(name), ['begun', 'restarted', 'heard', 'interrupted']);
      const last = (await harness.turns(name)).at(-1);
      assert.deepEqual([last?.resume], await harness.sessions(name));
      assert.match(last?.resumePrompt ?? '', /^You were interrupted.*take your time/s);
    }
    // The waiting agent has lost nothing, and completes its work.
    await harness.run('send', 'ruth', 'finish it');
    const ruth = await harness.ended('ruth');
    assert.deepEqual([ruth.state, ruth.outcome?.kind, ruth.life], ['done', 'unverified', 2]);
    assert.equal((await harness.sessions('ruth')).length, 2);
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
    await using harness = await TreeHarness.create(
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
    await harness.run('up', '--detach');
    const team = ['gus', 'gil', 'gwen'];
    const isAtWork = async (lives: number): Promise<void> => {
      const begun = Array.from({ length: lives }, () => 'at work');
      for (const name of team)
        await harness.until(`${name} is at work`, async () =>
          isDeepStrictEqual(await harness.diary(name), begun),
        );
    };
    const begins = async (life: number): Promise<readonly string[]> => {
      const each = await Promise.all(
        team.map(async (name) => ({ name, id: await harness.begunAt(name, life) })),
      );
      return each.toSorted((a, b) => a.id - b.id).map(({ name }) => name);
    };
    await isAtWork(1);
    await harness.kill('gil');
    await isAtWork(2);
    assert.deepEqual(await begins(2), team);
    assert.deepEqual(await harness.lines(...team), [
      'gus working, life 2 ↻0',
      'gil working, life 2 ↻1',
      'gwen working, life 2 ↻0',
    ]);
    assert.deepEqual(await harness.signals('gwen'), ['start-life', 'end-life', 'start-life']);
    assert.deepEqual(await harness.ends('gwen'), ['stopped']);
    await harness.kill('gus');
    await isAtWork(3);
    await harness.kill('gwen');

    // The third failure of the gang: a person decides, once for all of them.
    const asker = await Promise.any(team.map(async (name) => (await harness.asked(name))[0]));
    assert.match(asker?.question ?? '', /3 agents of one supervisor failed together/);
    assert.deepEqual(asker?.choices, ['restart-all', 'stop-all']);
    await harness.run('answer', asker.run, 'stop-all');
    for (const name of team) assert.equal((await harness.ended(name)).outcome?.kind, 'cancelled');

    await harness.becomes('sam', 'waiting-wakeup', 2);
    assert.deepEqual(await harness.diary('sam'), ['fresh']);
    assert.deepEqual(await harness.signals('sam'), ['start-life', 'trigger', 'start-life']);
    const prompt = (await harness.turns('sam')).at(-1)?.prompt ?? '';
    assert.match(prompt, /You were restarted due to: you repeated the same call: .*cat left/);
    assert.match((await harness.lines()).join('\n'), /^sam waiting_wakeup, life 2 ↻1$/m);
  },
);
