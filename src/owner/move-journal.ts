/**
 * Copies the journal of a home to lines of text, and makes such lines the journal of a home: in its file or in a
 * database. No owner may run meanwhile. Each is done as a whole or not at all.
 */
import { Refusal, isRefusal } from '../base/errors.ts';
import { machineName } from '../host/machine/machine.ts';
import type { Home } from '../host/machine/state-home.ts';
import { removeFile } from '../host/files/read-text-file.ts';
import type { StoredEvent } from '../protocol/event.ts';
import type { HomeJournal } from '../store/open-home-journal.ts';
import { openHomeJournal } from '../store/open-home-journal.ts';
import type { DatabaseAddress } from '../store/postgres/database-address.ts';
import {
  findDatabase,
  homeIdForMove,
  movePath,
  namedDatabase,
  newHomeId,
  recordDatabase,
} from '../store/postgres/home-database.ts';
import { importIntoPostgres } from '../store/postgres/import-into-postgres.ts';
import { PostgresReader } from '../store/postgres/postgres-reader.ts';
import { acquireOwnership } from '../store/sqlite/owner-lock.ts';
import { importIntoSqlite } from '../store/sqlite/import-into-sqlite.ts';
import { SqliteJournal } from '../store/sqlite/sqlite-journal.ts';
import { isOnlyOfOwner } from '../store/transfer/imported-facts.ts';
import type { Pages } from '../store/transfer/journal-pages.ts';
import { exportLines } from '../store/transfer/journal-pages.ts';
import { alreadyRunning, prepareHome } from './owner-state.ts';
import type { OwnerOptions } from './owner-options.ts';

export type MoveOptions = Pick<OwnerOptions, 'home' | 'ownerId' | 'pid' | 'clock'>;

/** Where the lines go: a database, the file of the home, or wherever the home has its journal. */
export type MoveTarget = { readonly db?: string; readonly file?: boolean };

export type Moved = { readonly facts: number; readonly journal: string };

const BACK_PAGE = 100;

/** Calls `write` with the lines, one part at a time. */
export async function exportJournal(
  options: MoveOptions,
  write: (lines: string) => Promise<void>,
): Promise<Moved> {
  return withLock(options, async () => {
    const { journal, where } = await openCurrent(options);
    try {
      const lines = exportLines(journal);
      for (;;) {
        const { value, done } = await lines.next();
        if (done === true) return { facts: value, journal: where };
        await write(value);
      }
    } finally {
      await journal.close();
    }
  });
}

/**
 * `pages` reads the lines from the beginning, each time that it is called. Refuses lines that are older than the journal
 * that the home has now: the home would lose what came after them.
 */
export async function importJournal(
  options: MoveOptions,
  target: MoveTarget,
  pages: () => Pages,
): Promise<Moved> {
  const { home } = options;
  return withLock(options, async () => {
    const recorded = await findDatabase(home);
    const to = chooseTarget(target, recorded?.address);
    const isMove = to?.named !== recorded?.address.named;
    const homeId =
      recorded?.homeId ?? (to === undefined ? newHomeId() : await homeIdForMove(home, to));
    const owner = { ...ownerOf(options), homeId };
    const watch = new Watch(home, isMove ? await lastWork(options) : undefined);
    const from = (): Pages => watch.over(pages());
    const check = (): void => watch.check();
    try {
      if (to === undefined) await importIntoSqlite(home.journal, from(), check);
      else await importIntoPostgres({ address: to, owner }, from(), check);
    } catch (error) {
      // A move that was cut off after the facts were there, and before the home knew.
      const isThere = isRefusal(error, 'store.not-empty');
      if (!isThere || !isMove || !(await hasSame(home, to, from()))) throw error;
      watch.check();
    }
    if (to === undefined) await removeFile(home.database);
    else await recordDatabase(home, { address: to, homeId });
    await removeFile(movePath(home));
    return { facts: watch.facts, journal: to === undefined ? home.journal : `the ${to.text}` };
  });
}

function chooseTarget(
  { db, file = false }: MoveTarget,
  recorded: DatabaseAddress | undefined,
): DatabaseAddress | undefined {
  if (db !== undefined) return namedDatabase(db);
  return file ? undefined : recorded;
}

async function withLock<Result>(
  { home }: MoveOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  await prepareHome(home);
  const lock = acquireOwnership(home.lock);
  if (lock === undefined) {
    const { data } = await alreadyRunning(home);
    throw new Refusal({ ...data, hint: 'Shut it down first, with: supervisor down' });
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}

async function openCurrent(
  options: MoveOptions,
): Promise<HomeJournal & { readonly where: string }> {
  const { home } = options;
  const opened = await openHomeJournal(home, {}, ownerOf(options));
  const database = await findDatabase(home);
  return {
    ...opened,
    where: database === undefined ? home.journal : `the ${database.address.text}`,
  };
}

function ownerOf({ home, ownerId, pid, clock }: MoveOptions): {
  readonly ownerId: string;
  readonly pid: number;
  readonly startedAt: number;
  readonly host: string;
  readonly home: string;
} {
  return { ownerId, pid, startedAt: clock.now(), host: machineName(), home: home.dir };
}

/** The last fact of the home's journal that is more than the start or the end of an owner. */
async function lastWork(options: MoveOptions): Promise<StoredEvent | undefined> {
  const { journal } = await openCurrent(options);
  try {
    for (let before = (await journal.lastId()) + 1; ;) {
      const page = await journal.readBack(before, BACK_PAGE);
      const found = page.find((event) => !isOnlyOfOwner(event));
      const last = page.at(-1);
      if (found !== undefined || last === undefined) return found;
      before = last.id;
    }
  } finally {
    await journal.close();
  }
}

/** Whether the target has these facts already, and no other. Changes nothing there. */
async function hasSame(
  home: Home,
  to: DatabaseAddress | undefined,
  pages: Pages,
): Promise<boolean> {
  const journal =
    to === undefined ? SqliteJournal.open(home.journal) : await PostgresReader.open(to);
  try {
    let after = 0;
    for await (const page of pages) {
      const found = await journal.readAll({ after, limit: page.length });
      if (JSON.stringify(found) !== JSON.stringify(page)) return false;
      after = page.at(-1)?.id ?? after;
    }
    const more = await journal.readAll({ after, limit: 1 });
    return more.length === 0;
  } finally {
    await journal.close();
  }
}

/** Counts the facts that pass, and looks for the one that the home must not lose. */
class Watch {
  readonly #home: Home;
  readonly #needed: StoredEvent | undefined;
  #isSeen = false;
  facts = 0;

  constructor(home: Home, needed: StoredEvent | undefined) {
    this.#home = home;
    this.#needed = needed;
  }

  async *over(pages: Pages): Pages {
    this.facts = 0;
    for await (const page of pages) {
      this.facts += page.length;
      const found = page.find(({ id }) => id === this.#needed?.id);
      if (found !== undefined && JSON.stringify(found) === JSON.stringify(this.#needed))
        this.#isSeen = true;
      yield page;
    }
  }

  check(): void {
    if (this.#needed === undefined || this.#isSeen) return;
    throw new Refusal({
      code: 'store.other-journal',
      message: `The file lacks the last work in the journal of ${this.#home.dir}, which this home would lose. Nothing was imported.`,
      hint: 'Export the journal of this home again, and import that file. To import another one, set SUPERVISOR_HOME to an empty folder.',
    });
  }
}
