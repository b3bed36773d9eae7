import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { outputName } from '../../attempts/attempt.ts';
import { attemptsProgram } from '../../attempts/attempts-program.ts';
import type { RunId } from '../../base/ids.ts';
import type { Json } from '../../base/json.ts';
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
import { tempDir } from '../../../test/support/temp-dir.ts';
import { PRINTED, runOutput } from './run-output.ts';

const SETTINGS = {
  agent: { id: 'mine', cli: 'scripted', args: [], env: {} },
  graceMs: 0,
  deadlineMs: null,
  lostMax: 9,
  outputBytesMax: 1000,
};

/** How a test plays an attempt; what it returns is how that ended. */
type Play = (order: CommandRequest) => Promise<Record<string, Json>>;

function open(disk: MemoryDisk, play: Play): Promise<Engine> {
  return EmbeddedEngine.open({
    journal: new MemoryJournal(disk),
    clock: systemClock,
    luck: seededRandom(1),
    programs: [attemptsProgram],
    performers: [{ command: 'attempt', perform: play }],
    limits: [],
    onDefect: () => {},
  });
}

function start(engine: Engine): Promise<RunId> {
  return engine.start({ program: 'attempts', task: 'x', project: '/p', settings: SETTINGS });
}

type Wish = {
  readonly withLog?: boolean;
  readonly follow: boolean;
  readonly after?: number;
  readonly pass?: (chunks: AsyncIterable<OutputChunk>) => AsyncIterable<OutputChunk, void>;
};

async function read(dir: string, engine: Engine, run: RunId, wish: Wish): Promise<OutputChunk[]> {
  const source = {
    dir,
    engine,
    run,
    clock: systemClock,
    after: 0,
    streams: PRINTED,
    pass: (chunks: AsyncIterable<OutputChunk>) => chunks,
    withLog: true,
    ...wish,
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
  test('is followed as it comes, both streams, to the end of the run', async () => {
    await using dir = await tempDir();
    const heard = Promise.withResolvers<void>();
    const engine = await open(new MemoryDisk(), async ({ key }) => {
      const stdout = await OutputFile.open(dir.path, outputName(key, 'stdout'));
      const stderr = await OutputFile.open(dir.path, outputName(key, 'stderr'));
      await stdout.write(Buffer.from('first '));
      await heard.promise;
      await stderr.write(Buffer.from('oops'));
      await stdout.write(Buffer.from('second'));
      await Promise.all([stdout.close(), stderr.close()]);
      return DONE;
    });
    const run = await start(engine);
    const followed = read(dir.path, engine, run, { follow: true });
    await eventually(
      'its beginning',
      async () => (await read(dir.path, engine, run, { follow: false })).length === 1,
    );
    heard.resolve();
    const chunks = await followed;
    const text = (stream: string): string =>
      chunks
        .filter((chunk) => chunk.stream === stream)
        .map((chunk) => chunk.text)
        .join('');
    assert.deepEqual([text('stdout'), text('stderr')], ['first second', 'oops']);
    await engine.close();
  });

  test('is not waited for when an attempt ended without any', async () => {
    await using dir = await tempDir();
    const begun = Promise.withResolvers<void>();
    const engine = await open(new MemoryDisk(), async () => {
      await begun.promise;
      return CRASHED;
    });
    const run = await start(engine);
    /** It ends only once it is being followed. */
    async function* pass(chunks: AsyncIterable<OutputChunk>): AsyncGenerator<OutputChunk, void> {
      begun.resolve();
      yield* chunks;
    }
    assert.deepEqual(await read(dir.path, engine, run, { follow: true, pass }), []);
    await engine.close();
  });

  test('of an attempt that was lost is what it had printed, and the next one follows', async () => {
    await using dir = await tempDir();
    const disk = new MemoryDisk();
    const printed = Promise.withResolvers<void>();
    const first = await open(disk, async ({ key }) => {
      const stdout = await OutputFile.open(dir.path, outputName(key, 'stdout'));
      await stdout.write(Buffer.from('before'));
      printed.resolve();
      return new Promise(() => {}); // it dies with its owner
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
      { key: 'attempt-1', stream: 'stdout', text: 'before' },
      { key: 'attempt-2', stream: 'stdout', text: 'after' },
      { key: 'supervisor', stream: 'stderr', text: '[supervisor] completed after 1 retries\n' },
    ];
    assert.deepEqual(await read(dir.path, second, run, { follow: true }), expected);
    assert.deepEqual(await read(dir.path, second, run, { follow: false }), expected);
    const lostAt = 5; // submitted, looked around, begun, lost
    assert.deepEqual(
      await read(dir.path, second, run, { follow: true, after: lostAt, withLog: false }),
      expected.slice(1, 2),
    );
    await second.close();
  });

  test('that is long comes in pieces, no character cut in two', async () => {
    await using dir = await tempDir();
    const text = `x${'🚀'.repeat(100_000)}`;
    const engine = await open(new MemoryDisk(), async ({ key }) => {
      const stdout = await OutputFile.open(dir.path, outputName(key, 'stdout'), 2_000_000);
      await stdout.write(Buffer.from(text));
      await stdout.close();
      return DONE;
    });
    const run = await start(engine);
    await eventually('its end', async () => (await engine.get(run))?.outcome !== null);
    const pieces = (await read(dir.path, engine, run, { follow: false })).map(
      (chunk) => chunk.text,
    );
    assert.equal(pieces.join(''), text);
    assert.ok(pieces.length > 1 && pieces.every((piece) => piece.isWellFormed()));
    await engine.close();
  });
});
