import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../base/clock.ts';
import { commandKey } from '../base/ids.ts';
import type { RunId } from '../base/ids.ts';
import type { CommandContext, Performer } from '../engine/performer.ts';
import type { NewRunEvent } from '../protocol/event.ts';
import { COOLDOWN_STREAM, runStream } from '../protocol/streams.ts';
import type { Journal } from '../store/journal.ts';
import { MemoryDisk } from '../store/memory/memory-disk.ts';
import { MemoryJournal } from '../store/memory/memory-journal.ts';
import { ManualClock } from '../testing/fakes/manual-clock.ts';
import { CooldownStore } from './cooldown-store.ts';
import { agentIdentity } from '../attempts/choice/identity.ts';
import { cooldownPerformer, availabilityPerformer } from './perform-availability.ts';
import { AgentUsageStore } from './agent-usage-store.ts';
import type { Availability, AvailabilityInput } from '../protocol/commands.ts';
import { runEvent } from '../../test/support/run-event.ts';

const errand: CommandContext = {
  cancelSignal: new AbortController().signal,
  killSignal: new AbortController().signal,
  note: () => Promise.resolve(),
};

const agents = ['a', 'b', 'c'].map((id) => ({ id, identity: `${id}::::::` }));
const LEAST = { order: 'least-used', fallbacks: {}, isFirstCheck: true } as const;
const LEAST_AGAIN = { ...LEAST, isFirstCheck: false };
const PROJECT = '/home/me/app';

/** One owner's life on a disk that outlives it. */
async function life(disk: MemoryDisk, clock: ManualClock): Promise<Life> {
  const journal = new MemoryJournal(disk);
  const cooldowns = await CooldownStore.open({ journal, clock });
  const ports = { clock, cooldowns, usage: new AgentUsageStore({ journal, clock }) };
  return {
    journal,
    cooldowns,
    availability: availabilityPerformer(ports),
    cool: cooldownPerformer(cooldowns, clock),
  };
}

type Life = {
  readonly journal: Journal;
  readonly cooldowns: CooldownStore;
  readonly availability: Performer<'check-availability'>;
  readonly cool: Performer<'set-cooldown'>;
};

async function look(
  { availability }: Life,
  run = 'r1',
  selection?: AvailabilityInput['selection'],
): Promise<Availability> {
  const input = { project: PROJECT, agents, ...(selection === undefined ? {} : { selection }) };
  return availability.perform(
    { run: run as RunId, key: commandKey('check-availability-1'), input },
    errand,
  );
}

async function rest({ cool }: Life, identity: string, until: number, run = 'r1'): Promise<unknown> {
  const input = { agent: 'a', identity, until: new Date(until).toISOString(), reason: 'HTTP 429' };
  return cool.perform({ run: run as RunId, key: commandKey('set-cooldown-1'), input }, errand);
}

/** What the engine writes down of it. */
function looked(now: Life, run: string, availability: Availability): Promise<void> {
  const end = { kind: 'done', result: { ...availability } } as const;
  return write(
    now,
    run,
    runEvent({ type: 'command.ended', payload: { key: 'check-availability-1', end } }),
  );
}

async function write({ journal }: Life, run: string, event: NewRunEvent): Promise<void> {
  const stream = runStream(run);
  await journal.append(stream, await journal.lastSeq(stream), [event], at(1));
}

async function begins({ journal }: Life, run: string, cli: string, number = 1): Promise<void> {
  const stream = runStream(run);
  const agent = { id: cli, cli, args: [], configDir: null, model: null };
  const payload = {
    key: `attempt-${number}`,
    command: 'attempt',
    input: { agent, project: PROJECT, number },
    limits: [],
  };
  const last = await journal.lastSeq(stream);
  await journal.append(stream, last, [runEvent({ type: 'command.begun', payload })], at(1));
}

describe('an availability check', () => {
  test('of an empty journal has no cooldowns', async () => {
    const now = await life(new MemoryDisk(), new ManualClock());
    assert.deepEqual(await look(now), {
      at: '1970-01-01T00:00:00.000Z',
      cooling: [],
      uses: { 'a::::::': 0, 'b::::::': 0, 'c::::::': 0 },
      lastFirst: null,
    });
  });

  test('chooses another first agent if the window of the first is nearly used up', async () => {
    const [disk, clock] = [new MemoryDisk(), new ManualClock()];
    const now = await life(disk, clock);
    await begins(now, 'r1', 'a');
    const windows = [
      { name: '5h', limit: null, used: null, remaining: null, usedPercent: 100, resetAt: 60_000 },
    ];
    const note = { kind: 'quota', wire: 'anthropic', status: 'ok', windows };
    const payload = { key: 'attempt-1', command: 'attempt', note };
    await write(now, 'r1', runEvent({ type: 'command.noted', payload }));
    const selection = { order: 'as-listed', fallbacks: {}, isFirstCheck: true } as const;
    const { closing, firstIdentity } = await look(now, 'r2', selection);
    assert.deepEqual([closing?.map(({ window }) => window), firstIdentity], [['5h'], 'b::::::']);
    await clock.advance(60_000);
    const later = await look(await life(disk, clock), 'r3', selection);
    assert.deepEqual([later.closing, later.firstIdentity], [undefined, 'a::::::']);
  });

  test('spreads runs that begin together before a window closes', async () => {
    const now = await life(new MemoryDisk(), new ManualClock());
    for (const [nth, usedPercent] of [80, 85, 90].entries()) {
      const run = `r${nth}`;
      await begins(now, run, 'a');
      const window = { name: '5h', limit: null, used: null, remaining: null };
      const windows = [{ ...window, usedPercent, resetAt: 60_000 }];
      const note = { kind: 'quota', wire: 'anthropic', status: 'ok', windows };
      const about = { key: 'attempt-1', command: 'attempt' };
      await write(now, run, runEvent({ type: 'command.noted', payload: { ...about, note } }));
      const end = { kind: 'interrupted' };
      await write(now, run, runEvent({ type: 'command.ended', payload: { ...about, end } }));
    }
    const selection = { order: 'as-listed', fallbacks: {}, isFirstCheck: true } as const;
    const firsts: unknown[] = [];
    for (const run of ['c1', 'c2', 'c3', 'c4'])
      firsts.push((await look(now, run, selection)).firstIdentity);
    assert.deepEqual(firsts, ['a::::::', 'b::::::', 'b::::::', 'b::::::']);
  });

  test('reports the cooldowns of the requested identities, also to the next owner', async () => {
    const [disk, clock] = [new MemoryDisk(), new ManualClock()];
    const first = await life(disk, clock);
    assert.deepEqual(await rest(first, 'a::::::', 60_000), {});
    await rest(first, 'another', 60_000);
    const cooling = [
      { identity: 'a::::::', agent: 'a', until: '1970-01-01T00:01:00.000Z', reason: 'HTTP 429' },
    ];
    assert.deepEqual((await look(first)).cooling, cooling);
    const next = await life(disk, clock);
    assert.deepEqual((await look(next)).cooling, cooling);
    await clock.advance(60_000);
    assert.deepEqual((await look(next)).cooling, []);
  });

  test('what is said twice is written once, in this life and in the next, and stays cleared', async () => {
    const [disk, clock] = [new MemoryDisk(), new ManualClock()];
    const first = await life(disk, clock);
    await Promise.all([rest(first, 'a::::::', 60_000), rest(first, 'a::::::', 60_000)]);
    const next = await life(disk, clock);
    await rest(next, 'a::::::', 60_000);
    assert.equal(await next.journal.lastSeq(COOLDOWN_STREAM), 1);
    assert.equal((await next.cooldowns.clear(() => true)).length, 1);
    await rest(next, 'a::::::', 60_000);
    assert.deepEqual(next.cooldowns.cooling(), []);
    await rest(next, 'a::::::', 60_000, 'r2');
    assert.equal(next.cooldowns.cooling().length, 1);
  });

  test('a reason is one line of 200 characters at most', async () => {
    const now = await life(new MemoryDisk(), new ManualClock());
    const reason = `limit\n${'x'.repeat(500)}`;
    await now.cooldowns.cool({ identity: 'a', agent: 'a', run: 'r', until: 9, reason });
    const [cooling] = now.cooldowns.cooling();
    assert.equal(cooling?.reason, `limit ${'x'.repeat(193)}…`);
  });

  test('counts the attempts of all runs, and continues after a snapshot', async () => {
    const [disk, clock] = [new MemoryDisk(), new ManualClock()];
    const first = await life(disk, clock);
    await begins(first, 'r1', 'a');
    await begins(first, 'r1', 'b', 2);
    await begins(first, 'r2', 'a');
    assert.deepEqual((await look(first)).uses, { 'a::::::': 2, 'b::::::': 1, 'c::::::': 0 });
    for (let number = 3; number < 2005; number += 1) await begins(first, 'r1', 'c', number);
    await look(first);
    const next = await life(disk, clock);
    await begins(next, 'r3', 'b');
    assert.deepEqual((await look(next)).uses, { 'a::::::': 2, 'b::::::': 2, 'c::::::': 2002 });
    const kept = await next.journal.loadSnapshot(COOLDOWN_STREAM, 'uses@3');
    assert.equal(kept?.seq, 2005, 'the count was kept on the way');
  });

  describe('counts those who are about to begin', () => {
    const identities = ['a::::::', 'b::::::', 'c::::::'];

    test('so that runs that look at once, or wait in line, don’t all choose the same', async () => {
      const now = await life(new MemoryDisk(), new ManualClock());
      const chosen = await Promise.all(
        ['r1', 'r2', 'r3', 'r4'].map((run) => look(now, run, LEAST)),
      );
      assert.deepEqual(
        chosen.map(({ firstIdentity: first }) => first),
        [...identities, 'a::::::'],
      );
      assert.deepEqual(chosen[3]?.uses, { 'a::::::': 1, 'b::::::': 1, 'c::::::': 1 });
    });

    test('once, whether it is only said, is on record, has begun or never will', async () => {
      const now = await life(new MemoryDisk(), new ManualClock());
      const uses = async (): Promise<unknown> => (await look(now, 'watcher')).uses;
      const one = { 'a::::::': 1, 'b::::::': 0, 'c::::::': 0 };
      const availability = await look(now, 'r1', LEAST);
      assert.deepEqual(await uses(), one);
      await looked(now, 'r1', availability);
      assert.deepEqual(await uses(), one);
      await begins(now, 'r1', 'a');
      assert.deepEqual(await uses(), one);
      const second = await look(now, 'r2', LEAST);
      assert.equal(second.firstIdentity, 'b::::::');
      await looked(now, 'r2', second);
      assert.deepEqual(await uses(), { ...one, 'b::::::': 1 });
      await write(now, 'r2', {
        type: 'run.ended',
        payload: { outcome: { kind: 'cancelled', reason: 'stopped' } },
      });
      assert.deepEqual(await uses(), one);
    });

    test('also with the next owner', async () => {
      const [disk, clock] = [new MemoryDisk(), new ManualClock()];
      const first = await life(disk, clock);
      await looked(first, 'r1', await look(first, 'r1', LEAST));
      assert.equal((await look(await life(disk, clock), 'r2', LEAST)).firstIdentity, 'b::::::');
    });

    test('not the agent itself, and none that is cooling down', async () => {
      const now = await life(new MemoryDisk(), new ManualClock());
      await rest(now, 'a::::::', 60_000);
      const availability = await look(now, 'r1', LEAST);
      assert.equal(availability.firstIdentity, 'b::::::');
      await looked(now, 'r1', availability);
      assert.deepEqual((await look(now, 'r1', LEAST_AGAIN)).uses['b::::::'], 0);
    });
  });

  test('names the agent that the last run of the project began with', async () => {
    const [disk, clock] = [new MemoryDisk(), new ManualClock()];
    const first = await life(disk, clock);
    await begins(first, 'r1', 'b');
    await begins(first, 'r1', 'c', 2);
    const next = await life(disk, clock);
    assert.equal((await look(next)).lastFirst, 'b');
  });

  test('gives each of many runs that look at once its own turn, and none to a second look', async () => {
    const now = await life(new MemoryDisk(), new ManualClock());
    const turns = [];
    for (const run of ['r1', 'r2', 'r3', 'r4']) turns.push((await look(now, run, LEAST)).lastFirst);
    assert.deepEqual(turns, [null, 'a', 'b', 'c']);
    await look(now, 'r4', LEAST_AGAIN);
    assert.equal((await look(now, 'r5')).lastFirst, 'a');
  });

  test('does not advance if there is no agent to choose', async () => {
    const now = await life(new MemoryDisk(), new ManualClock());
    for (const run of ['r1', 'r2']) assert.equal((await look(now, run)).lastFirst, null);
  });

  test('an agent that is cooling down loses its turn', async () => {
    const now = await life(new MemoryDisk(), new ManualClock());
    await rest(now, 'b::::::', 60_000);
    await look(now, 'r1', LEAST);
    await look(now, 'r2', LEAST);
    assert.equal((await look(now, 'r3')).lastFirst, 'c');
  });
});

describe('a cooldown on a full disk', () => {
  test('is written once there is room', async () => {
    const [disk, clock] = [new MemoryDisk(), new ManualClock()];
    const now = await life(disk, clock);
    disk.full = true;
    const resting = rest(now, 'a::::::', 60_000);
    await clock.advance(5000);
    assert.deepEqual(now.cooldowns.cooling(), []);
    disk.full = false;
    await clock.advance(2000);
    assert.deepEqual(await resting, {});
    assert.equal(now.cooldowns.cooling().length, 1);
  });

  test('ends without one when its run is stopped', async () => {
    const [disk, clock] = [new MemoryDisk(), new ManualClock()];
    const { cool } = await life(disk, clock);
    const off = new AbortController();
    disk.full = true;
    const input = { agent: 'a', identity: 'a', until: '2030-01-01T00:00:00Z', reason: 'HTTP 429' };
    const order = { run: 'r1' as RunId, key: commandKey('set-cooldown-1'), input };
    const resting = cool.perform(order, { ...errand, cancelSignal: off.signal });
    await clock.advance(1000);
    off.abort();
    assert.deepEqual(await resting, {});
  });

  test('is read from a snapshot with every other one', async () => {
    const [disk, clock] = [new MemoryDisk(), new ManualClock()];
    const open = (): Promise<CooldownStore> =>
      CooldownStore.open({ journal: new MemoryJournal(disk), clock, snapshotEvery: 1 });
    const first = await open();
    for (const agent of ['a', 'b', 'c'])
      await first.cool({ agent, identity: agent, run: 'r1', until: 60_000, reason: '429' });
    assert.equal(disk.snapshots.size, 1);
    const next = await open();
    assert.deepEqual(next.cooling(), first.cooling());
    assert.equal(next.cooling().length, 3);
  });

  test('is on record also where its snapshot has no room', async () => {
    const [disk, clock] = [new MemoryDisk(), new ManualClock()];
    const journal = new MemoryJournal(disk);
    const cooldowns = await CooldownStore.open({ journal, clock, snapshotEvery: 1 });
    journal.onCommit(() => (disk.full = true));
    await cooldowns.cool({ agent: 'a', identity: 'a', run: 'r1', until: 60_000, reason: '429' });
    assert.equal(cooldowns.cooling().length, 1);
  });
});

test('an identity is the program, the login, the arguments and the model', () => {
  const agent = {
    cli: 'claude',
    configDir: '/home/me/.claude',
    args: ['--max-turns', '4'],
  } as const;
  assert.deepEqual(
    [
      agentIdentity({ ...agent, model: 'sonnet' }),
      agentIdentity({ cli: 'codex', configDir: null, args: [], model: null }),
    ],
    ['claude::/home/me/.claude::--max-turns 4::sonnet', 'codex::::::'],
  );
});
