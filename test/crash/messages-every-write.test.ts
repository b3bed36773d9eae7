/** The owner dies at its k-th write while a run gets messages: each is read once, unless a loss is on record. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { attemptsProgram } from '../../src/attempts/attempts-program.ts';
import type { AttemptsState } from '../../src/attempts/attempts-state.ts';
import { messagesOf } from '../../src/attempts/run-messages.ts';
import type { RunId } from '../../src/base/ids.ts';
import { seededRandom } from '../../src/base/random.ts';
import { EmbeddedEngine } from '../../src/engine/embedded/embedded-engine.ts';
import { loadRun } from '../../src/engine/embedded/load-run.ts';
import type { RunEvent } from '../../src/protocol/event.ts';
import type { MessageVerb } from '../../src/protocol/run-message.ts';
import { runStream } from '../../src/protocol/streams.ts';
import { MemoryDisk } from '../../src/store/memory/memory-disk.ts';
import { MemoryJournal } from '../../src/store/memory/memory-journal.ts';
import { crashingJournal } from '../../src/testing/fakes/crashing-journal.ts';
import { ManualClock, settle } from '../../src/testing/fakes/manual-clock.ts';
import { START_MS, failed } from '../support/drive-attempts.ts';
import { PINNED_DEFAULTS } from '../support/pinned-defaults.ts';
import { loosePerformer, submission } from '../support/run-event.ts';

const IDS = ['aaaaaaaa', 'bbbbbbbb'] as const;
const STEPS_MAX = 300;
const LONG_WAIT_MS = 1000;

type Story = {
  readonly verb: MessageVerb;
  readonly channel: boolean;
  /** Of so many attempts the provider refuses every model call, so that none of them reads a message. */
  readonly refusals?: number;
};
/** It is none of the owner's state, so it outlives the owner. */
type Provider = { refusals: number };
type Cut = readonly [k: number, when: 'before' | 'after'];

const SUBMISSION = submission({
  program: 'attempts',
  task: 'told',
  project: '/stage',
  settings: {
    ...PINNED_DEFAULTS,
    agent: { id: 'scripted', cli: 'scripted' },
    graceMs: 10,
    deadlineMs: null,
    interruptionsMax: 9,
    outputBytesMax: 1000,
  },
});

/** One life of the owner. False: it was cut. */
async function live(
  { verb, channel }: Story,
  provider: Provider,
  disk: MemoryDisk,
  clock: ManualClock,
  acknowledged: Set<string>,
  cut: Cut | undefined,
): Promise<boolean> {
  const whole = new MemoryJournal(disk);
  const journal = cut === undefined ? whole : crashingJournal(whole, ...cut);
  const defects: unknown[] = [];
  let over = new AbortController();
  const engine = await EmbeddedEngine.open({
    journal,
    clock,
    random: seededRandom(1),
    programs: [attemptsProgram],
    performers: [
      loosePerformer('attempt', async (_request, { note, cancelSignal }) => {
        over = new AbortController();
        const messages = channel ? { messages: 'hook' } : {};
        await note({ kind: 'session', session: 's1' });
        await note({
          kind: 'started',
          pid: 1,
          sandbox: channel ? 'bubblewrap' : 'none',
          ...messages,
        });
        const slept = await clock.sleep(40, cancelSignal);
        over.abort();
        if (!slept) return { kind: 'stopped' };
        if (provider.refusals === 0) return { kind: 'completed', summary: 'done' };
        provider.refusals -= 1;
        return failed('rate_limited', { resetMs: clock.now() + 20 - START_MS });
      }),
      loosePerformer('deliver-message', async (_request, { note, cancelSignal }) => {
        const { signal } = over;
        await note({ kind: 'sent' });
        const answerMs = provider.refusals > 0 ? Infinity : 5;
        const isAnswered = await clock.sleep(answerMs, AbortSignal.any([cancelSignal, signal]));
        if (!isAnswered) return { kind: 'undelivered', why: 'the attempt ended first' };
        return { kind: 'seen', request: 1, times: 1 };
      }),
      loosePerformer('set-cooldown', async () => ({ kind: 'stored' })),
      loosePerformer('check-availability', async () => ({
        cooling: [],
        uses: {},
        lastFirst: null,
      })),
      loosePerformer('finalize', async () => ({ kind: 'finalized' })),
    ],
    limits: [],
    onDefect: (_run, error) => defects.push(error),
    snapshotEvery: 4,
  });
  let isOver = false;
  try {
    if ((await engine.list({ limit: 1 })).length === 0) await engine.start(SUBMISSION);
    for (let step = 0; step < STEPS_MAX && !isOver && defects.length === 0; step += 1) {
      await settle(4);
      const [view] = await engine.list({ limit: 1 });
      isOver = view?.outcome !== null && view !== undefined;
      // A person who does not know whether the owner got a message sends it again under its id.
      if (view !== undefined && !isOver && view.attempts > 0)
        for (const id of IDS.filter((one) => !acknowledged.has(one))) {
          const message = { id, verb, origin: 'person', text: `text ${id}` } as const;
          await engine.signal(view.id as RunId, { kind: 'tell', message });
          acknowledged.add(id);
        }
      // After a limit the run waits for minutes, and nothing happens until then.
      const next = clock.nextWakeMs ?? 0;
      await clock.advance(next > LONG_WAIT_MS ? next : 5);
    }
  } catch (error) {
    // The death may have halted the run before the person's message arrived.
    const isDeath = (error as Error).name === 'CrashNow' || defects.length > 0;
    if (cut === undefined || !isDeath) throw error;
  }
  await engine.close();
  if (cut === undefined) assert.deepEqual(defects, []);
  return isOver;
}

/** Returns how many lives it took. */
async function check(story: Story, cuts: readonly Cut[]): Promise<number> {
  const disk = new MemoryDisk();
  const clock = new ManualClock(1_000_000);
  const provider = { refusals: story.refusals ?? 0 };
  const acknowledged = new Set<string>();
  let lives = 1;
  while (
    !(await live(story, provider, disk, clock, acknowledged, cuts[lives - 1])) &&
    lives <= cuts.length
  )
    lives += 1;
  const journal = new MemoryJournal(disk);
  const [view] = await journal.runs({ limit: 1 });
  assert.equal(view?.outcome?.kind, 'unverified', JSON.stringify(cuts));
  const loaded = await loadRun(journal, attemptsProgram, view.id);
  const { all } = messagesOf(loaded?.state as unknown as AttemptsState);
  const events = await journal.readStream(runStream(view.id), { after: 0, limit: 10_000 });
  for (const id of IDS) {
    const message = all.find((one) => one.id === id);
    assert.ok(message?.state === 'sent' || message?.state === 'seen', `${id} ${message?.state}`);
    const sends = sendsOf(events, id);
    // An attempt that was stopped has no receipt, so its message is sent again.
    const kept = sends.filter((end) => end === 'completed' || end === 'seen');
    assert.equal(kept.length, 1, `${id} is read once: ${sends.join(', ')}`);
  }
  assert.equal(all.length, IDS.length);
  return lives;
}

/** How each command ended that had the message. */
function sendsOf(events: readonly RunEvent[], id: string): readonly string[] {
  const keys = events.flatMap((event) => {
    if (event.type !== 'command.begun') return [];
    const { key, command, input } = event.payload;
    const has =
      (command === 'attempt' || command === 'deliver-message') && input.message?.id === id;
    return has ? [key] : [];
  });
  return events.flatMap((event) => {
    if (event.type !== 'command.ended' || !keys.includes(event.payload.key)) return [];
    const { end } = event.payload;
    return [end.kind === 'done' && 'kind' in end.result ? end.result.kind : end.kind];
  });
}

describe('messages to a run whose owner dies at any write are read once each', () => {
  for (const story of [
    { verb: 'steer', channel: false },
    { verb: 'steer', channel: true },
    { verb: 'queue', channel: true },
    { verb: 'interrupt', channel: true },
    { verb: 'steer', channel: true, refusals: 2 },
    { verb: 'queue', channel: false, refusals: 2 },
  ] as const)
    test(`${story.verb}, ${story.channel ? 'with' : 'without'} a channel${'refusals' in story ? ', with a provider that refuses two attempts' : ''}`, async (t) => {
      let deaths = 0;
      for (const when of ['before', 'after'] as const)
        for (let k = 1; (await check(story, [[k, when]])) > 1; k += 1) {
          await check(story, [
            [k, when],
            [2, when],
          ]);
          deaths += 2;
        }
      assert.ok(deaths > 20);
      t.diagnostic(`${deaths} deaths`);
    });
});
