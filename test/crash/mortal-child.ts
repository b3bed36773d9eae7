/**
 * One life of an owner on a SQLite journal, in its own process: `mortal-child.ts FOLDER K
 * before|after`. SIGKILL ends it at its K-th write: `before` that statement runs (counting
 * statements that write anything), or `after` it (counting statements that make something durable).
 * It completes if the scenario has fewer writes.
 */
import { systemClock } from '../../src/host/machine/system-clock.ts';
import type { Database, Statement } from '../../src/store/sqlite/database.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { SqliteJournal } from '../../src/store/sqlite/sqlite-journal.ts';
import { effectFile, journalFile, playToEnd } from './scenario-on-disk.ts';

function die(): void {
  process.kill(process.pid, 'SIGKILL');
  for (;;); // the signal is on its way; nothing more may happen here
}

function mortal(database: Database, k: number, when: string): Database {
  let writes = 0;
  const run =
    (statement: Statement): Statement['run'] =>
    (...values: Parameters<Statement['run']>) => {
      if (when === 'before' && (writes += 1) === k) die();
      const result = statement.run(...values);
      if (when === 'after' && !database.isTransaction && (writes += 1) === k) die();
      return result;
    };
  return {
    prepare(sql) {
      const statement = database.prepare(sql);
      const writing = /^\s*(INSERT|UPDATE|COMMIT)/.test(sql);
      return {
        run: writing ? run(statement) : statement.run.bind(statement),
        get: statement.get.bind(statement),
        all: statement.all.bind(statement),
        iterate: statement.iterate.bind(statement),
      };
    },
    exec: (sql) => database.exec(sql),
    close: () => database.close(),
    get isTransaction() {
      return database.isTransaction;
    },
  };
}

const [folder = '', k, when = ''] = process.argv.slice(2);
const path = journalFile(folder);
const journal = new SqliteJournal(mortal(openDatabase(path), Number(k), when), path);
await playToEnd(journal, systemClock, effectFile(folder));
