/**
 * Holding the state: the lock, the journal, and nobody left over from before. Taken as a whole and
 * let go as a whole, so an owner either has all of it or none.
 */
import { join } from 'node:path';
import { Refusal } from '../base/errors.ts';
import { isRecord, parseJson } from '../base/json.ts';
import { ensurePrivateDir, writeFileAtomic } from '../host/files/atomic-files.ts';
import { ensureOwnFolder } from '../host/files/private-folder.ts';
import type { WatchedFiles } from '../host/files/file-identity.ts';
import { watchFiles } from '../host/files/file-identity.ts';
import { readTextFile, removeFile } from '../host/files/read-text-file.ts';
import { killTagged } from '../host/process/kill-tagged.ts';
import type { NewEvent } from '../protocol/event.ts';
import type { Journal } from '../store/journal.ts';
import { acquireOwnership } from '../store/sqlite/owner-lock.ts';
import { SqliteJournal } from '../store/sqlite/sqlite-journal.ts';
import type { Home } from '../host/machine/state-home.ts';
import type { OwnerOptions } from './owner-options.ts';
import { OwnerStream } from './owner-stream.ts';

const OWNER_FILE_BYTES_MAX = 10_000;

/** Every process that works for this home carries a tag under this one, whichever owner started it. */
export function homeTag(home: Home): string {
  return `supervisor:${home.id}`;
}

/** Every process that this owner starts carries a tag under this one. */
export function ownerTag({ home, ownerId }: Pick<OwnerOptions, 'home' | 'ownerId'>): string {
  return `${homeTag(home)}/${ownerId}`;
}

export class OwnerState {
  readonly journal: Journal;
  readonly #options: OwnerOptions;
  /** What is let go of at the end, last taken first. */
  #taken = new AsyncDisposableStack();
  readonly #stream: OwnerStream;
  /** The path of the lock or the journal that is not ours any more: the home was deleted or replaced. */
  readonly lost: () => string | undefined;
  readonly #files: WatchedFiles;

  private constructor(options: OwnerOptions, journal: Journal) {
    this.#options = options;
    this.journal = journal;
    this.#stream = new OwnerStream(journal, options.clock);
    this.#files = watchFiles([options.home.lock, options.home.journal]);
    this.lost = this.#files.lost;
  }

  /** Refuses with `owner.already-running`, naming the pid and start of the one that has it. */
  static async take(options: OwnerOptions): Promise<OwnerState> {
    const { home, clock, version, pid, ownerId, log } = options;
    for (const dir of [home.dir, home.outputs]) await ensurePrivateDir(dir);
    if (home.socketDir !== home.dir) await ensureOwnFolder(home.socketDir);
    const lock = acquireOwnership(home.lock);
    if (lock === undefined) throw await alreadyRunning(home);
    await using taken = new AsyncDisposableStack();
    taken.defer(() => lock.release());
    // Whatever carries the home's tag is of an earlier owner: this one has started nothing yet.
    // The earlier owner's reaper may be dead, stopped or late, so it is not waited for.
    const { killed, left } = await killTagged(homeTag(home));
    if (killed + left > 0)
      log(`swept ${killed} processes of an earlier owner, ${left} would not end`);
    const journal = SqliteJournal.open(home.journal);
    taken.defer(() => journal.close());
    const facts = { pid, version, ownerId, startedAt: clock.now(), socket: home.socket };
    await writeFileAtomic(home.ownerFile, `${JSON.stringify(facts, null, 2)}\n`);
    const hold = new OwnerState(options, journal);
    // Another owner's, if the home was replaced.
    taken.defer(async () => {
      if (hold.#files.areSame()) await removeFile(home.ownerFile);
    });
    await hold.say({ type: 'owner.started', payload: { pid, version, ownerId } });
    hold.#taken = taken.move();
    return hold;
  }

  /** Where the output of a run is kept; made when it is first needed. */
  async outputDir(run: string): Promise<string> {
    const dir = join(this.#options.home.outputs, run);
    await ensurePrivateDir(dir);
    return dir;
  }

  async release(reason: string): Promise<void> {
    await using _ = this.#taken; // let go of, whether or not the last word can be written
    if (this.lost() === undefined) await this.say({ type: 'owner.stopped', payload: { reason } });
  }

  /** Writes into the owner's own stream, one fact after the other. */
  say(event: NewEvent): Promise<void> {
    return this.#stream.say(event);
  }
}

async function alreadyRunning(home: Home): Promise<Refusal> {
  const facts = parseJson((await readTextFile(home.ownerFile, OWNER_FILE_BYTES_MAX)) ?? '');
  const { pid, startedAt } = isRecord(facts) ? facts : {};
  const known = typeof pid === 'number' && typeof startedAt === 'number';
  const who = known
    ? `pid ${pid}, since ${new Date(startedAt).toISOString()}`
    : 'it has not said who it is yet';
  return new Refusal({
    code: 'owner.already-running',
    message: `Another process owns ${home.dir} (${who}).`,
    hint: 'Leave out --foreground to use it, or end it with: supervisor owner stop',
    ...(known ? { details: { pid, startedAt } } : {}),
  });
}
