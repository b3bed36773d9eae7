/**
 * The memory of an owner after runs have ended: nothing is left of them, however many there were
 * and however they ended.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock, Instant } from '../../src/base/clock.ts';
import type { RunId } from '../../src/base/ids.ts';
import { HEALTH_EVERY_MS } from '../../src/owner/monitors/health-monitor.ts';
import type { Owner } from '../../src/owner/owner.ts';
import { RunningCommand } from '../../src/engine/embedded/running-command.ts';
import { RunDriver } from '../../src/engine/embedded/run-driver.ts';
import { OutputFile } from '../../src/host/output/output-file.ts';
import { ProcessGroup } from '../../src/host/process/process-group.ts';
import { systemClock } from '../../src/host/machine/system-clock.ts';
import type { PersonSignal } from '../../src/protocol/signal.ts';
import { defaultSettings } from '../../src/settings/settings.ts';
import { eventually } from '../support/eventually.ts';
import { settle } from '../../src/testing/fakes/manual-clock.ts';
import { agentTestSubmission } from '../support/drive-agent.ts';
import { testOwner } from '../support/test-owner.ts';
import { fillLeavingLittle } from './crowd-out.ts';
import { filedUnder, held } from './heap.ts';

const CONFIG = `
capacity: { runs_max: 3, per_agent_max: 3 }
agents: [{ id: quick, cli: scripted, args: ['1'] }]
`;
const WAIT_MS = 120_000;
const QUEUED = 180;

/** The real clock, but timers that run twice a minute can be fired now. */
class HurriedClock implements Clock {
  #hurried = new AbortController();

  hurry(): void {
    this.#hurried.abort();
    this.#hurried = new AbortController();
  }

  now(): Instant {
    return systemClock.now();
  }

  elapsedMs(): number {
    return systemClock.elapsedMs();
  }

  sleepUntil(instant: Instant, signal?: AbortSignal): Promise<boolean> {
    return systemClock.sleepUntil(instant, signal);
  }

  nextTurn(): Promise<void> {
    return systemClock.nextTurn();
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<boolean> {
    if (ms !== HEALTH_EVERY_MS) return systemClock.sleep(ms, signal);
    const either = [this.#hurried.signal, ...(signal === undefined ? [] : [signal])];
    await systemClock.sleep(ms, AbortSignal.any(either));
    return signal?.aborted !== true;
  }
}

/** An owner and its runs, as one text: see `filedUnder`. */
class Runs {
  readonly #owner: Owner;
  readonly #project: string;
  names = '';

  constructor(owner: Owner, project: string) {
    this.#owner = owner;
    this.#project = project;
  }

  async submit(agent: string, set: string[] = [], notify?: string): Promise<RunId> {
    const { id } = await this.#owner.submit({
      task: 'x',
      project: this.#project,
      agent,
      set,
      ...(notify === undefined ? {} : { notify }),
    });
    this.names += `${this.names === '' ? '' : '|'}${id}`;
    return id as RunId;
  }

  async has(run: RunId, command: string): Promise<void> {
    const isOpen = async (): Promise<boolean> =>
      (await this.#owner.run(run)).open.some((one) => one.command === command);
    await eventually(`${run}: ${command}`, isOpen, WAIT_MS);
  }

  say(run: RunId, kind: PersonSignal['kind']): Promise<void> {
    return this.#owner.questions.signal(run, { kind } as PersonSignal);
  }

  async over(): Promise<void> {
    await eventually('all are over', () => this.#owner.view().runs === 0, WAIT_MS);
  }
}

/** Work that ends by itself, is followed to its end, and sends a notification. */
async function endByThemselves(owner: Owner, runs: Runs): Promise<void> {
  const { signal } = new AbortController();
  for (let count = 0; count < 4; count += 1) {
    const run = await runs.submit('quick', [], '/bin/true');
    const request = { follow: true, after: 0, words: true, whole: false, calls: false } as const;
    for await (const _ of owner.output(run, request, signal));
    for await (const _ of owner.followRun(run, 0, signal));
  }
  await runs.over();
}

/** Ended by a person, in every way in which a run can wait. */
async function endedWhileTheyWait(owner: Owner, runs: Runs): Promise<void> {
  const patient = ['recovery.preset=retry-then-fallback'];
  const backoff = await runs.submit('scripted:crashes', patient);
  await runs.has(backoff, 'wait');
  await runs.say(backoff, 'stop');
  await runs.over();
  const silent: RunId[] = [];
  for (let count = 0; count < 3; count += 1)
    silent.push(await runs.submit('scripted:never-speaks'));
  for (const run of silent) await runs.has(run, 'attempt');
  const queued: RunId[] = [];
  for (let count = 0; count < QUEUED; count += 1) queued.push(await runs.submit('quick'));
  for (const [place, run] of queued.entries()) {
    if (place % 3 === 0) await runs.say(run, 'pause');
    await runs.say(run, place % 2 === 0 ? 'stop' : 'kill');
  }
  const [first, second, third] = silent as [RunId, RunId, RunId];
  const leaves = new AbortController();
  for await (const _ of owner.followRun(first, 0, leaves.signal)) leaves.abort();
  await runs.say(first, 'pause');
  await runs.say(first, 'kill');
  await runs.say(second, 'kill');
  await runs.say(third, 'stop');
  await runs.over();
}

/** A long-lived agent that is dismissed while it waits. */
async function live(owner: Owner, runs: Runs, project: string): Promise<void> {
  const { settings, ...rest } = agentTestSubmission({ name: 'lead', onDone: 'wait' });
  const agent = { id: 'scripted:lives-in-turns', cli: 'scripted', args: ['DONE'], env: {} };
  const { sandbox } = defaultSettings;
  const run = await owner.engine.start({
    ...rest,
    project,
    settings: { ...settings, agent, sandbox, unsafe: true, outputBytesMax: 100_000 },
  });
  runs.names += `|${run}`;
  await runs.has(run, 'attempt');
  await owner.questions.signal(run, { kind: 'dismiss', because: 'it is late' });
  await runs.over();
}

test('nothing in memory is filed under an ended run', { timeout: 540_000 }, async () => {
  const clock = new HurriedClock();
  await using given = await testOwner(CONFIG, { clock });
  const { owner, project } = given;
  const runs = new Runs(owner, project);
  await endByThemselves(owner, runs);
  await endedWhileTheyWait(owner, runs);
  await live(owner, runs, project);
  const later = new Runs(owner, project);
  await later.submit('quick');
  await later.over();
  await fillLeavingLittle(owner.journal);
  await later.submit('quick');
  await later.over();
  clock.hurry();
  await settle();
  assert.deepEqual(filedUnder(runs.names), []);
  assert.deepEqual([RunDriver, RunningCommand, OutputFile, ProcessGroup].map(held), [0, 0, 0, 0]);
});
