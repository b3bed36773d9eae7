/**
 * The state that an owner holds: the lock and the journal, after the processes of an earlier owner
 * are killed. An owner takes and releases all of it together.
 */
import { formatDate } from '../base/format-time.ts';
import { plural } from '../base/text.ts';
import { join } from 'node:path';
import { defined } from '../base/defined.ts';
import { Refusal } from '../base/errors.ts';
import { isRecord, parseJson } from '../base/json.ts';
import { ensurePrivateDir } from '../host/files/atomic-files.ts';
import { ensureOwnFolder } from '../host/files/private-folder.ts';
import type { WatchedFiles } from '../host/files/file-identity.ts';
import { watchFiles } from '../host/files/file-identity.ts';
import { readSmallFile, removeFile } from '../host/files/read-text-file.ts';
import { killTagged } from '../host/process/kill-tagged.ts';
import type { NewOwnerEvent } from '../protocol/event.ts';
import type { Journal } from '../store/journal.ts';
import { homeLost } from '../store/journal-refusals.ts';
import type { HomeJournal } from '../store/open-home-journal.ts';
import { openHomeJournal } from '../store/open-home-journal.ts';
import { acquireOwnership } from '../store/sqlite/owner-lock.ts';
import { homeError, requireUsableHome } from '../host/machine/require-usable-home.ts';
import type { Home } from '../host/machine/state-home.ts';
import { lastAlive, markAlive, writeOwnerFile } from './owner-file.ts';
import type { OwnerOptions } from './owner-options.ts';
import { OwnerStream } from './owner-stream.ts';

const OWNER_FILE_BYTES_MAX = 10_000;

/** The prefix of the tags of all processes of this home, whichever owner started them. */
export function homeTag(home: Home): string {
  return `supervisor:${home.id}`;
}

/** The prefix of the tags of all processes that this owner starts. */
export function ownerTag({ home, ownerId }: Pick<OwnerOptions, 'home' | 'ownerId'>): string {
  return `${homeTag(home)}/${ownerId}`;
}

export class OwnerState {
  readonly journal: Journal;
  readonly #options: OwnerOptions;
  /** Releases everything, in the reverse order of acquisition. */
  #resources = new AsyncDisposableStack();
  readonly #stream: OwnerStream;
  readonly #files: WatchedFiles;
  readonly #superseded: HomeJournal['superseded'];

  private constructor(options: OwnerOptions, { journal, file, superseded }: HomeJournal) {
    this.#options = options;
    this.journal = journal;
    this.#stream = new OwnerStream(journal, options.clock);
    this.#files = watchFiles([options.home.lock, file]);
    this.#superseded = superseded;
  }

  /**
   * Why this owner holds the state no more: the lock or the journal is another file than the one that it opened, or
   * another owner has its database.
   */
  lost(): Refusal | undefined {
    const path = this.#files.findLost();
    return path === undefined ? this.#superseded() : homeLost(path);
  }

  /** Refuses with `owner.already-running`, with the pid and the start time of the other owner. */
  static async take(options: OwnerOptions): Promise<OwnerState> {
    const { home, clock, version, pid, ownerId, log } = options;
    await prepareHome(home);
    if (home.socketDir !== home.dir) await ensureOwnFolder(home.socketDir);
    const lock = acquireOwnership(home.lock);
    if (lock === undefined) throw await alreadyRunning(home);
    await using resources = new AsyncDisposableStack();
    resources.defer(() => lock.release());
    // This owner has started nothing yet, so every process with the tag of this home belongs to an
    // earlier owner. The reaper of that owner may be dead, stopped or late, so this owner does not
    // rely on it.
    const { killed, left } = await killTagged(homeTag(home));
    if (killed + left > 0)
      log(
        `killed ${plural(killed, 'process', 'processes')} of an earlier owner; ${left} could not be killed`,
      );
    const startedAt = clock.now();
    const opened = await openHomeJournal(home, options.database ?? {}, { ownerId, pid, startedAt });
    const { journal } = opened;
    resources.defer(() => journal.close());
    const aliveAt = await lastAlive(journal, home, clock.now());
    const facts = { pid, version, ownerId, startedAt, socket: home.socket };
    await writeOwnerFile(home, facts);
    const state = new OwnerState(options, opened);
    // If the home was replaced, the file belongs to another owner.
    resources.defer(async () => {
      if (state.#files.areSame()) await removeFile(home.ownerFile);
    });
    const payload = { pid, version, ownerId, ...defined({ aliveAt }) };
    await state.record({ type: 'owner.started', payload });
    const released = new AbortController();
    resources.defer(() => released.abort());
    void markAlive(clock, home, released.signal);
    state.#resources = resources.move();
    return state;
  }

  /** Returns the folder for the output of a run, and creates it if necessary. */
  async outputDir(run: string): Promise<string> {
    const dir = join(this.#options.home.outputs, run);
    await ensurePrivateDir(dir);
    return dir;
  }

  async release(reason: string): Promise<void> {
    await using _ = this.#resources; // released even if the last fact cannot be written
    if (this.lost() === undefined)
      await this.record({ type: 'owner.stopped', payload: { reason } });
  }

  /** Appends a fact to the owner's own stream. Facts are appended in the order of the calls. */
  record(event: NewOwnerEvent): Promise<void> {
    return this.#stream.record(event);
  }
}

export async function prepareHome({ dir, outputs }: Home): Promise<void> {
  for (const one of [dir, outputs])
    try {
      if (one === dir) requireUsableHome(dir);
      await ensurePrivateDir(one);
    } catch (error) {
      throw homeError(one, error) ?? error;
    }
}

export async function alreadyRunning(home: Home): Promise<Refusal> {
  const file = await readSmallFile(home.ownerFile, OWNER_FILE_BYTES_MAX);
  const facts = file.kind === 'text' ? parseJson(file.text) : undefined;
  const { pid, startedAt } = isRecord(facts) ? facts : {};
  const isKnown = typeof pid === 'number' && typeof startedAt === 'number';
  const description = isKnown
    ? `pid ${pid}, since ${formatDate(startedAt)}`
    : 'it has not written its pid yet';
  return new Refusal({
    code: 'owner.already-running',
    message: `Another process owns ${home.dir} (${description}).`,
    hint: 'Omit --foreground to use it, or end it with: supervisor owner stop',
    ...(isKnown ? { details: { pid, startedAt } } : {}),
  });
}
