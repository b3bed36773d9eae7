/**
 * Collects the reports of the runners of one gate, in a folder with our socket and the reporters.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import { newRunId } from '../base/ids.ts';
import { serveLines } from '../host/net/line-server.ts';
import { listFolder } from '../host/files/list-folder.ts';
import { processScopedName } from '../host/files/process-scoped-name.ts';
import { readTextFile } from '../host/files/read-text-file.ts';
import { realPathSync } from '../host/files/real-path.ts';
import { ScratchFolder } from '../host/files/scratch-folder.ts';
import type { ReportSession } from './test-report.ts';
import { openSession, withLine } from './test-report.ts';

export type ReportPorts = {
  readonly clock: Clock;
  readonly random: Random;
  /** The prefix by which folders of a dead owner are recognised. */
  readonly namePrefix: string;
};

export type TestReports = AsyncDisposable & {
  /** Where socket and reporters are on this machine. */
  readonly folder: string;
  /** All reports, once every process of the gate has ended. */
  readonly sessions: () => Promise<readonly ReportSession[]>;
};

export const SOCKET_NAME = 'socket';
const RUNNERS = fileURLToPath(new URL('./runners/', import.meta.url));
const RUNNER_BYTES_MAX = 200_000;
/** A suite of many files has a process and so a connection for each. */
const BOUNDS = { connectionsMax: 50_000, lineBytesMax: 4096, bytesMax: 50_000_000 };
/** The processes are dead by then, so all that is left is in the kernel's buffers. */
const DRAIN_MS = 10_000;
const KEY_DRAWS = 4;

export async function openReports({
  clock,
  random,
  namePrefix,
}: ReportPorts): Promise<TestReports> {
  await using made = new AsyncDisposableStack();
  const name = processScopedName(namePrefix, newRunId(random));
  // Python finds no module in a folder that it can't list.
  const scratch = made.use(await ScratchFolder.make(`${name}-`, 0o755));
  const folder = realPathSync(scratch.path) ?? scratch.path;
  for (const file of await listFolder(RUNNERS)) {
    const text = await readTextFile(join(RUNNERS, file), RUNNER_BYTES_MAX);
    if (text !== undefined) await scratch.write(file, text, /^\w+$/.test(file) ? 0o755 : 0o644);
  }
  const slots: { session: ReportSession | undefined; readonly key: string }[] = [];
  const server = made.use(
    await serveLines(join(folder, SOCKET_NAME), BOUNDS, (answer) => {
      const slot: (typeof slots)[number] = { session: undefined, key: keyOf(random) };
      return {
        onLine: ({ text, truncated }) => {
          if (slot.session !== undefined) {
            const line = truncated ? '' : text;
            slot.session = withLine(slot.session, slot.key, line);
            return;
          }
          slot.session = openSession(text);
          if (slot.session === undefined) return; // it is no reporter, and never gets a key
          slots.push(slot);
          answer(JSON.stringify({ key: slot.key }));
        },
        onExcess: () => {
          if (slot.session !== undefined) slot.session = { ...slot.session, isForged: true };
        },
      };
    }),
  );
  const owned = made.move();
  return {
    folder,
    sessions: async () => {
      const over = new AbortController();
      await Promise.race([server.idle(), clock.sleep(DRAIN_MS, over.signal)]);
      over.abort();
      return slots.flatMap(({ session }) => session ?? []);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function keyOf(random: Random): string {
  return Array.from({ length: KEY_DRAWS }, () => random().toString(36).slice(2)).join('');
}
