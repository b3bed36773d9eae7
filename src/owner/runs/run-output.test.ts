import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { outputName } from '../../attempts/output-name.ts';
import { attemptsProgram } from '../../attempts/attempts-program.ts';
import type { RunId } from '../../base/ids.ts';
import { seededRandom } from '../../base/random.ts';
import { EmbeddedEngine } from '../../engine/embedded/embedded-engine.ts';
import type { Engine } from '../../engine/engine.ts';
import type { CommandRequest } from '../../engine/performer.ts';
import { OutputFile } from '../../host/output/output-file.ts';
import { systemClock } from '../../host/machine/system-clock.ts';
import type { OutputChunk } from '../../protocol/api.ts';
import { MemoryDisk } from '../../store/memory/memory-disk.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { PINNED_DEFAULTS } from '../../../test/support/pinned-defaults.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { loosePerformer } from '../../../test/support/run-event.ts';
import { PRINTED, runOutput } from './run-output.ts';

const SETTINGS = {
  ...PINNED_DEFAULTS,
  agent: { id: 'mine', cli: 'scripted', args: [], env: {} },
  graceMs: 0,
  deadlineMs: null,
  interruptionsMax: 9,
  outputBytesMax: 1000,
};

/** Performs an attempt in a test and returns its result. */
type PerformAttempt = (request: Pick<CommandRequest, 'run' | 'key'>) => Promise<object>;

function open(disk: MemoryDisk, perform: PerformAttempt): Promise<Engine> {
  return EmbeddedEngine.open({
    journal: new MemoryJournal(disk),
    clock: systemClock,
    random: seededRandom(1),
    programs: [attemptsProgram],
    performers: [loosePerformer('attempt', perform)],
    limits: [],
    onDefect: () => {},
  });
}

function start(engine: Engine): Promise<RunId> {
  return engine.start({ program: 'attempts', task: 'x', project: '/p', settings: SETTINGS });
}

type ReadOptions = {
  readonly withLog?: boolean;
  readonly follow: boolean;
  readonly after?: number;
  readonly transform?: (chunks: AsyncIterable<OutputChunk>) => AsyncIterable<OutputChunk, void>;
};

async function read(
  dir: string,
  engine: Engine,
  run: RunId,
  options: ReadOptions,
): Promise<OutputChunk[]> {
  const source = {
    dir,
    engine,
    run,
    clock: systemClock,
    after: 0,
    streams: PRINTED,
    transform: (chunks: AsyncIterable<OutputChunk>) => chunks,
    withLog: true,
    ...options,
  };
  const chunks: OutputChunk[] = [];
  const tooLate = AbortSignal.timeout(10_000);
  for await (const chunk of runOutput(source, tooLate)) chunks.push(chunk);
  tooLate.throwIfAborted();
  return chunks;
}

const DONE = { kind: 'completed', summary: 'done' };
const CRASHED = { kind: 'failed', reason: 'crashed', message: 'oh' };

describe('the output of a run', { timeout: 300_000 }, () => {
  test('is streamed while it grows, both streams, until the run ends', async () => {
    await using dir = await tempDir();
    const firstRead = Promise.withResolvers<void>();
    const engine = await open(new MemoryDisk(), async ({ key }) => {
      const stdout = await OutputFile.open(dir.path, outputName(key, 'stdout'));
      const stderr = await OutputFile.open(dir.path, outputName(key, 'stderr'));
      await stdout.write(Buffer.from('first '));
      await firstRead.promise;
      await stderr.write(Buffer.from('oops'));
      await stdout.write(Buffer.from('second'));
      await Promise.all([stdout.close(), stderr.close()]);
      return DONE;
    });
    const run = await start(engine);
    const followed = read(dir.path, engine, run, { follow: true });
    await eventually(
      'the first chunk',
      async () => (await read(dir.path, engine, run, { follow: false })).length === 1,
    );
    firstRead.resolve();
    const chunks = await followed;
    const text = (stream: string): string =>
      chunks
        .filter((chunk) => chunk.stream === stream)
        .map((chunk) => chunk.text)
        .join('');
    assert.deepEqual([text('stdout'), text('stderr')], ['first second', 'oops']);
    await engine.close();
  });

  test('is not awaited if an attempt ended without output', async () => {
    await using dir = await tempDir();
    const begun = Promise.withResolvers<void>();
    const engine = await open(new MemoryDisk(), async () => {
      await begun.promise;
      return CRASHED;
    });
    const run = await start(engine);
    /** Lets the attempt end only when a client follows it. */
    async function* transform(
      chunks: AsyncIterable<OutputChunk>,
    ): AsyncGenerator<OutputChunk, void> {
      begun.resolve();
      yield* chunks;
    }
    assert.deepEqual(await read(dir.path, engine, run, { follow: true, transform }), []);
    await engine.close();
  });

  test('of an interrupted attempt is what it printed before, and the next attempt follows', async () => {
    await using dir = await tempDir();
    const disk = new MemoryDisk();
    const printed = Promise.withResolvers<void>();
    const first = await open(disk, async ({ key }) => {
      const stdout = await OutputFile.open(dir.path, outputName(key, 'stdout'));
      await stdout.write(Buffer.from('before'));
      printed.resolve();
      return new Promise(() => {}); // it ends when its owner dies
    });
    const run = await start(first);
    await printed.promise;
    const second = await open(disk, async ({ key }) => {
      const stdout = await OutputFile.open(dir.path, outputName(key, 'stdout'));
      await stdout.write(Buffer.from('after'));
      await stdout.close();
      await (await OutputFile.open(dir.path, outputName(key, 'stderr'))).close();
      return DONE;
    });
    const expected = [
      { key: 'attempt-1', stream: 'stdout', text: 'before', title: 'attempt-1: mine' },
      { key: 'attempt-2', stream: 'stdout', text: 'after', title: 'attempt-2: mine' },
      { key: 'supervisor', stream: 'stderr', text: '[supervisor] completed after 1 retry\n' },
    ];
    assert.deepEqual(await read(dir.path, second, run, { follow: true }), expected);
    assert.deepEqual(await read(dir.path, second, run, { follow: false }), expected);
    const lostAt = 5; // submitted, availability checked, begun, lost
    assert.deepEqual(
      await read(dir.path, second, run, { follow: true, after: lostAt, withLog: false }),
      expected.slice(1, 2),
    );
    await second.close();
  });

  test('is split into chunks without splitting a character', async () => {
    await using dir = await tempDir();
    const text = `x${'🚀'.repeat(100_000)}`;
    const engine = await open(new MemoryDisk(), async ({ key }) => {
      const stdout = await OutputFile.open(dir.path, outputName(key, 'stdout'), 2_000_000);
      await stdout.write(Buffer.from(text));
      await stdout.close();
      return DONE;
    });
    const run = await start(engine);
    await eventually('the run to end', async () => (await engine.get(run))?.outcome !== null);
    const pieces = (await read(dir.path, engine, run, { follow: false })).map(
      (chunk) => chunk.text,
    );
    assert.equal(pieces.join(''), text);
    assert.ok(pieces.length > 1 && pieces.every((piece) => piece.isWellFormed()));
    await engine.close();
  });
});
